import Type from 'typebox'
import { scopes } from '../../runtime/scopes.js'
import { Key, Name } from '../frame/shapes.js'

const Permission = Type.String({
  pattern: '^(\\*|(\\*|[A-Z][A-Za-z]*):(\\*|[A-Z][A-Za-z]*))$',
  description: '`Action:Resource`; either may be `*`, and `*` alone is everything.',
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

const LimitsManifest = Type.Object(
  {
    requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1, description: 'Of one client; absent: no limit.' })),
    bulkMaxItems: Type.Optional(Type.Integer({ minimum: 1, description: 'Structural entities of one bulk request.' })),
  },
  { $id: 'LimitsManifest', additionalProperties: false },
)

/** All that a tenant is. What a manifest leaves out is taken away; unknown members are refused, so that a slip is seen. */
export const Manifest = Type.Object(
  {
    key: Type.Optional(Type.Intersect([Key, Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$' })])),
    name: Type.Optional(Name),
    clients: Type.Optional(Type.Array(ClientManifest)),
    limits: Type.Optional(LimitsManifest),
  },
  { $id: 'TenantManifest', additionalProperties: false },
)

export const Change = Type.Object(
  {
    path: Type.String({ description: 'JSON pointer; a client is named by its id.' }),
    change: Type.Enum(['created', 'updated', 'deleted']),
    before: Type.Optional(Type.Unknown()),
    after: Type.Optional(Type.Unknown()),
  },
  { $id: 'ManifestChange' },
)
