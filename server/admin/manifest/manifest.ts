// The schema of a tenant's manifest.

import Type from 'typebox'
import { subjectTypeKeys } from '../../../db/frame/fields/custom-field.js'
import { isDateFormat } from '../../../db/frame/imports/column-forms.js'
import { absentAtMost } from '../../../db/frame/imports/unassign-absent.js'
import { faultCodes } from '../../../runtime/problems/fault-codes.js'
import { ForeignId, Key, keyText, Name } from '../../../runtime/schema/key.js'
import { shortKeyPattern } from '../../../runtime/schema/short-key.js'
import { scopes } from '../../../runtime/secrets/scopes.js'
import { FormsManifest } from './manifest-forms.js'
import { GlueManifest } from './manifest-glue.js'

const Permission = Type.String({
  pattern: '^(\\*|[A-Z][A-Za-z]*|(\\*|[A-Z][A-Za-z]*):(\\*|[A-Z][A-Za-z]*))$',
  description:
    '`Action:Resource`, where either may be `*`; a single `*` allows everything. Permissions of forms are one word, such as `Create`.',
})

const ClientManifest = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'Unique in the installation.',
    }),
    name: Type.Optional(Name),
    secret: Type.Optional(
      Type.String({
        minLength: 16,
        maxLength: 255,
        pattern: '^[\\x20-\\x7e]+$',
        description:
          'Never returned. If absent, the present secret stays; a new client gets a random one, which the answer shows once.',
      }),
    ),
    oldSecretUntil: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Until when the secret that the present one has replaced works too, at most 30 days ahead. Give it together with the new secret, so that the client can change over while it calls. If absent, or once it is past, the old secret has ended.',
      }),
    ),
    scopes: Type.Array(Type.Enum([...scopes])),
    permissions: Type.Optional(Type.Array(Permission)),
    disabled: Type.Optional(Type.Boolean({ default: false })),
  },
  { $id: 'ClientManifest', additionalProperties: false },
)

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))
const fieldKeys = (description: string) => Type.Optional(Type.Array(keyText(), { description }))

const SubjectFieldManifest = Type.Object(
  {
    key: Key,
    name: Name,
    type: Type.Enum([...subjectTypeKeys]),
    required: flag('A subject is not created without a value.'),
    isArray: flag('Whether a subject may have several values.'),
  },
  { $id: 'SubjectFieldManifest', additionalProperties: false },
)

const PortalManifest = Type.Object(
  {
    selfAccess: flag('Whether subjects may be invited themselves. Needs `emailField`.'),
    thirdParty: flag('Whether others may be invited by their e-mail addresses.'),
    matchingFields: fieldKeys('Fields that a subject must have values for before anybody is invited.'),
    emailField: Type.Optional(keyText({ description: "The field with the subject's own e-mail address." })),
    displayNameFields: fieldKeys(
      "Fields whose values make up a subject's display name, in this order, also on pages of forms. Without it, the Text fields with the " +
        'keys givenName, middleName and familyName, or name (docs/forms.md, "The person").',
    ),
    url: Type.Optional(
      Type.String({
        maxLength: 2000,
        pattern: '^https?://[^\\s]+$',
        description: 'Address of the portal, which the mails contain.',
      }),
    ),
  },
  { $id: 'PortalManifest', additionalProperties: false },
)

const MappedColumnManifest = Type.Object(
  {
    field: keyText({ minLength: 1 }),
    format: Type.Optional(
      Type.Refine(
        Type.String({
          maxLength: 20,
          description: 'Of a Date: `yyyy`, `MM` or `M`, and `dd` or `d`, with `.`, `/`, `-` or blanks between them.',
          examples: ['dd.MM.yyyy', 'M/d/yyyy'],
        }),
        isDateFormat,
        () => 'must have yyyy, MM or M, and dd or d, once each, such as dd.MM.yyyy',
      ),
    ),
    decimal: Type.Optional(
      Type.Literal(',', { description: 'Of a Number: the decimal sign. Without it, that is a point.' }),
    ),
  },
  { $id: 'MappedColumnManifest', additionalProperties: false },
)

const ImportMapManifest = Type.Object(
  {
    key: Key,
    columns: Type.Record(Type.String({ minLength: 1, maxLength: 255 }), Type.Union([keyText(), MappedColumnManifest]), {
      maxProperties: 1_000,
      description:
        'By column name: the key of the field, a member such as `StructuralEntityKeys` of subjects or `ParentKey` of entities, ' +
        'or an empty string for a column that is ignored. An object also says in which form the cells are.',
    }),
  },
  { $id: 'ImportMapManifest', additionalProperties: false },
)

