// The settings of all processes, read from the environment.
import Type, { type Static, type TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { type IsProxy, trustedProxies } from './caller-address.js'
import { readDatabaseUrl } from './database-url.js'
import { isLoopback } from './loopback.js'
import { minHashCost, standardHashCost } from './secrets.js'

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const withDefault = (description: string, fallback: string) =>
  Type.String({ minLength: 1, description, default: fallback })

const allowedHost = String.raw`\s*([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?\s*`

/** Every environment variable the processes read: the whole list, with its meaning. docs/operations.md shows the same table. */
export const Environment = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'Port of the API, and of the router.' }),
  WORKER_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65535,
      description: 'Port of a worker for /health/live and /metrics. Without it a worker does not listen.',
    }),
  ),
  WORKER_QUEUES: Type.String({
    pattern: '^(background|calls)(, ?(background|calls))?$',
    default: 'background,calls',
    description: 'Queues that a worker takes, comma-separated: background, calls, or both.',
  }),
  WORKER_VERSIONING: Type.Boolean({
    default: false,
    description: 'Runs belong to the build that they begin in or are moved to (Worker Deployments of Temporal).',
  }),
  HOST: withDefault('Address the API, the router and a worker listen on.', '127.0.0.1'),
  PUBLIC_URL: text('Address callers use. Default http://127.0.0.1:$PORT.'),
  DATABASE_URL: Type.String({
    pattern: '^mysql://',
    description: 'mysql://user:password@host:port/database, with TLS: ?ssl-mode=VERIFY_IDENTITY&ssl-ca=/path/ca.pem',
  }),
  DATABASE_POOL_SIZE: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 20,
    description: 'Connections of one process.',
  }),
  DATABASE_REPLICA_URLS: text('Replicas of the database that lists and extracts read: addresses, comma-separated.'),
  DATABASE_REPLICA_MAX_LAG_SECONDS: Type.Number({
    minimum: 0.5,
    maximum: 60,
    default: 2,
    description: 'How far a replica may be behind and still be read.',
  }),
  CELL_NAME: Type.String({
    pattern: '^[A-Za-z0-9_-]{1,64}$',
    default: 'main',
    description: 'Name of this installation among those that tenants move between.',
  }),
  CELL_URLS: Type.Optional(
    Type.String({
      pattern: String.raw`^[A-Za-z0-9_-]{1,64}=https?://[^\s]+( [A-Za-z0-9_-]{1,64}=https?://[^\s]+)*$`,
      description: 'Cells that tenants may move to, of the router all cells: name=address, separated by blanks.',
    }),
  ),
  CELL_DATABASE_URLS: Type.Optional(
    Type.String({
      pattern: String.raw`^[A-Za-z0-9_-]{1,64}=mysql://[^\s]+( [A-Za-z0-9_-]{1,64}=mysql://[^\s]+)*$`,
      description: 'Databases of these cells, for workers and router: name=DATABASE_URL, separated by blanks.',
    }),
  ),
  TEMPORAL_ADDRESS: withDefault('host:port of the frontend.', '127.0.0.1:7233'),
  TEMPORAL_NAMESPACE: withDefault('Temporal namespace.', 'default'),
  TEMPORAL_TLS: Type.Boolean({ default: false, description: 'Connect to Temporal with TLS.' }),
  TEMPORAL_API_KEY: Type.Optional(Type.String({ description: 'API key of a hosted Temporal; implies TLS.' })),
  TEMPORAL_UI_URL: withDefault('For links to runs, and the one origin that may decode.', 'http://127.0.0.1:8233'),
  TEMPORAL_CODEC_LOCAL_UI: Type.Boolean({
    default: false,
    description:
      'The Temporal UI on this machine decodes without a token; only where HOST and PUBLIC_URL are loopback.',
  }),
  TEMPORAL_ACCEPT_UNBOUND: Type.Boolean({
    default: false,
    description:
      'Also takes payloads of Temporal that are not sealed for their run: only until runs from before have ended.',
  }),
  IDENTITY_AUTHORITY: text('Issuer of tokens. Default $PUBLIC_URL/identity, our own.'),
  IDENTITY_AUDIENCE: withDefault('Audience a token must carry.', 'armature'),
  ENCRYPTION_KEY: Type.String({
    pattern: '^[A-Za-z0-9+/]{43}=$',
    description: '32 bytes in base64; seals secrets at rest and what crosses to Temporal.',
  }),
  ENCRYPTION_KEYS_OLD: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9+/]{43}=(, ?[A-Za-z0-9+/]{43}=)*$',
      description: 'Keys that were ENCRYPTION_KEY before, separated by commas; they still open what they sealed.',
    }),
  ),
  SECRET_HASH_COST: Type.Integer({
    minimum: minHashCost,
    maximum: 131_072,
    default: standardHashCost,
    description: `N of scrypt for new secrets of clients, a power of two; below ${standardHashCost} only where HOST and PUBLIC_URL are loopback.`,
  }),
  NODE_ENV: text('production: nothing starts that is for a demonstration alone.'),
  DEMO_TENANTS: Type.Optional(
    Type.Literal('yes', {
      description: 'yes: the demo tenants, with their published secrets, also where others can reach them.',
    }),
  ),
  TRUSTED_PROXIES: text('Proxies whose X-Forwarded-For is believed: addresses and CIDR ranges, comma-separated.'),
  WRONG_CREDENTIALS_PER_MINUTE: Type.Integer({
    minimum: 1,
    default: 600,
    description: 'Wrong secrets, and wrong tokens and keys, that an address may send before it has to wait.',
  }),
  CORS_ORIGINS: Type.Optional(
    Type.String({
      pattern: String.raw`^https?://[^\s/,]+(, ?https?://[^\s/,]+)*$`,
      description: 'Origins whose pages may call the API from a browser (CORS), comma-separated.',
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'].map(level => Type.Literal(level)),
    { default: 'info', description: 'Least severe log line written.' },
  ),
  JOB_WAIT_SECONDS: Type.Number({
    minimum: 0,
    maximum: 600,
    default: 60,
    description: 'How long a call waits for its job.',
  }),
  DRAIN_SECONDS: Type.Number({
    minimum: 0,
    maximum: 600,
    default: 0,
    description: 'How long the API or the router goes on serving, not ready, after it was asked to stop.',
  }),
  JOB_RETENTION_DAYS: Type.Number({
    minimum: 1,
    default: 30,
    description: 'How long a job that has ended, and its Idempotency-Key, is kept.',
  }),
  STUCK_RUN_MINUTES: Type.Number({
    minimum: 0.1,
    default: 60,
    description: 'How long a run may fail again and again at the same place before it is ended.',
  }),
  BULK_MAX_ITEMS: Type.Integer({
    minimum: 1,
    default: 100_000,
    description: 'Structural entities in one bulk request.',
  }),
  HIERARCHY_MAX_DEPTH: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    default: 1_000,
    description: 'Greatest depth of a structural entity; a root has 1.',
  }),
  RECORD_MAX_MB: Type.Integer({
    minimum: 1,
    maximum: 1024,
    default: 25,
    description: 'Largest file of a subject record.',
  }),
  RECORD_STORAGE: Type.Union([Type.Literal('mysql'), Type.Literal('s3')], {
    default: 'mysql',
    description: 'Where files of subject records go: mysql or s3.',
  }),
  IMPORT_MAX_MB: Type.Integer({
    minimum: 1,
    maximum: 102_400,
    default: 5_120,
    description: 'Largest upload of an import, inflated.',
  }),
  S3_BUCKET: text('Bucket for the files; it must exist.'),
  EXPORT_DIRECTORY: Type.Optional(
    Type.String({ pattern: '^/', description: 'Directory for exports of forms, an absolute path; it must exist.' }),
  ),
  EXPORT_BUCKET: text('Bucket for exports of forms, reached as S3_BUCKET is; it must exist.'),
  S3_ENDPOINT: text('Address of an S3-compatible service. Default: Amazon S3.'),
  S3_REGION: withDefault('Region of the bucket.', 'us-east-1'),
  S3_ACCESS_KEY_ID: text('Id of the access key. Default: what the machine provides (its role).'),
  S3_SECRET_ACCESS_KEY: text('Secret of the access key.'),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://[^\\s/]',
      description: 'smtp://user:password@host:port; without it no mail is sent.',
    }),
  ),
  SMTP_FROM: Type.Optional(
    Type.String({
      pattern: '[^\\s@]@[^\\s@]',
      description: 'Sender of mails, needed with SMTP_URL: Name <user@host>.',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Collector that gets traces (OTLP over HTTP); without it none are made.',
    }),
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: Type.Literal('http/protobuf', {
    default: 'http/protobuf',
    description: 'How traces are sent: http/protobuf, to port 4318 of most collectors.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: text('Headers for the collector, such as an API key: name=value, comma-separated.'),
  OTEL_SERVICE_NAME: text('Name of the process in traces. Default: armature-api, armature-worker, armature-router.'),
  OTEL_RESOURCE_ATTRIBUTES: text('Further attributes of the process in traces: name=value, comma-separated.'),
  OTEL_TRACES_SAMPLER: Type.Union(
    ['always_on', 'always_off', 'traceidratio'].flatMap(root => [
      Type.Literal(root),
      Type.Literal(`parentbased_${root}`),
    ]),
    { default: 'parentbased_always_on', description: 'Which traces are kept: all, none, or a share of them.' },
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'The share, with a sampler of ratios.' }),
  ),
  OUTBOUND_ALLOW: Type.Optional(
    Type.String({
      pattern: `^${allowedHost}(,${allowedHost})*$`,
      description: 'Hosts, or host:port, that tenants may call over http and at private addresses; comma-separated.',
    }),
  ),
})

