// Schema of a tenant's manifest.
import Type from 'typebox'
import { subjectTypeKeys } from '../../../db/frame/subjects/custom-field.js'
import { faultCodes } from '../../../runtime/fault-codes.js'
import { Key, Name } from '../../../runtime/schema/key.js'
import { scopes } from '../../../runtime/scopes.js'
import { shortKeyPattern } from '../../../runtime/short-key.js'
import { FormsManifest } from './manifest-forms.js'
import { GlueManifest } from './manifest-glue.js'

const Permission = Type.String({
  pattern: '^(\\*|[A-Z][A-Za-z]*|(\\*|[A-Z][A-Za-z]*):(\\*|[A-Z][A-Za-z]*))$',
  description:
    '`Action:Resource`; either may be `*`, and `*` alone is everything. Those of forms are one word, such as `Create`.',
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
          'Only written. Absent: the present one stays; a new client gets a random one, which the answer shows once.',
      }),
    ),
    scopes: Type.Array(Type.Enum([...scopes])),
    permissions: Type.Optional(Type.Array(Permission)),
    disabled: Type.Optional(Type.Boolean({ default: false })),
  },
  { $id: 'ClientManifest', additionalProperties: false },
)

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))
const fieldKeys = (description: string) => Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { description }))

const SubjectFieldManifest = Type.Object(
  {
    key: Key,
    name: Name,
    type: Type.Enum([...subjectTypeKeys]),
    required: flag('A subject is not created without a value.'),
    isArray: flag('Several values.'),
  },
  { $id: 'SubjectFieldManifest', additionalProperties: false },
)

const PortalManifest = Type.Object(
  {
    selfAccess: flag('Subjects may be invited themselves; needs `emailField`.'),
    thirdParty: flag('Others may be invited by their e-mail addresses.'),
    matchingFields: fieldKeys('Fields that a subject must have values for before anybody is invited.'),
    emailField: Type.Optional(
      Type.String({ maxLength: 255, description: "The field with the subject's own e-mail address." }),
    ),
    displayNameFields: fieldKeys(
      "Fields whose values make a subject's display name, in this order, also on pages of forms. Without it Text fields by their " +
        'keys: givenName, middleName, familyName, or name (docs/forms.md, "The person").',
    ),
    url: Type.Optional(
      Type.String({
        maxLength: 2000,
        pattern: '^https?://[^\\s]+$',
        description: 'Address of the portal, for the mails.',
      }),
    ),
  },
  { $id: 'PortalManifest', additionalProperties: false },
)

const ImportMapManifest = Type.Object(
  {
    key: Key,
    columns: Type.Record(Type.String({ minLength: 1, maxLength: 255 }), Type.String({ maxLength: 255 }), {
      maxProperties: 1_000,
      description:
        'By the name of a column: the key of its field, a member such as `StructuralEntityKeys` of subjects or `ParentKey` of entities, ' +
        'or an empty text for a column that is not read.',
    }),
  },
  { $id: 'ImportMapManifest', additionalProperties: false },
)

const importMaps = Type.Optional(
  Type.Array(ImportMapManifest, {
    maxItems: 100,
    description: 'Columns of CSV files; an import names one as `MapKey`.',
  }),
)

const SubjectsManifest = Type.Object(
  {
    fields: Type.Optional(
      Type.Array(SubjectFieldManifest, {
        maxItems: 500,
        description: 'A field that subjects hold values of neither goes nor changes its type or isArray (409).',
      }),
    ),
    matchingFields: fieldKeys(
      'Required fields of one value each, whose values together name a subject in an upsert. Texts are compared in NFC and without white space at their ends.',
    ),
    upsert: flag('The subject upsert API is on; needs `matchingFields`.'),
    identifierField: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'The field whose value names a subject to data providers, and to people on pages of forms. Without it pages of forms ' +
          'show the matching fields. Compared as matching fields are.',
      }),
    ),
    dateOfBirthField: Type.Optional(
      Type.String({
        maxLength: 255,
        description:
          'A Date field of one value, shown on pages of forms. Without it the Date field whose key is dateOfBirth, birthDate, ' +
          'birthday or dob.',
      }),
    ),
    portal: Type.Optional(PortalManifest),
    importMaps,
  },
  { $id: 'SubjectsManifest', additionalProperties: false },
)

const StructuralEntitiesManifest = Type.Object(
  { importMaps },
  { $id: 'StructuralEntitiesManifest', additionalProperties: false },
)

const UserManifest = Type.Object(
  {
    id: Key,
    displayName: Name,
    active: Type.Optional(Type.Boolean({ default: true })),
    groups: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), {
        description: 'Keys of exactly the groups of the user. Absent: the memberships stay as they are.',
      }),
    ),
  },
  { $id: 'UserManifest', additionalProperties: false, description: 'The id is that of the identity service.' },
)

const LimitsManifest = Type.Object(
  {
    requestsPerMinute: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Of one client, and of one address that opens a single-pass form; absent: no limit.',
      }),
    ),
    bulkMaxItems: Type.Optional(Type.Integer({ minimum: 1, description: 'Structural entities of one bulk request.' })),
    jobRetentionDays: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 36_500,
        description: 'How long jobs that have ended are kept; absent: as long as the installation keeps them.',
      }),
    ),
  },
  { $id: 'LimitsManifest', additionalProperties: false },
)

/** A whole tenant. A member that a manifest omits is removed; unknown members are refused, so that typos are noticed. */
export const Manifest = Type.Object(
  {
    key: Type.Optional(
      Type.String({
        pattern: shortKeyPattern,
        description: 'Letters, digits, - and _: 64 at most; the path has it too.',
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
          'Which subjects a user has access to by a group: `direct`, those assigned to an entity of the group; `descendants`, also ' +
          'those assigned to an entity below one, so that a group of a region needs not list its wards.',
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
    path: Type.String({ description: 'JSON pointer; a client or user is named by its id, a field by its key.' }),
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
  { $id: 'ManifestWarning', description: 'What may be applied and is probably not meant.' },
)
