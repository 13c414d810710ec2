// docs/settings.md has every setting, and no text of the tree names a setting that does not exist.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { Settings as NexusSettings } from '../../nexus/settings.js'
import { Environment } from '../../runtime/settings/environment.js'

const page = readFileSync('docs/settings.md', 'utf8')
const rows = new Map(
  [...page.matchAll(/^\| `([A-Z\d_]+)` *\| ([^|]+?) *\|/gm)].map(([, name = '', fallback = '']) => [name, fallback]),
)

test('the page lists every environment variable of the processes, and no other', () => {
  expect([...rows.keys()].sort()).toEqual(Object.keys(Environment.properties).sort())
})

test.each([...rows])('the page gives the default of %s, which is %s', (name, shown) => {
  const schema = Object.entries(Environment.properties).find(([each]) => each === name)?.[1] ?? {}
  if ('default' in schema) expect(shown).toBe(`\`${schema.default}\``)
  else if (Environment.required.some(required => required === name)) expect(shown).toBe('none; required')
})

/** Names of others that our pages and files of deployment mention: variables of images, SQL modes, error codes. */
const foreign = new Set(
  `NODE_OPTIONS NODE_EXTRA_CA_CERTS TEMPORAL_CODEC_PASS_ACCESS_TOKEN TEMPORAL_DEFAULT_NAMESPACE TEMPORAL_CSRF_COOKIE_INSECURE
   NUM_HISTORY_SHARDS SQL_MAX_CONNS SQL_VIS_MAX_CONNS SQL_DATABASE SQL_HOST SQL_PASSWORD SQL_PLUGIN SQL_PORT SQL_USER
   TEMPORAL_SCHEMA_DIR MYSQL_DATABASE MYSQL_PASSWORD MYSQL_PWD MYSQL_SEEDS MYSQL_USER BIND_ON_IP DB_PORT
   DYNAMIC_CONFIG_FILE_PATH VERIFY_IDENTITY VERIFY_CA OTEL_BSP_SCHEDULE_DELAY WARD_7
   TEMPORAL_AUTH_ENABLED TEMPORAL_AUTH_PROVIDER_URL TEMPORAL_AUTH_CLIENT_ID TEMPORAL_AUTH_CLIENT_SECRET TEMPORAL_AUTH_CALLBACK_URL
   TEMPORAL_AUTH_SCOPES`.split(/\s+/),
)
const filesOf = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
const namesIn = (text: string) => text.match(/\b[A-Z][A-Z\d]+(?:_[A-Z\d]+)+\b/g) ?? []
const sources = filesOf('*.ts', '*.mjs').filter(file => !/^client\/api\.ts$|^test\/docs\/settings\.unit/.test(file))
/** What code reads from its environment: `env.FAULT_SEED`, `portFrom(env, 'PROVIDER_PORT', 3100)`. */
const readByCode = sources.flatMap(file =>
  [...readFileSync(file, 'utf8').matchAll(/\benv(?:\.|\['|, ')([A-Z][A-Z\d_]+)/g)].map(([, name = '']) => name),
)
const compose = readFileSync('docker-compose.yml', 'utf8')
const known = new Set([
  ...Object.keys(Environment.properties),
  ...Object.keys(NexusSettings.properties),
  ...readByCode,
  ...[...compose.matchAll(/\$\{(\w+):/g)].map(([, name = '']) => name),
])
const isUnknown = (name: string) => !known.has(name) && !foreign.has(name)
const isPage = (file: string) => !/^docs\/decisions|^CHANGELOG/.test(file)

test.each(filesOf('*.md', 'deploy/', 'docker-compose.yml', '.env.example', 'docker/', 'Dockerfile').filter(isPage))(
  '%s names no setting that does not exist',
  file => {
    expect(namesIn(readFileSync(file, 'utf8')).filter(isUnknown)).toEqual([])
  },
)

test('no source, comment or error names a setting that does not exist', () => {
  // Sources also name constants of SQL, Node and Temporal. What has two words of our settings is meant as one of them.
  const words = new Set([...known].filter(name => name in Environment.properties).flatMap(name => name.split('_')))
  const looksLikeOurs = (name: string) => name.split('_').filter(word => words.has(word)).length > 1
  const others = ['KEY_BLOCK_SIZE', 'GET_SOURCE_PUBLIC_KEY']
  const unknown = sources.flatMap(file =>
    namesIn(readFileSync(file, 'utf8'))
      .filter(name => isUnknown(name) && looksLikeOurs(name) && !others.includes(name))
      .map(name => `${file}: ${name}`),
  )
  expect(unknown).toEqual([])
})