/** The settings of the router: it has no key and no database of its own. */
export const RouterEnvironment = Type.Object({
  ...Type.Pick(Environment, [
    'PORT',
    'HOST',
    'TRUSTED_PROXIES',
    'LOG_LEVEL',
    'DRAIN_SECONDS',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
  ]).properties,
  CELL_URLS: Type.Required(Type.Pick(Environment, ['CELL_URLS'])).properties.CELL_URLS,
  CELL_DATABASE_URLS: Type.Required(Type.Pick(Environment, ['CELL_DATABASE_URLS'])).properties.CELL_DATABASE_URLS,
})

const checkedEnvironment = checkedBy(Environment)
const checkedRouterEnvironment = checkedBy(RouterEnvironment)

/** Settings of a process, from its environment. */
export interface Config {
  port: number
  workerPort: number | undefined
  /** Task queues that a worker takes. */
  workerQueues: string[]
  /** Whether runs belong to a build. */
  workerVersioning: boolean
  host: string
  publicUrl: string
  databaseUrl: string
  databasePoolSize: number
  replicas: ReplicaConfig
  /** This cell, and those that tenants may move to. */
  cells: { own: string; others: ReadonlyMap<string, Cell> }
  temporal: {
    address: string
    namespace: string
    tls: boolean
    apiKey: string | undefined
    uiUrl: string
    codecLocalUi: boolean
    acceptUnbound: boolean
  }
  identity: { authority: string; audience: string }
  encryptionKey: Buffer
  oldEncryptionKeys: Buffer[]
  /** scrypt's N, see runtime/secrets.ts. */
  secretHashCost: number
  /** Clients may have secrets that everybody knows: nobody else reaches them, or the operator wants it so. */
  allowsPublishedSecrets: boolean
  /** By what callers who are not known yet are told apart and limited. */
  strangers: { isProxy: IsProxy; wrongCredentialsPerMinute: number }
  /** Origins for CORS. */
  corsOrigins: string[]
  logLevel: string
  /** Whether traces are made; where they go, OpenTelemetry reads itself. */
  traces: boolean
  jobWaitMs: number
  drainMs: number
  jobRetentionMs: number
  stuckRunMs: number
  bulkMaxItems: number
  hierarchyMaxDepth: number
  /** The mail server; undefined where there is none. */
  smtp: { url: string; from: string } | undefined
  recordMaxBytes: number
  recordStorage: 'mysql' | 's3'
  importMaxBytes: number
  /** Undefined where no bucket is named. */
  s3: S3Config | undefined
  /** Where exports of forms may go. */
  exports: {
    /** An absolute path. */
    directory: string | undefined
    s3: S3Config | undefined
  }
  /** `host` or `host:port` that tenants' URLs may name although they are http or private. */
  outboundAllow: string[]
}

