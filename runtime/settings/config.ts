// Reads the settings of all processes and converts them to the units and forms in which they are used.
import type { Static } from 'typebox'
import { standardHashCost } from '../secrets/secrets.js'
import { type IsProxy, trustedProxies } from './caller-address.js'
import { readDatabaseUrl } from './database-url.js'
import { checkedEnvironment, type Environment, notSet, unusable } from './environment.js'
import { isLoopback } from './loopback.js'
import { temporalConnection } from './temporal-connection.js'

/** The settings of a process. */
export type Config = ReturnType<typeof readConfig>

export interface ReplicaConfig {
  /** Addresses of the read replicas, if any. */
  urls: string[]
  maxLagMs: number
}

/** Which traces are sampled. */
export interface TraceConfig {
  /** Name of the sampler in OpenTelemetry. */
  sampler: string
  /** Share of traces to keep, from 0 to 1, for ratio samplers. */
  share: number
}

export interface S3Config {
  bucket: string
  /** Undefined for Amazon S3 itself. */
  endpoint: string | undefined
  region: string
  /** Undefined to use what the machine provides, such as its role. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined
}

/**
 * Reads and checks the settings of a process.
 * @throws WrongSetting
 */
export function readConfig(env: NodeJS.ProcessEnv) {
  const values = checkedEnvironment(env)
  const replicaUrls = values.DATABASE_REPLICA_URLS?.split(',').map(url => url.trim()) ?? []
  refuseDatabaseUrls([
    ['DATABASE_URL', values.DATABASE_URL],
    ...replicaUrls.map((url, n) => [replicaSetting(n + 1), url] as const),
  ])
  const { SMTP_URL: url, SMTP_FROM: from } = values
  if (url !== undefined && from === undefined) throw notSet('SMTP_FROM')
  if (url === undefined && values.ATTENTION_MAIL_TO !== undefined) throw notSet('SMTP_URL')
  const { SIGN_IN_ISSUER: issuer, SIGN_IN_CLIENT_ID: clientId, SIGN_IN_CLIENT_SECRET: clientSecret } = values
  if (issuer !== undefined && clientId === undefined) throw notSet('SIGN_IN_CLIENT_ID')
  if (issuer !== undefined && !URL.canParse(issuer)) throw unusable('SIGN_IN_ISSUER is no address')
  if (values.RECORD_STORAGE === 's3' && !values.S3_BUCKET) throw notSet('S3_BUCKET')
  const publicUrl = (values.PUBLIC_URL ?? `http://127.0.0.1:${values.PORT}`).replace(/\/$/, '')
  const host = values.HOST
  if (values.TEMPORAL_CODEC_LOCAL_UI && !isLocal(host, publicUrl)) throw unusable('TEMPORAL_CODEC_LOCAL_UI is refused')
  const uiUrl = values.TEMPORAL_UI_URL.replace(/\/$/, '')
  const uiSecret = values.TEMPORAL_UI_CLIENT_SECRET
  const secretHashCost = values.SECRET_HASH_COST
  if (!Number.isInteger(Math.log2(secretHashCost))) throw unusable('SECRET_HASH_COST must be a power of two')
  if (secretHashCost < standardHashCost && !isLocal(host, publicUrl)) throw unusable('SECRET_HASH_COST is too low')
  return {
    port: values.PORT,
    metricsPort: values.METRICS_PORT,
    workerPort: values.WORKER_PORT,
    /** Task queues that a worker polls. */
    workerQueues: values.WORKER_QUEUES.split(/, ?/),
    workerVersioning: values.WORKER_VERSIONING,
    host,
    publicUrl,
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.DATABASE_POOL_SIZE,
    replicas: { urls: replicaUrls, maxLagMs: values.DATABASE_REPLICA_MAX_LAG_SECONDS * 1000 },
    temporal: {
      connection: reading('', () => temporalConnection(values)),
      namespace: values.TEMPORAL_NAMESPACE,
      uiUrl,
      codecLocalUi: values.TEMPORAL_CODEC_LOCAL_UI,
    },
    identity: {
      authority: values.IDENTITY_AUTHORITY ?? `${publicUrl}/identity`,
      audience: values.IDENTITY_AUDIENCE,
      consoleClientId: values.CONSOLE_CLIENT_ID,
    },
    /** The Temporal UI as a client of the identity service; undefined if it has a login of its own, or none. */
    temporalUi: uiSecret === undefined ? undefined : { url: uiUrl, clientSecret: uiSecret },
    /** The issuer with which people may sign in; undefined if they have passwords alone. */
    signIn: issuer !== undefined && clientId !== undefined ? { issuer, clientId, clientSecret } : undefined,
    /** Who has to have a second factor to sign in with a password. */
    secondFactor: values.SECOND_FACTOR,
    encryptionKey: fromBase64(values.ENCRYPTION_KEY),
    oldEncryptionKeys: values.ENCRYPTION_KEYS_OLD?.split(/, ?/).map(fromBase64) ?? [],
    /** Cost of new secret hashes (scrypt's N); see runtime/secrets/secrets.ts. */
    secretHashCost,
    /**
     * Whether clients may have the published demo secrets. Allowed if only this machine can reach the API, or if the
     * operator asks for it, but never in production.
     */
    allowsPublishedSecrets:
      values.NODE_ENV !== 'production' && (isLocal(host, publicUrl) || values.DEMO_TENANTS === 'yes'),
    /** How unauthenticated callers are identified and limited. */
    strangers: {
      isProxy: reading('TRUSTED_PROXIES is wrong: ', () => proxiesOf(values.TRUSTED_PROXIES)),
      wrongCredentialsPerMinute: values.WRONG_CREDENTIALS_PER_MINUTE,
    },
    corsOrigins: values.CORS_ORIGINS?.split(/, ?/) ?? [],
    logLevel: values.LOG_LEVEL,
    /** Undefined if tracing is off. OpenTelemetry reads the endpoint itself. */
    traces: tracesOf(values),
    jobWaitTimeoutMs: values.JOB_WAIT_SECONDS * 1000,
    drainMs: values.DRAIN_SECONDS * 1000,
    jobRetentionMs: values.JOB_RETENTION_DAYS * 86_400_000,
    stuckRunMs: values.STUCK_RUN_MINUTES * 60_000,
    bulkMaxItems: values.BULK_MAX_ITEMS,
    hierarchyMaxDepth: values.HIERARCHY_MAX_DEPTH,
    recordMaxBytes: values.RECORD_MAX_MB * 1024 * 1024,
    recordStorage: values.RECORD_STORAGE,
    importMaxBytes: values.IMPORT_MAX_MB * 1024 * 1024,
    s3: s3Of(values, values.S3_BUCKET),
    /** Destinations for exports of forms. */
    exports: { directory: values.EXPORT_DIRECTORY, s3: s3Of(values, values.EXPORT_BUCKET) },
    /** The mail server; undefined if no mail is sent. */
    smtp: url !== undefined && from !== undefined ? { url, from } : undefined,
    /** Who is told each day what waits for a human. */
    attentionMailTo: values.ATTENTION_MAIL_TO,
    /** Hosts, as `host` or `host:port`, that tenants' URLs may name although they use http or a private address. */
    outboundAllow: values.OUTBOUND_ALLOW?.split(',').map(entry => entry.trim()) ?? [],
  }
}

type TraceVariable = 'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'

function tracesOf(values: Pick<Static<typeof Environment>, TraceVariable>): TraceConfig | undefined {
  if (values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined
  return { sampler: values.OTEL_TRACES_SAMPLER, share: values.OTEL_TRACES_SAMPLER_ARG }
}

const proxiesOf = (list = ''): IsProxy => trustedProxies(list.split(',').flatMap(entry => entry.trim() || []))

/** Reads one setting. @param wrong stands before the reason if that fails. */
function reading<T>(wrong: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw unusable(`${wrong}${error instanceof Error ? error.message : error}`)
  }
}

const fromBase64 = (text: string) => Buffer.from(text, 'base64')

/** Checks database URLs. @param urls each with the name of its setting. @throws WrongSetting that lists all invalid ones. */
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

/** Returns the name of a replica's address for error messages. @param n its position in the setting, from 1. */
export const replicaSetting = (n: number): string => `DATABASE_REPLICA_URLS (number ${n})`

/** Tells whether only this machine can reach the API. */
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