const importMaps = Type.Optional(
  Type.Array(ImportMapManifest, {
    maxItems: 100,
    description: 'Maps of CSV columns. An import selects one by `MapKey`.',
  }),
)

const SubjectsManifest = Type.Object(
  {
    fields: Type.Optional(
      Type.Array(SubjectFieldManifest, {
        maxItems: 500,
        description:
          'A field of which subjects have values can neither be removed nor change its type or isArray (409).',
      }),
    ),
    matchingFields: fieldKeys(
      'Required fields with one value each, whose values together identify a subject in an upsert. Texts are compared in NFC, without characters that nobody sees, such as zero-width spaces, and without leading and trailing white space.',
    ),
    upsert: flag('Whether the subject upsert API is available. Needs `matchingFields`.'),
    identifierField: Type.Optional(
      keyText({
        description:
          'The field whose value identifies a subject to data providers, and to people on pages of forms. Without it, pages of forms ' +
          'show the matching fields. Values are compared like those of matching fields.',
      }),
    ),
    dateOfBirthField: Type.Optional(
      keyText({
        description:
          'A Date field with one value, shown on pages of forms. Without it, the Date field with the key dateOfBirth, birthDate, ' +
          'birthday or dob.',
      }),
    ),
    portal: Type.Optional(PortalManifest),
    importMaps,
    absentAtMost: absentAtMost(
      'The most subjects that an import with `Absent=unassign` takes from their places, as a number or a percentage; an import may say ' +
        'otherwise. Default: `10%`.',
    ),
  },
  { $id: 'SubjectsManifest', additionalProperties: false },
)

const StructuralEntitiesManifest = Type.Object(
  { importMaps },
  { $id: 'StructuralEntitiesManifest', additionalProperties: false },
)

const UserManifest = Type.Object(
  {
    id: ForeignId,
    displayName: Name,
    active: Type.Optional(Type.Boolean({ default: true })),
    groups: Type.Optional(
      Type.Array(keyText(), {
        description:
          'Keys of exactly the groups that the user belongs to. If absent, the memberships stay as they are.',
      }),
    ),
  },
  {
    $id: 'UserManifest',
    additionalProperties: false,
    description: 'The id is the one that the identity service uses.',
  },
)

const LimitsManifest = Type.Object(
  {
    requestsPerMinute: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Limit of each client, and of each address that opens single-pass forms. If absent, no limit.',
      }),
    ),
    bulkMaxItems: Type.Optional(Type.Integer({ minimum: 1, description: 'Structural entities in one bulk request.' })),
    jobRetentionDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 36_500,
        description: 'How long ended jobs are kept. If absent, as long as the installation keeps them.',
      }),
    ),
    auditRetentionDays: Type.Optional(
      Type.Integer({
        minimum: 30,
        maximum: 36_500,
        description: 'How long the audit is kept: who did what, and who read people. If absent, two years.',
      }),
    ),
  },
  { $id: 'LimitsManifest', additionalProperties: false },
)

/**
 * A whole tenant. A member that the manifest omits is removed from the tenant. Unknown members are refused, so that
 * typos are noticed.
 */
export const Manifest = Type.Object(
  {
    key: Type.Optional(
      Type.String({
        pattern: shortKeyPattern,
        description: 'At most 64 letters, digits, - and _. Must equal the key in the path.',
      }),
    ),
    name: Type.Optional(Name),
    clients: Type.Optional(Type.Array(ClientManifest)),
    subjects: Type.Optional(SubjectsManifest),
    structuralEntities: Type.Optional(StructuralEntitiesManifest),
    users: Type.Optional(Type.Array(UserManifest)),
    userAccess: Type.Optional(
      Type.Enum(['direct', 'descendants'], {
        default: 'direct',
        description:
          'Which subjects a user can access through a group. `direct`: those assigned to an entity of the group. `descendants`: also ' +
          'those assigned to an entity below one, so that a group for a region need not list its wards.',
      }),
    ),
    glue: Type.Optional(GlueManifest),
    forms: Type.Optional(FormsManifest),
    limits: Type.Optional(LimitsManifest),
  },
  { $id: 'TenantManifest', additionalProperties: false },
)

export const Change = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer, in which clients and users are named by id and fields by key.' }),
    change: Type.Enum(['created', 'updated', 'deleted']),
    before: Type.Optional(Type.Unknown()),
    after: Type.Optional(Type.Unknown()),
  },
  { $id: 'ManifestChange' },
)

export const Warning = Type.Object(
  {
    pointer: Type.String({ description: 'JSON pointer into the manifest.' }),
    code: Type.Enum(faultCodes),
    detail: Type.String(),
  },
  { $id: 'ManifestWarning', description: 'Something that can be applied but is probably a mistake.' },
)