export interface ReplicaConfig {
  /** Addresses of read replicas; empty where there are none. */
  urls: string[]
  maxLagMs: number
}

/** Settings of the router, from its environment. */
export interface RouterConfig {
  port: number
  host: string
  isProxy: IsProxy
  cells: ReadonlyMap<string, { address: string; databaseUrl: string }>
  logLevel: string
  traces: boolean
  drainMs: number
}

/** Another installation that tenants may move to. */
export interface Cell {
  /** Where its callers find it, or the router before it. */
  address: string
  /** Undefined in a process that moves no tenants. */
  databaseUrl: string | undefined
}

export interface S3Config {
  bucket: string
  /** Undefined: Amazon's own. */
  endpoint: string | undefined
  region: string
  /** Undefined: what the machine provides. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

/**
 * Reads the settings once.
 * @throws Error whose message names every variable that is wrong and what it should be.
 */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const values = checkedEnvironment(env)
  const replicaUrls = values.DATABASE_REPLICA_URLS?.split(',').map(url => url.trim()) ?? []
  const cells = cellsOf(values.CELL_URLS, values.CELL_DATABASE_URLS)
  refuseDatabaseUrls([
    ['DATABASE_URL', values.DATABASE_URL],
    ...replicaUrls.map((url, n) => [replicaSetting(n + 1), url] as const),
    ...[...cells].flatMap(([name, { databaseUrl }]) =>
      databaseUrl ? [[cellSetting(name), databaseUrl] as const] : [],
    ),
  ])
  const { SMTP_URL: url, SMTP_FROM: from } = values
  if (url !== undefined && from === undefined) throw notSet('SMTP_FROM')
  if (values.RECORD_STORAGE === 's3' && !values.S3_BUCKET) throw notSet('S3_BUCKET')
  const publicUrl = (values.PUBLIC_URL ?? `http://127.0.0.1:${values.PORT}`).replace(/\/$/, '')
  const host = values.HOST
  if (values.TEMPORAL_CODEC_LOCAL_UI && !isLocal(host, publicUrl)) throw unusable('TEMPORAL_CODEC_LOCAL_UI is refused')
  const secretHashCost = values.SECRET_HASH_COST
  if (!Number.isInteger(Math.log2(secretHashCost))) throw unusable('SECRET_HASH_COST must be a power of two')
  if (secretHashCost < standardHashCost && !isLocal(host, publicUrl)) throw unusable('SECRET_HASH_COST is too low')
  return {
    port: values.PORT,
    workerPort: values.WORKER_PORT,
    workerQueues: values.WORKER_QUEUES.split(/, ?/),
    workerVersioning: values.WORKER_VERSIONING,
    host,
    publicUrl,
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    replicas: { urls: replicaUrls, maxLagMs: values.DATABASE_REPLICA_MAX_LAG_SECONDS * 1000 },
    cells: { own: values.CELL_NAME, others: cells },
    temporal: {
      address: values.TEMPORAL_ADDRESS,
      namespace: values.TEMPORAL_NAMESPACE,
      tls: values.TEMPORAL_TLS || values.TEMPORAL_API_KEY !== undefined,
      apiKey: values.TEMPORAL_API_KEY,
      uiUrl: values.TEMPORAL_UI_URL.replace(/\/$/, ''),
      codecLocalUi: values.TEMPORAL_CODEC_LOCAL_UI,
      acceptUnbound: values.TEMPORAL_ACCEPT_UNBOUND,
    },
    identity: {
      authority: values.IDENTITY_AUTHORITY ?? `${publicUrl}/identity`,
      audience: values.IDENTITY_AUDIENCE,
    },
    encryptionKey: fromBase64(values.ENCRYPTION_KEY),
    oldEncryptionKeys: values.ENCRYPTION_KEYS_OLD?.split(/, ?/).map(fromBase64) ?? [],
    secretHashCost,
    allowsPublishedSecrets:
      values.NODE_ENV !== 'production' && (isLocal(host, publicUrl) || values.DEMO_TENANTS === 'yes'),
    strangers: {
      isProxy: proxiesOf(values.TRUSTED_PROXIES),
      wrongCredentialsPerMinute: values.WRONG_CREDENTIALS_PER_MINUTE,
    },
    corsOrigins: values.CORS_ORIGINS?.split(/, ?/) ?? [],
    logLevel: values.LOG_LEVEL,
    traces: values.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    jobWaitMs: values.JOB_WAIT_SECONDS * 1000,
    drainMs: values.DRAIN_SECONDS * 1000,
    jobRetentionMs: values.JOB_RETENTION_DAYS * 86_400_000,
    stuckRunMs: values.STUCK_RUN_MINUTES * 60_000,
    bulkMaxItems: values.BULK_MAX_ITEMS,
    hierarchyMaxDepth: values.HIERARCHY_MAX_DEPTH,
    recordMaxBytes: values.RECORD_MAX_MB * 1024 * 1024,
    recordStorage: values.RECORD_STORAGE,
    importMaxBytes: values.IMPORT_MAX_MB * 1024 * 1024,
    s3: s3Of(values, values.S3_BUCKET),
    exports: { directory: values.EXPORT_DIRECTORY, s3: s3Of(values, values.EXPORT_BUCKET) },
    smtp: url !== undefined && from !== undefined ? { url, from } : undefined,
    outboundAllow: values.OUTBOUND_ALLOW?.split(',').map(entry => entry.trim()) ?? [],
  }
}

