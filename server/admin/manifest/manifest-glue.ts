// The schema of a manifest's section `glue`.
import Type from 'typebox'
import { glueDefaults as defaults, webhookEvents } from '../../../db/glue/endpoints/settings.js'
import { Key, keyText } from '../../../runtime/schema/key.js'

const Word = Type.String({
  pattern: '^[A-Za-z][A-Za-z0-9_]{0,63}$',
  description: 'A letter, then letters, digits and _: 64 at most.',
})
const UrlKey = Type.String({ pattern: '^[A-Za-z0-9-]{1,64}$', description: 'Letters, digits and -: 64 at most.' })
const Text = (description: string) => Type.String({ minLength: 1, maxLength: 20_000, description })
export const Template = (description: string) => Text(`Liquid. ${description}`)
const Expression = Type.String({
  minLength: 1,
  maxLength: 20_000,
  description: 'JSONata over request, steps and variables.',
})
const SecretName = (description: string) =>
  Type.String({
    pattern: '^\\{\\{\\s*variables\\.[A-Za-z][A-Za-z0-9_]*\\s*\\}\\}$',
    description: `Names a secret, as {{ variables.name }}${description}.`,
  })
const templatesBy = (names: string) =>
  Type.Record(Type.String({ pattern: names }), Type.String({ maxLength: 20_000 }), {
    additionalProperties: false,
    maxProperties: 100,
  })
export const Headers = templatesBy("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,255}$")
const Named = templatesBy('^[^\\p{C}]{1,255}$')
export const strict = (id: string, description?: string) => ({
  $id: id,
  additionalProperties: false,
  ...(description ? { description } : {}),
})
const optional = Type.Optional

const ProviderManifest = Type.Object(
  {
    key: Key,
    url: Type.String({
      maxLength: 2000,
      pattern: '^https?://[^\\s]+$',
      description: 'Base address of its calls: https://….',
    }),
    alsoKnownAs: optional(
      Type.Array(
        Type.String({ maxLength: 2000, pattern: '^https?://[^\\s]+$', description: 'A base address: http://….' }),
        {
          maxItems: 10,
          description:
            'Other base addresses that it writes into its links, such as http://backend:8080/api behind a proxy. A link there ' +
            'is followed below url.',
        },
      ),
    ),
    authentication: optional(
      Type.Object(
        {
          authority: optional(Template('Issuer whose metadata names the token endpoint.')),
          tokenUrl: optional(Template('The token endpoint itself, in place of the authority.')),
          clientId: Template('Our client id at the provider.'),
          clientSecret: SecretName(''),
          scope: optional(Template('Scopes asked for.')),
        },
        strict('ProviderAuthentication', 'OAuth 2.0 client credentials; every call carries the token.'),
      ),
    ),
    limits: optional(
      Type.Object(
        {
          requestsPerSecond: optional(Type.Number({ exclusiveMinimum: 0, maximum: 10_000 })),
          concurrency: optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Calls at the same time.' })),
        },
        strict('ProviderLimits'),
      ),
    ),
    timeoutSeconds: optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 300, default: defaults.provider.timeoutSeconds }),
    ),
    retrySeconds: optional(
      Type.Integer({
        minimum: 0,
        maximum: 604_800,
        default: defaults.provider.retrySeconds,
        description: 'How long a failing call of a job is retried.',
      }),
    ),
    maxAnswerMb: optional(Type.Integer({ minimum: 1, maximum: 100, default: defaults.provider.maxAnswerMb })),
  },
  strict('ProviderManifest', 'A system that endpoints call.'),
)

/** Accepts users who have a token of an authority. */
export const OpenIdConnectManifest = Type.Object(
  {
    authority: Template('Issuer base URL, exactly as in `iss`.'),
    audiences: Template('Comma-separated. The token must have any one.'),
    scopes: optional(Template('Comma-separated. The token must have all.')),
  },
  { additionalProperties: false },
)

