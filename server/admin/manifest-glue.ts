import Type from 'typebox'
import { Key } from '../frame/shapes.js'

const Word = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$', description: 'A name that templates can say.' })
const UrlKey = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'Letters, digits and -.' })
const Text = (description: string) => Type.String({ minLength: 1, maxLength: 20_000, description })
const Template = (description: string) => Text(`Liquid. ${description}`)
const Expression = Type.String({
  minLength: 1,
  maxLength: 20_000,
  description: 'JSONata over request, steps and variables.',
})
const Templates = Type.Record(Type.String({ minLength: 1, maxLength: 255 }), Type.String({ maxLength: 20_000 }))
const strict = (id: string, description?: string) => ({
  $id: id,
  additionalProperties: false,
  ...(description ? { description } : {}),
})
const optional = Type.Optional

const ProviderManifest = Type.Object(
  {
    key: Key,
    url: Type.String({ maxLength: 2000, pattern: '^https?://[^\\s]+$', description: 'Base address of its calls.' }),
    authentication: optional(
      Type.Object(
        {
          authority: optional(Template('Issuer whose metadata names the token endpoint.')),
          tokenUrl: optional(Template('The token endpoint itself, in place of the authority.')),
          clientId: Template('Our client id there.'),
          clientSecret: Type.String({
            pattern: '^\\{\\{\\s*variables\\.[A-Za-z][A-Za-z0-9_]*\\s*\\}\\}$',
            description: 'Names a secret: {{ variables.name }}.',
          }),
          scope: optional(Template('Scopes asked for.')),
        },
        strict('ProviderAuthentication', 'OAuth 2.0 client credentials; every call carries the token.'),
      ),
    ),
    limits: optional(
      Type.Object(
        {
          requestsPerSecond: optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
          concurrency: optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Of one worker process.' })),
        },
        strict('ProviderLimits'),
      ),
    ),
    timeoutSeconds: optional(Type.Number({ exclusiveMinimum: 0, maximum: 300, default: 30 })),
    retrySeconds: optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: 900,
        description: 'How long a failing call is tried again.',
      }),
    ),
    maxAnswerMb: optional(Type.Integer({ minimum: 1, maximum: 100, default: 16 })),
  },
  strict('ProviderManifest', 'A system that endpoints call.'),
)

/** Exactly one member is given (see glue-faults.ts). */
const AuthenticationManifest = Type.Object(
  {
    openIdConnect: optional(
      Type.Object(
        {
          authority: Template('Issuer base URL, exactly as in `iss`.'),
          audiences: Template('Comma-separated; the token has any one.'),
          scopes: optional(Template('Comma-separated; the token has all.')),
        },
        { additionalProperties: false },
      ),
    ),
    clientCredentials: optional(Type.Object({}, { additionalProperties: false })),
    apiKey: optional(Type.Object({}, { additionalProperties: false })),
  },
  strict('EndpointAuthentication', 'One of them.'),
)

const HttpRequest = Type.Object(
  {
    provider: optional(Type.String({ maxLength: 255, description: 'Key; then its limits and token apply.' })),
    method: optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: 'GET' })),
    url: Template('Absolute, or relative to the provider.'),
    headers: optional(Templates),
    query: optional(Templates),
    body: optional(Template('Sent as JSON unless a header says otherwise.')),
    accept: optional(
      Type.Array(Type.Integer({ minimum: 300, maximum: 499 }), {
        description: 'Statuses besides 2xx that are no failure.',
      }),
    ),
  },
  strict('HttpRequestStep'),
)
const Jwt = Type.Object(
  {
    algorithm: Type.Enum(['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256']),
    key: Type.String({
      pattern: '^\\{\\{\\s*variables\\.[A-Za-z][A-Za-z0-9_]*\\s*\\}\\}$',
      description: 'Names a secret: a private key (PKCS #8 PEM or JWK), for HS256 the secret.',
    }),
    keyId: optional(Type.String({ maxLength: 255 })),
    claims: optional(Templates),
    expiresInSeconds: optional(Type.Integer({ minimum: 1, maximum: 86_400, default: 300 })),
  },
  strict('JwtStep'),
)
const Respond = Type.Object(
  {
    status: optional(Type.Integer({ minimum: 200, maximum: 599, default: 200 })),
    headers: optional(Templates),
    body: optional(Type.String({ maxLength: 100_000, description: 'Liquid: a text.' })),
    expression: optional(Expression),
  },
  strict('RespondStep', 'Either body or expression, or neither.'),
)
/** Exactly one member beside the name is given (see glue-faults.ts). */
const StepManifest = Type.Object(
  {
    name: Word,
    httpRequest: optional(HttpRequest),
    jwt: optional(Jwt),
    transform: optional(Type.Object({ expression: Expression }, { additionalProperties: false })),
    respond: optional(Respond),
  },
  strict('PipelineStep', 'What it does, and the name under which later steps read its output.'),
)

const EndpointManifest = Type.Object(
  {
    key: UrlKey,
    authentication: optional(
      Type.Array(AuthenticationManifest, { maxItems: 10, description: 'All must pass; without any it is open.' }),
    ),
    capability: optional(Type.Enum(['structuredData'])),
    steps: Type.Array(StepManifest, { minItems: 1, maxItems: 50 }),
  },
  strict('GlueEndpointManifest', 'Served at /glue/{tenantKey}/{key}.'),
)

const DataSourceManifest = Type.Object(
  {
    key: Key,
    subjectEndpoint: optional(Type.String({ description: 'Answers the data points of one subject.' })),
    pageEndpoint: optional(Type.String({ description: 'Answers those of all subjects, page by page.' })),
    pageSize: optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 500 })),
  },
  strict('DataSourceManifest'),
)

const DataExtractManifest = Type.Object(
  {
    key: Key,
    source: Type.String({ maxLength: 255, description: 'Key of a data source.' }),
    options: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Handed to the source's endpoints; data changes are matched with them.",
      }),
    ),
    refreshSeconds: optional(
      Type.Integer({
        minimum: 10,
        maximum: 31_536_000,
        description: 'Between two refreshes; absent: only when asked.',
      }),
    ),
  },
  strict('DataExtractManifest'),
)

/** Glue of a tenant: what its endpoints do, whom they call, and which data sets are kept. */
export const GlueManifest = Type.Object(
  {
    variables: optional(
      Type.Record(Word, Type.String({ maxLength: 20_000 }), { description: 'Read as variables.name.' }),
    ),
    secrets: optional(
      Type.Array(
        Type.Object(
          {
            name: Word,
            value: optional(
              Type.String({
                minLength: 1,
                maxLength: 20_000,
                description: 'Only written. Absent: the present one stays.',
              }),
            ),
          },
          strict('SecretManifest'),
        ),
        { description: 'Variables that are kept sealed.' },
      ),
    ),
    providers: optional(Type.Array(ProviderManifest)),
    endpoints: optional(Type.Array(EndpointManifest)),
    dataSources: optional(Type.Array(DataSourceManifest)),
    dataExtracts: optional(Type.Array(DataExtractManifest)),
  },
  strict('GlueManifest'),
)