/**
 * Reads the settings of the router.
 * @throws Error as {@link readConfig} does.
 */
export function readRouterConfig(env: NodeJS.ProcessEnv): RouterConfig {
  const values = checkedRouterEnvironment(env)
  const cells = [...cellsOf(values.CELL_URLS, values.CELL_DATABASE_URLS)].map(([name, { address, databaseUrl }]) => {
    if (databaseUrl === undefined) throw unusable(`CELL_DATABASE_URLS has no cell '${name}'`)
    return [name, { address, databaseUrl }] as const
  })
  refuseDatabaseUrls(cells.map(([name, { databaseUrl }]) => [cellSetting(name), databaseUrl]))
  return {
    port: values.PORT,
    host: values.HOST,
    isProxy: proxiesOf(values.TRUSTED_PROXIES),
    cells: new Map(cells),
    logLevel: values.LOG_LEVEL,
    traces: values.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined,
    drainMs: values.DRAIN_SECONDS * 1000,
  }
}

function proxiesOf(list = ''): IsProxy {
  try {
    return trustedProxies(list.split(',').flatMap(entry => entry.trim() || []))
  } catch (error) {
    throw unusable(`TRUSTED_PROXIES is wrong: ${error instanceof Error ? error.message : error}`)
  }
}

function cellsOf(urls: string | undefined, databaseUrls: string | undefined): Map<string, Cell> {
  const named = (list: string | undefined) =>
    new Map(
      list
        ?.split(' ')
        .map((entry): [string, string] => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    )
  const databases = named(databaseUrls)
  const addresses = [...named(urls)]
  return new Map(
    addresses.map(([name, url]) => [name, { address: url.replace(/\/$/, ''), databaseUrl: databases.get(name) }]),
  )
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64')

/** @param urls each with the setting that it comes from. */
function refuseDatabaseUrls(urls: readonly (readonly [setting: string, url: string])[]): void {
  const faults = urls.flatMap(([setting, url]) => {
    try {
      readDatabaseUrl(url, setting)
      return []
    } catch (error) {
      return [error instanceof Error ? error.message : String(error)]
    }
  })
  if (faults.length > 0) throw unusable(...faults)
}

/** Names the address of a replica. @param n its place in the setting, from 1. */
export const replicaSetting = (n: number): string => `DATABASE_REPLICA_URLS (number ${n})`

export const cellSetting = (name: string): string => `CELL_DATABASE_URLS (${name})`

/** Whether callers come from this machine only. */
export const isLocal = (host: string, publicUrl: string): boolean =>
  isLoopback(host) && URL.canParse(publicUrl) && isLoopback(new URL(publicUrl).hostname)

function s3Of(values: Static<typeof Environment>, bucket: string | undefined): S3Config | undefined {
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (!bucket) return undefined
  if (accessKeyId && !secretAccessKey) throw notSet('S3_SECRET_ACCESS_KEY')
  if (secretAccessKey && !accessKeyId) throw notSet('S3_ACCESS_KEY_ID')
  const credentials = accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined
  return { bucket, endpoint: values.S3_ENDPOINT, region: values.S3_REGION, credentials }
}

/**
 * Reads an environment by a schema: texts in its types, and its defaults for the others. A text that does not convert
 * stays as it is and fails the check.
 */
function checkedBy<Schema extends TObject>(schema: Schema): (env: NodeJS.ProcessEnv) => Static<Schema> {
  const environment = Compile(schema)
  return env => {
    const given = Object.keys(schema.properties).flatMap(name => {
      const value = env[name]
      return value === undefined || value === '' ? [] : [[name, value] as const]
    })
    const values: unknown = environment.Default(environment.Convert(Object.fromEntries(given)))
    if (environment.Check(values)) return values
    throw new Error(explain(environment.Errors(values)))
  }
}

const preamble = 'The environment is not usable:\n'

/** @param faults each begins with the variable's name. */
const unusable = (...faults: string[]) =>
  new Error(`${preamble}${faults.map(fault => `  ${fault}${meaning(fault.split(' ')[0] ?? '')}`).join('\n')}`)
const notSet = (name: string) => unusable(`${name} is not set`)

function explain(errors: readonly TLocalizedValidationError[]): string {
  const faults = errors.flatMap(error => {
    if (error.keyword === 'required') return error.params.requiredProperties.map(name => `${name} is not set`)
    return error.instancePath ? [`${error.instancePath.slice(1)} ${error.message}`] : []
  })
  return unusable(...new Set(faults)).message
}

function meaning(name: string): string {
  const schema: { description?: string } | undefined = (Environment.properties as Record<string, object>)[name]
  return schema?.description ? ` (${schema.description})` : ''
}