/** Exactly one member is set; glue-faults.ts checks that. */
const AuthenticationManifest = Type.Object(
  {
    openIdConnect: optional(OpenIdConnectManifest),
    clientCredentials: optional(Type.Object({}, { additionalProperties: false })),
    apiKey: optional(Type.Object({}, { additionalProperties: false })),
  },
  strict('EndpointAuthentication', 'Exactly one member.'),
)

const HttpRequest = Type.Object(
  {
    provider: optional(keyText({ description: 'Key of a provider, whose limits and credentials apply.' })),
    method: optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { default: defaults.httpRequest.method })),
    idempotent: optional(
      Type.Boolean({
        description:
          'Whether repeating the call does no harm at the provider, for instance because it honours Idempotency-Key. ' +
          'If true, the call is retried even if it may have been carried out. If absent, true except for POST and PATCH.',
      }),
    ),
    url: Template('Absolute, or relative to the provider.'),
    headers: optional(Headers),
    query: optional(Named),
    body: optional(Template('Sent as JSON unless a header says otherwise.')),
    accept: optional(
      Type.Array(Type.Integer({ minimum: 300, maximum: 499 }), {
        description: 'Statuses besides 2xx that count as success.',
      }),
    ),
    expect: optional(
      Type.Enum(['json', 'any'], {
        description:
          'json: an answer of 2xx that is not JSON fails the step, whatever its content type says. ' +
          'If absent, json if a later step reads members of the body (steps.name.body.member), any otherwise.',
      }),
    ),
  },
  strict('HttpRequestStep'),
)
const Jwt = Type.Object(
  {
    algorithm: Type.Enum(['RS256', 'PS256', 'ES256', 'EdDSA', 'HS256']),
    key: SecretName(': a private key (PKCS #8 PEM or JWK), or the secret of HS256'),
    keyId: optional(Type.String({ maxLength: 255 })),
    claims: optional(Named),
    expiresInSeconds: optional(Type.Integer({ minimum: 1, maximum: 86_400, default: defaults.jwt.expiresInSeconds })),
  },
  strict('JwtStep'),
)
const Respond = Type.Object(
  {
    status: optional(Type.Integer({ minimum: 200, maximum: 599, default: defaults.respond.status })),
    headers: optional(Headers),
    body: optional(Type.String({ maxLength: 100_000, description: 'Liquid. The answer as text.' })),
    expression: optional(Expression),
    rows: optional(
      Type.String({
        maxLength: 1000,
        pattern: '^steps(\\.([A-Za-z_][A-Za-z0-9_]*|`[^`]+`))+$',
        description:
          'For the capability structuredData: path of the list of rows, such as steps.registry.body.items. An answer ' +
          'without it is a failure. Names that are no words stand in backticks.',
      }),
    ),
    row: optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        description:
          'JSONata that makes a data point of one row. Names are those of the row; $$ is request, steps and variables. ' +
          'If absent, the rows are data points.',
      }),
    ),
    next: optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        description: 'JSONata for the cursor of the next page; no value after the last one.',
      }),
    ),
    total: optional(
      Type.String({
        minLength: 1,
        maxLength: 20_000,
        description:
          'JSONata for the number of rows on all pages. If pages say different numbers, or have another number of rows, ' +
          'the refresh fails with pages-drifted.',
      }),
    ),
  },
  strict('RespondStep', 'One of body, expression and rows, or none. row, next and total belong to rows.'),
)
/** Exactly one member besides the name is set; glue-faults.ts checks that. */
const StepManifest = Type.Object(
  {
    name: Word,
    httpRequest: optional(HttpRequest),
    jwt: optional(Jwt),
    transform: optional(Type.Object({ expression: Expression }, { additionalProperties: false })),
    respond: optional(Respond),
  },
  strict('PipelineStep', 'The name under which later steps read the output, and exactly one other member.'),
)

