// Schema of the section `forms` of a manifest.
import Type from 'typebox'
import { defaultLaunch } from '../../../db/forms/settings.js'
import { exportDestinations } from '../../../db/storage/export-target.js'
import { keyText } from '../../../runtime/schema/key.js'
import { shortKeyPattern } from '../../../runtime/schema/short-key.js'
import { Headers, OpenIdConnectManifest, strict, Template } from './manifest-glue.js'

const optional = Type.Optional

/** A file or folder name that is valid on every system and leads to no other folder. */
const FileName = (description: string) =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$',
    description: `${description} A letter or digit, then letters, digits, ., _ and -: 100 at most.`,
  })
const Key = Type.String({ minLength: 1, maxLength: 255 })
const ControlIds = optional(Type.Array(Key, { minItems: 1, maxItems: 2_000, description: 'If absent, all controls.' }))

const ExportDefinition = Type.Object(
  {
    identifier: FileName('Names the file, and the results in it. Unique in the export, regardless of letter case.'),
    type: Type.Enum(['form', 'building-block']),
    key: Key,
    version: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
    buildingBlocks: optional(
      Type.Array(Type.Object({ key: Key, controlIds: ControlIds }, strict('ExportSelectionManifest')), {
        minItems: 1,
        maxItems: 200,
        description: 'Of a form only. If absent, all building blocks.',
      }),
    ),
    controlIds: ControlIds,
  },
  strict('ExportDefinitionManifest', 'Has the same members as a definition of a multi extract.'),
)

const ExportManifest = Type.Object(
  {
    key: FileName('Names the folder. Unique regardless of letter case.'),
    every: optional(
      Type.Integer({
        minimum: 60,
        maximum: 31_536_000,
        description: 'Seconds between two exports. Either this or dailyAt.',
      }),
    ),
    dailyAt: optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):[0-5]\\d$',
        description: 'HH:MM in the time zone. Either this or every.',
      }),
    ),
    timeZone: optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Time zone of dailyAt as an IANA name, such as Europe/Vienna. If absent, UTC.',
      }),
    ),
    mode: optional(
      Type.Enum(['full', 'incremental'], {
        default: 'full',
        description: 'Whether an export contains everything, or what has changed since the last one.',
      }),
    ),
    destination: Type.Enum([...exportDestinations], {
      description: 'The directory or the bucket that the installation provides for exports.',
    }),
    definitions: Type.Array(ExportDefinition, { minItems: 1, maxItems: 1_000 }),
  },
  strict('ExportManifest', 'A recurring extract, delivered as gzip-compressed NDJSON files.'),
)

/** Members of a receiver of single-pass forms. */
const receiver = {
  provider: optional(keyText({ description: 'Key of a glue provider, whose credentials and limits apply.' })),
  url: Template('Where each form is sent, as XML by POST. May be relative to the provider.'),
  headers: optional(Headers),
}
const ShortKey = Type.String({ pattern: shortKeyPattern, description: 'Key of the form.' })

/** The section `forms`: who may open single-pass forms, where they are sent, and what is exported. */
export const FormsManifest = Type.Object(
  {
    launch: optional(
      Type.Object(
        {
          openIdConnect: optional(OpenIdConnectManifest),
          openPageMinutes: optional(
            Type.Integer({
              minimum: 1,
              maximum: 1440,
              default: defaultLaunch.openPageMinutes,
              description:
                'How long a page that was opened with a token can be sent. A client of the platform must still be allowed to then; ' +
                'of other authorities nobody knows that, so a shorter time is the only bound.',
            }),
          ),
          frameAncestors: optional(
            Type.Array(
              Type.String({
                pattern: '^https?://[^\\s/;,\'"]+$',
                maxLength: 255,
                description: 'An origin such as https://portal.example.org.',
              }),
              {
                maxItems: 100,
                description: 'Origins whose pages may show forms in a frame, such as https://portal.example.org.',
              },
            ),
          ),
        },
        strict('LaunchManifest', 'Who may open single-pass forms: everybody, or users with a token of an authority.'),
      ),
    ),
    applications: optional(
      Type.Array(
        Type.String({
          pattern: '^https?://[^\\s/;,\'"*]+$',
          maxLength: 255,
          description: 'An origin such as https://portal.example.org.',
        }),
        {
          maxItems: 100,
          description:
            'Origins of the applications whose pages open forms with a token of their user, by posting it to sign-in or to launch. ' +
            'No other site can, so that nobody signs a visitor in as somebody else.',
        },
      ),
    ),
    delivery: optional(
      Type.Object(
        {
          ...receiver,
          forms: optional(
            Type.Array(Type.Object({ key: ShortKey, ...receiver }, strict('FormReceiverManifest')), {
              maxItems: 1_000,
              description: 'Forms that are sent elsewhere, by their keys.',
            }),
          ),
        },
        strict('FormDeliveryManifest'),
      ),
    ),
    exports: optional(Type.Array(ExportManifest, { maxItems: 100 })),
  },
  strict('FormsManifest'),
)
