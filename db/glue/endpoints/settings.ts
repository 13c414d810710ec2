// The section `glue` of a tenant's manifest.
import type { Knex } from 'knex'
import { cached } from '../../../runtime/cache.js'
import type { Seal } from '../../../runtime/seal.js'
import type { Db, TenantId } from '../../connect.js'
import { type ChangeKind, type Feed, feedNames, feeds } from '../../feeds.js'

/** The section `glue` of a tenant's manifest. Texts marked "template" are Liquid, those marked "expression" JSONata. */
export interface GlueSettings {
  /** Texts that templates read as `variables.<name>`. */
  variables: Record<string, string>
  /** Names of sealed variables, which templates read in the same way. */
  secrets: string[]
  providers: Provider[]
  endpoints: GlueEndpoint[]
  dataSources: DataSource[]
  dataExtracts: DataExtract[]
  webhooks: Webhook[]
}

/** A system that endpoints call. */
export interface Provider {
  key: string
  /** Base address; a step's address is relative to it. */
  url: string
  authentication?: ClientCredentialsGrant | undefined
  limits: ProviderLimits
  /** One call, in seconds. */
  timeoutSeconds: number
  /** How long a failing call of a job is tried again before the job fails, in seconds. */
  retrySeconds: number
  /** Largest answer taken, in MB. */
  maxAnswerMb: number
}

/** Values of members that a manifest leaves out; its schema publishes the same. */
export const glueDefaults = {
  provider: { timeoutSeconds: 30, retrySeconds: 900, maxAnswerMb: 16 },
  dataSource: { pageSize: 500 },
  httpRequest: { method: 'GET' },
  jwt: { expiresInSeconds: 300 },
  respond: { status: 200 },
} as const

/** OAuth 2.0 client credentials of ours at a provider. Every member is a template; the secret names a sealed variable. */
export interface ClientCredentialsGrant {
  /** Issuer, whose metadata names the token endpoint; or that endpoint itself. */
  authority?: string | undefined
  tokenUrl?: string | undefined
  clientId: string
  clientSecret: string
  scope?: string | undefined
}

/** A provider with limits is called through a task queue of its own, which keeps them for all processes together. */
export interface ProviderLimits {
  requestsPerSecond?: number | undefined
  /** Calls at the same time, of one worker process. */
  concurrency?: number | undefined
}

/** How callers of an endpoint authenticate (spec glue-auth "Authentication"): one of the members. */
export interface AuthenticationMethod {
  openIdConnect?: OpenIdConnectMethod | undefined
  clientCredentials?: object | undefined
  apiKey?: object | undefined
}

/** Templates. Audiences and scopes are comma-separated. */
export interface OpenIdConnectMethod {
  authority: string
  audiences: string
  scopes?: string | undefined
}

export const hasLimits = ({ limits }: Provider): boolean => Object.keys(limits).length > 0

export interface GlueEndpoint {
  key: string
  /** All must pass; with none the endpoint is open to everybody. */
  authentication: AuthenticationMethod[]
  /** `structuredData`: it answers data points, see activities/glue/data/structured-data.ts. */
  capability?: 'structuredData' | undefined
  steps: PipelineStep[]
}

/** One of the members. Its output is what later steps read as `steps.<name>`. */
export interface PipelineStep {
  name: string
  httpRequest?: HttpRequestStep | undefined
  jwt?: JwtStep | undefined
  transform?: { expression: string } | undefined
  respond?: RespondStep | undefined
}

/** Its output is `{status, headers, body}`; a JSON body is parsed. */
export interface HttpRequestStep {
  provider?: string | undefined
  method: string
  /** The provider does the same, whether it gets the call once or several times. Absent: as the method says. */
  idempotent?: boolean | undefined
  /** Template; absolute, or relative to the provider's. */
  url: string
  /** Templates. */
  headers: Record<string, string>
  query: Record<string, string>
  /** Template. */
  body?: string | undefined
  /** Statuses besides 2xx that are an output like these; with any other the step fails. */
  accept: number[]
}

const idempotentMethods = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']

/** Whether a call may be made again after it may have been carried out (RFC 9110, 9.2.2). */
export const isIdempotent = ({ method, idempotent }: Pick<HttpRequestStep, 'method' | 'idempotent'>): boolean =>
  idempotent ?? idempotentMethods.includes(method)

