// The section `glue` of a tenant's manifest.
import type { Knex } from 'knex'
import { cached } from '../../../runtime/load/cache.js'
import type { Seal, SealedFor } from '../../../runtime/secrets/seal.js'
import type { Db, TenantId } from '../../connect.js'
import { type ChangeKind, type Feed, feedNames, feeds } from '../../feeds.js'

/** The section `glue` of a tenant's manifest. Texts marked "template" are Liquid, those marked "expression" JSONata. */
export interface GlueSettings {
  /** Plain values that templates read as `variables.<name>`. */
  variables: Record<string, string>
  /** Sealed variables, which templates read as `variables.<name>` too. */
  secrets: SecretSettings[]
  providers: Provider[]
  endpoints: GlueEndpoint[]
  dataSources: DataSource[]
  dataExtracts: DataExtract[]
  webhooks: Webhook[]
}

/** A sealed variable without its value. */
export interface SecretSettings {
  name: string
  /** The only hosts that its value may be sent to: `host`, or `host:port` for other ports than that of the scheme. */
  hosts: string[]
}

/** A system that endpoints call. */
export interface Provider {
  key: string
  /** Base address; a step's address is relative to it. */
  url: string
  /** Other base addresses that the provider writes into its links, for instance because it is behind a proxy. */
  alsoKnownAs: string[]
  authentication?: ClientCredentialsGrant | undefined
  limits: ProviderLimits
  /** Time limit of one call. */
  timeoutSeconds: number
  /** How long a job retries a failing call before the job fails. */
  retrySeconds: number
  /** Size limit of an answer. */
  maxAnswerMb: number
}

/** Values used for members that a manifest leaves out. The manifest's JSON schema publishes the same values. */
export const glueDefaults = {
  provider: { timeoutSeconds: 30, retrySeconds: 900, maxAnswerMb: 16 },
  dataSource: { pageSize: 500 },
  dataExtract: { mostVanished: 50 },
  httpRequest: { method: 'GET' },
  jwt: { expiresInSeconds: 300 },
  respond: { status: 200 },
} as const

/**
 * OAuth 2.0 client credentials with which we authenticate at a provider. Each member is a template; the secret must
 * come from a sealed variable.
 */
export interface ClientCredentialsGrant {
  /** The issuer, whose metadata names the token endpoint. Either this or `tokenUrl` is set. */
  authority?: string | undefined
  tokenUrl?: string | undefined
  clientId: string
  clientSecret: string
  scope?: string | undefined
}

/**
 * Limits of the calls to a provider. A provider with limits has a task queue of its own, through which the limits hold
 * for all processes together.
 */
export interface ProviderLimits {
  requestsPerSecond?: number | undefined
  /** Calls at the same time. */
  concurrency?: number | undefined
}

/**
 * One way in which callers of an endpoint authenticate (spec glue-auth "Authentication"). Exactly one member is set.
 */
export interface AuthenticationMethod {
  openIdConnect?: OpenIdConnectMethod | undefined
  clientCredentials?: object | undefined
  apiKey?: object | undefined
}

/** Every member is a template. Audiences and scopes are comma-separated. */
export interface OpenIdConnectMethod {
  authority: string
  audiences: string
  scopes?: string | undefined
}

export const hasLimits = ({ limits }: Provider): boolean => Object.keys(limits).length > 0

export interface GlueEndpoint {
  key: string
  /** A caller must pass all of them. Without any, the endpoint is public. */
  authentication: AuthenticationMethod[]
  /** `structuredData`: the endpoint returns data points. Its last step says where they are, see {@link RespondStep.rows}. */
  capability?: 'structuredData' | undefined
  /** If true, each call is a run in Temporal, even if the steps only read. */
  durable?: boolean | undefined
  steps: PipelineStep[]
}

/**
 * A step of an endpoint's pipeline. Exactly one member besides the name is set. Later steps read its output as
 * `steps.<name>`.
 */
export interface PipelineStep {
  name: string
  httpRequest?: HttpRequestStep | undefined
  jwt?: JwtStep | undefined
  transform?: { expression: string } | undefined
  respond?: RespondStep | undefined
}

