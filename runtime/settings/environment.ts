// Declares the environment variables of all processes, and explains what is wrong with an environment.
import Type, { type Static } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { consoleClient } from '../secrets/actors.js'
import { minHashCost, standardHashCost } from '../secrets/secrets.js'
import { temporalSettings } from './temporal-connection.js'
import { WrongSetting } from './wrong-setting.js'

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))
const withDefault = (description: string, fallback: string) =>
  Type.String({ minLength: 1, description, default: fallback })

const allowedHost = String.raw`\s*([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?\s*`

/** Every environment variable that the processes read, with its meaning. docs/settings.md shows the same table. */
export const Environment = Type.Object({
  PORT: Type.Integer({ minimum: 0, maximum: 65535, default: 3000, description: 'Port of the API.' }),
  METRICS_PORT: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 65535,
      description: 'Port of the API for /metrics and /metrics/platform. Without it the API gives no metrics.',
    }),
  ),
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
  HOST: withDefault('Address the API and a worker listen on.', '127.0.0.1'),
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
  ...temporalSettings,
  TEMPORAL_UI_URL: withDefault('For links to runs, and the one origin that may decode.', 'http://127.0.0.1:8233'),
  TEMPORAL_CODEC_LOCAL_UI: Type.Boolean({
    default: false,
    description:
      'The Temporal UI on this machine decodes without a token; only where HOST and PUBLIC_URL are loopback.',
  }),
  IDENTITY_AUTHORITY: text('Issuer of tokens. Default $PUBLIC_URL/identity, our own.'),
  IDENTITY_AUDIENCE: withDefault('Audience a token must carry.', 'armature'),
  SIGN_IN_ISSUER: text('Issuer with which people may sign in, besides their passwords: an address of OpenID Connect.'),
  SIGN_IN_CLIENT_ID: text('Our client id at SIGN_IN_ISSUER.'),
  SIGN_IN_CLIENT_SECRET: text('Our secret at SIGN_IN_ISSUER. Without it we are a public client.'),
  SECOND_FACTOR: Type.Enum(['optional', 'platform', 'everybody'], {
    default: 'optional',
    description: 'Who needs a second factor besides the password: nobody, people of the platform, or everybody.',
  }),
  TEMPORAL_UI_CLIENT_SECRET: Type.Optional(
    Type.String({
      minLength: 32,
      description: 'Secret of the Temporal UI, with which people of the platform then sign in to it.',
    }),
  ),
  CONSOLE_CLIENT_ID: withDefault('Client id of the console at the issuer of tokens.', consoleClient),
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
  LOG_LEVEL: Type.Enum(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    description: 'Least severe log line written.',
  }),
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
    description: 'How long the API goes on serving, not ready, after it was asked to stop.',
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
  RECORD_STORAGE: Type.Enum(['mysql', 's3'], {
    default: 'mysql',
    description: 'Where files of subject records go.',
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
  ATTENTION_MAIL_TO: Type.Optional(
    Type.String({
      pattern: '^[^\\s@,]+@[^\\s@,]+$',
      description: 'Who gets a mail each day in which something waits for a human: one address, user@host.',
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
  OTEL_SERVICE_NAME: text('Name of the process in traces. Default: armature-api, armature-worker.'),
  OTEL_RESOURCE_ATTRIBUTES: text('Further attributes of the process in traces: name=value, comma-separated.'),
  OTEL_TRACES_SAMPLER: Type.Enum(
    [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    { default: 'parentbased_traceidratio', description: 'Which traces are kept: all, none, or a share of them.' },
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 0.1,
    description: 'The share, with a sampler of ratios.',
  }),
  OUTBOUND_ALLOW: Type.Optional(
    Type.String({
      pattern: `^${allowedHost}(,${allowedHost})*$`,
      description: 'Hosts, or host:port, that tenants may call over http and at private addresses; comma-separated.',
    }),
  ),
})

const environment = Compile(Environment)

/**
 * Converts an environment to the types of the settings and fills in the defaults. A text that cannot be converted is
 * left as it is, so that it fails the check.
 * @throws WrongSetting
 */
export function checkedEnvironment(env: NodeJS.ProcessEnv): Static<typeof Environment> {
  const given = Object.keys(Environment.properties).flatMap(name => {
    const value = env[name]
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  const values: unknown = environment.Default(environment.Convert(Object.fromEntries(given)))
  if (environment.Check(values)) return values
  throw explained(environment.Errors(values))
}

const preamble = 'The environment is not usable:\n'

/** Creates an error that lists variables with their meaning. @param faults each starts with the variable's name. */
export const unusable = (...faults: string[]) =>
  new WrongSetting(`${preamble}${faults.map(fault => `  ${fault}${meaning(fault.split(' ')[0] ?? '')}`).join('\n')}`)
export const notSet = (name: string) => unusable(`${name} is not set`)

function explained(errors: readonly TLocalizedValidationError[]): WrongSetting {
  const faults = errors.flatMap(error => {
    if (error.keyword === 'required') return error.params.requiredProperties.map(name => `${name} is not set`)
    return error.instancePath ? [`${error.instancePath.slice(1)} ${messageOf(error)}`] : []
  })
  return unusable(...new Set(faults))
}

function messageOf(error: TLocalizedValidationError): string {
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`
  return error.keyword === 'const' ? `must be ${error.params.allowedValue}` : error.message
}

function meaning(name: string): string {
  const schema: { description?: string } | undefined = (Environment.properties as Record<string, object>)[name]
  return schema?.description ? ` (${schema.description})` : ''
}