/** Its output is a signed token. */
export interface JwtStep {
  algorithm: 'RS256' | 'PS256' | 'ES256' | 'EdDSA' | 'HS256'
  /** Template that names a sealed variable: a private key as PKCS #8 PEM or JWK, for HS256 the secret. */
  key: string
  keyId?: string | undefined
  /** Templates. */
  claims: Record<string, string>
  expiresInSeconds: number
}

/** Ends the pipeline. Either a text by template or JSON by expression. */
export interface RespondStep {
  status: number
  headers: Record<string, string>
  body?: string | undefined
  expression?: string | undefined
}

/** Where a data set comes from: endpoints with the capability structuredData. At least one is given. */
export interface DataSource {
  key: string
  /** Answers the data points of one subject. */
  subjectEndpoint?: string | undefined
  /** Answers those of all subjects, page by page. */
  pageEndpoint?: string | undefined
  /** Data points of one page. */
  pageSize: number
}

/** A data set that is kept for readers. */
export interface DataExtract {
  key: string
  source: string
  /** Handed to the source's endpoints; a data change says by paths into them which extracts it concerns. */
  options: Record<string, unknown>
  /** Seconds between two refreshes; absent: only when asked for. */
  refreshSeconds?: number | undefined
}

/** `subject.created` and its like: the feed, and the kind of the change. */
export type WebhookEvent = { [Of in Feed]: `${Of}.${ChangeKind<Of>}` }[Feed]

export const webhookEvents = Object.entries(feeds).flatMap(([feed, kinds]) =>
  kinds.map(kind => `${feed}.${kind}` as WebhookEvent),
)

/** The feeds whose changes a webhook takes. */
export const feedsOf = ({ events }: Pick<Webhook, 'events'>): Feed[] =>
  feedNames.filter(feed => events.some(event => event.startsWith(`${feed}.`)))

/** An address that gets events. */
export interface Webhook {
  key: string
  url: string
  events: WebhookEvent[]
  /** Names of sealed variables. Each event carries a signature with each, so that one can replace another. */
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

/** Whether the source of an extract answers for a single subject. */
export function isFetchedBySubject({ dataExtracts, dataSources }: GlueSettings, extractKey: string): boolean {
  const extract = dataExtracts.find(({ key }) => key === extractKey)
  return dataSources.find(({ key }) => key === extract?.source)?.subjectEndpoint !== undefined
}

/** A value of a sealed variable as the database keeps it. */
export interface SealedSecret {
  sealed: string
  /** Tells whether two values are the same without opening them. */
  mark: string
}

export const sealSecret = async (seal: Seal, value: string): Promise<SealedSecret> => ({
  sealed: await seal.seal(value),
  mark: seal.mark(value),
})

/** The settings as they are now. */
export async function glueSettings(db: Db, tenant: TenantId): Promise<GlueSettings> {
  const row = await db('glue_settings').where({ tenant_id: tenant }).first('settings')
  return row ? JSON.parse(row.settings) : noGlueSettings
}

/** The settings, and the values of all variables, opened. */
export interface OpenedGlue {
  settings: GlueSettings
  variables: Record<string, string>
}

export type GlueReader = (tenant: TenantId) => Promise<OpenedGlue>

/** Reads a tenant's glue through a cache, as grants are read: a manifest counts after at most `ttlMs`. */
export const createGlueReader = ({ db, seal, ttlMs = 2_000 }: { db: Knex; seal: Seal; ttlMs?: number }): GlueReader =>
  cached<TenantId, OpenedGlue>(
    async (tenant, last) => {
      const [settings, sealed] = await Promise.all([glueSettings(db, tenant), readSecrets(db, tenant)])
      const before = await last?.catch(() => undefined)
      const opened = await Promise.all(
        [...sealed].map(async ([name, secret]) => [name, await seal.open(secret.sealed)] as const),
      )
      const variables = { ...settings.variables, ...Object.fromEntries(opened) }
      // The same object while nothing has changed: what was parsed of it is kept by it.
      const isSame = before && JSON.stringify(before) === JSON.stringify({ settings, variables })
      return isSame ? before : { settings, variables }
    },
    { ttlMs },
  )

/** The sealed variables, by name. */
export async function readSecrets(db: Db, tenant: TenantId): Promise<Map<string, SealedSecret>> {
  const rows: ({ name: string } & SealedSecret)[] = await db('glue_secrets')
    .where({ tenant_id: tenant })
    .orderBy('name')
    .select('name', 'sealed', 'mark')
  return new Map(rows.map(({ name, sealed, mark }) => [name, { sealed, mark }]))
}