const EndpointManifest = Type.Object(
  {
    key: UrlKey,
    authentication: optional(
      Type.Array(AuthenticationManifest, {
        maxItems: 10,
        description: 'A caller must pass all. If empty, the endpoint is public.',
      }),
    ),
    capability: optional(Type.Enum(['structuredData'])),
    durable: optional(
      Type.Boolean({
        description:
          'Whether each call is a run in Temporal, which survives the end of our process and can be inspected. Always ' +
          'so if a step calls a provider with limits, or is neither a GET nor a POST that says idempotent; otherwise, if ' +
          'absent, the steps run within the request.',
      }),
    ),
    steps: Type.Array(StepManifest, { minItems: 1, maxItems: 50 }),
  },
  strict('GlueEndpointManifest', 'Served at /glue/{tenantKey}/{key}.'),
)

const DataSourceManifest = Type.Object(
  {
    key: Key,
    subjectEndpoint: optional(Type.String({ description: 'Endpoint that returns the data points of one subject.' })),
    pageEndpoint: optional(Type.String({ description: 'Endpoint that returns those of all subjects, page by page.' })),
    pageSize: optional(Type.Integer({ minimum: 1, maximum: 10_000, default: defaults.dataSource.pageSize })),
  },
  strict('DataSourceManifest'),
)

const DataExtractManifest = Type.Object(
  {
    key: Key,
    source: keyText({ description: 'Key of a data source.' }),
    options: optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "Passed to the source's endpoints. Data changes are matched against them.",
      }),
    ),
    refreshSeconds: optional(
      Type.Integer({
        minimum: 10,
        maximum: 31_536_000,
        description: 'Seconds between two refreshes. If absent, only on request.',
      }),
    ),
    mostVanished: optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        default: defaults.dataExtract.mostVanished,
        description:
          'How many per cent of at least 20 visible rows a refresh may lose. If more would vanish, the old rows stay and ' +
          'the job fails with too-many-vanished. 100 lets all of them go.',
      }),
    ),
  },
  strict('DataExtractManifest'),
)

const WebhookManifest = Type.Object(
  {
    key: UrlKey,
    url: Type.String({ maxLength: 2000, pattern: '^https?://[^\\s]+$', description: 'The receiver: https://….' }),
    events: Type.Array(Type.Enum([...webhookEvents]), { minItems: 1, uniqueItems: true }),
    secrets: Type.Array(Word, {
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
      description: 'Names of secrets, each whsec_ followed by 24 to 64 bytes in base64. Two during a rotation.',
    }),
  },
  strict('WebhookManifest', 'An address that is sent events, signed as Standard Webhooks specifies.'),
)

/** A tenant's glue: its endpoints, the providers they call, and the data sets. */
export const GlueManifest = Type.Object(
  {
    variables: optional(
      Type.Record(Word, Type.String({ maxLength: 20_000 }), {
        additionalProperties: false,
        maxProperties: 1000,
        description: 'Templates and expressions read them as variables.name.',
      }),
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
                description: 'Never returned. If absent, the present value stays, unless a host is new.',
              }),
            ),
            hosts: optional(
              Type.Array(
                Type.String({
                  maxLength: 260,
                  pattern: '^([a-z0-9._-]+|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?$',
                  description: 'A host in lower case, with its port if that is not the usual one: api.example:8443.',
                }),
                {
                  maxItems: 20,
                  uniqueItems: true,
                  description:
                    'The only hosts that the value is sent to. A secret that only signs, for jwt or a webhook, needs none.',
                },
              ),
            ),
          },
          strict('SecretManifest'),
        ),
        { maxItems: 200, description: 'Variables that are stored encrypted and never shown to callers.' },
      ),
    ),
    providers: optional(Type.Array(ProviderManifest, { maxItems: 200 })),
    endpoints: optional(Type.Array(EndpointManifest, { maxItems: 1000 })),
    dataSources: optional(Type.Array(DataSourceManifest, { maxItems: 500 })),
    dataExtracts: optional(Type.Array(DataExtractManifest, { maxItems: 500 })),
    webhooks: optional(Type.Array(WebhookManifest, { maxItems: 50 })),
  },
  strict('GlueManifest'),
)