/** Calls a provider. The output is `{status, headers, body}`, where a JSON body is parsed. */
export interface HttpRequestStep {
  provider?: string | undefined
  method: string
  /** True if repeating the call does no harm at the provider. If absent, the method decides. */
  idempotent?: boolean | undefined
  /** Template. Either absolute, or relative to the provider's base address. */
  url: string
  /** Values are templates, as those of `query`. */
  headers: Record<string, string>
  query: Record<string, string>
  /** Template. */
  body?: string | undefined
  /** Statuses besides 2xx that count as success. Any other status fails the step. */
  accept: number[]
  /** Whether the body of a 2xx must be JSON. If absent, {@link expectsJson} decides. */
  expect?: 'json' | 'any' | undefined
}

const idempotentMethods = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']

/** Tells whether a call may be repeated although an earlier attempt may have reached the provider (RFC 9110, 9.2.2). */
export const isIdempotent = ({ method, idempotent }: Pick<HttpRequestStep, 'method' | 'idempotent'>): boolean =>
  idempotent ?? idempotentMethods.includes(method)

/**
 * Tells whether an endpoint answers within the request, without a run in Temporal: each of its calls is a GET, or a POST
 * that may be repeated, and no provider of them has limits, which hold for all processes together.
 */
export const isDirect = ({ providers }: GlueSettings, { durable, steps }: GlueEndpoint): boolean =>
  !durable &&
  steps.every(({ httpRequest: call }) => {
    if (!call) return true
    const provider = providers.find(({ key }) => key === call.provider)
    return ['GET', 'POST'].includes(call.method) && isIdempotent(call) && !(provider && hasLimits(provider))
  })

/**
 * Tells whether the answer of a call must be JSON: as `expect` says, or else if a later step reads members of its body.
 * @param later the steps behind it.
 */
export const expectsJson = ({ name, httpRequest }: PipelineStep, later: readonly PipelineStep[]): boolean =>
  httpRequest?.expect === undefined
    ? new RegExp(`steps\\.${name}\\.body(?:\\s|\\\\n)*[.[^@#]`).test(JSON.stringify(later))
    : httpRequest.expect === 'json'

/** Signs a JSON Web Token, which is the step's output. */
export interface JwtStep {
  algorithm: 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'HS256'
  /** Template that names a sealed variable: a private key as PKCS #8 PEM or JWK or, for HS256, the secret. */
  key: string
  keyId?: string | undefined
  /** Values are templates. */
  claims: Record<string, string>
  expiresInSeconds: number
}

/**
 * Ends the pipeline with an answer: a text by the template `body`, JSON by the `expression`, or, at an endpoint with the
 * capability structuredData, a page of data points.
 */
export interface RespondStep {
  status: number
  headers: Record<string, string>
  body?: string | undefined
  expression?: string | undefined
  /** Path of the list of rows, such as `steps.registry.body.items`. It must exist, because absence is not emptiness. */
  rows?: string | undefined
  /** Expression that makes a data point of one row, which it reads as its context. If absent, rows are data points. */
  row?: string | undefined
  /** Expression for the cursor of the next page. */
  next?: string | undefined
  /** Expression for the number of rows on all pages, by which pages that were cut or have shifted are noticed. */
  total?: string | undefined
}

/** Where the rows of a data set come from. At least one endpoint, with the capability structuredData, is set. */
export interface DataSource {
  key: string
  /** Returns the data points of one subject. */
  subjectEndpoint?: string | undefined
  /** Returns the data points of all subjects, page by page. */
  pageEndpoint?: string | undefined
  /** Data points of one page. */
  pageSize: number
}

/** A data set, as the manifest defines it. */
export interface DataExtract {
  key: string
  source: string
  /** Passed to the source's endpoints. A data change names paths into the options to say which extracts it concerns. */
  options: Record<string, unknown>
  /** Seconds between two refreshes. If absent, the data set is refreshed only on request. */
  refreshSeconds?: number | undefined
  /** How many per cent of the visible rows a refresh may lose. If more vanished, the old rows stay. */
  mostVanished: number
}

/** A webhook event, such as `subject.created`: the feed and the kind of change. */
export type WebhookEvent = { [Of in Feed]: `${Of}.${ChangeKind<Of>}` }[Feed]

export const webhookEvents = Object.entries(feeds).flatMap(([feed, kinds]) =>
  kinds.map(kind => `${feed}.${kind}` as WebhookEvent),
)

/** Returns the feeds that a webhook's events come from. */
export const feedsOf = ({ events }: Pick<Webhook, 'events'>): Feed[] =>
  feedNames.filter(feed => events.some(event => event.startsWith(`${feed}.`)))

/** An address that is sent events. */
export interface Webhook {
  key: string
  url: string
  events: WebhookEvent[]
  /** Names of sealed variables. Each event carries one signature per secret, so that a secret can be rotated. */
  secrets: string[]
}

export const noGlueSettings: GlueSettings = {
  variables: {},
  secrets: [],
  providers: [],
  endpoints: [],
  dataSources: [],
  dataExtracts: [],
  webhooks: [],
}

/** Tells whether the source of an extract can be asked for a single subject. */
export function isFetchedBySubject({ dataExtracts, dataSources }: GlueSettings, extractKey: string): boolean {
  const extract = dataExtracts.find(({ key }) => key === extractKey)
  return dataSources.find(({ key }) => key === extract?.source)?.subjectEndpoint !== undefined
}

/** A sealed variable's value, as the database stores it. */
export interface SealedSecret {
  sealed: string
  /** Keyed hash of the value, which tells whether two values are equal without opening them. */
  mark: string
}

const sealedFor = (tenantKey: string, name: string): SealedFor => ({ purpose: 'secret', tenantKey, name })

/** Seals the value of a tenant's secret together with its hosts, so that nobody can change these in the database. */
export function sealSecret(seal: Seal, tenantKey: string, name: string, secret: Secret): SealedSecret {
  const what = sealedFor(tenantKey, name)
  return { sealed: seal.seal(what, JSON.stringify(secret)), mark: seal.mark(what, secret.value) }
}

/** Returns the tenant's present settings. */
export async function glueSettings(db: Db, tenant: TenantId): Promise<GlueSettings> {
  const row = await db('glue_settings').where({ tenant_id: tenant }).first('settings')
  return row ? JSON.parse(row.settings) : noGlueSettings
}

/** A secret with its value. */
export interface Secret {
  value: string
  /** The only hosts that the value may be sent to. */
  hosts: string[]
}

/** The settings together with the secrets by name. */
export interface OpenedGlue {
  settings: GlueSettings
  secrets: Record<string, Secret>
}

export type GlueReader = (tenant: TenantId) => Promise<OpenedGlue>

/** Creates a reader of tenants' glue settings that caches them. A new manifest takes effect within `ttlMs`. */
export const createGlueReader = ({ db, seal, ttlMs = 2_000 }: { db: Knex; seal: Seal; ttlMs?: number }): GlueReader =>
  cached<TenantId, OpenedGlue>(
    async (tenant, last) => {
      const [settings, sealed, { tenant_key: tenantKey }] = await Promise.all([
        glueSettings(db, tenant),
        readSecrets(db, tenant),
        db('tenants').where({ id: tenant }).first('tenant_key'),
      ])
      const before = await last?.catch(() => undefined)
      const opened = settings.secrets.flatMap(({ name, hosts }) => {
        const stored = sealed.get(name)
        if (!stored) return []
        const secret: Secret = JSON.parse(seal.open(sealedFor(tenantKey, name), stored.sealed))
        // A manifest can take hosts away without the value, but it cannot add any.
        return [[name, { ...secret, hosts: hosts.filter(host => secret.hosts.includes(host)) }] as const]
      })
      const secrets = Object.fromEntries(opened)
      // Returns the same object while nothing has changed, because parsed templates are cached by it.
      const isSame = before && JSON.stringify(before) === JSON.stringify({ settings, secrets })
      return isSame ? before : { settings, secrets }
    },
    { ttlMs },
  )

/** Returns the tenant's sealed variables by name, still sealed. */
export async function readSecrets(db: Db, tenant: TenantId): Promise<Map<string, SealedSecret>> {
  const rows: ({ name: string } & SealedSecret)[] = await db('glue_secrets')
    .where({ tenant_id: tenant })
    .orderBy('name')
    .select('name', 'sealed_value as sealed', 'mark')
  return new Map(rows.map(({ name, sealed, mark }) => [name, { sealed, mark }]))
}
