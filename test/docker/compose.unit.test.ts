// The compose file.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readConfig } from '../../runtime/settings/config.js'
import { Environment } from '../../runtime/settings/environment.js'
import { interpolated, services, composeText as text } from '../support/compose.js'

const all = Object.entries(services)
const ours = all.filter(([, service]) => service.build)

const waits = all.flatMap(([, service]) => Object.entries(service.depends_on ?? {}))
/** Services that others wait for to end: they do one thing and are done. */
const oneShots = new Set(
  waits.filter(([, { condition }]) => condition === 'service_completed_successfully').map(([name]) => name),
)

test('the linter finds no fault in the compose file', () => {
  const dclint = ['node_modules/dclint/bin/dclint.cjs', 'docker-compose.yml', '--max-warnings', '0']
  const { status, stdout, stderr } = spawnSync(process.execPath, dclint, { encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
})

test('it is the whole platform', () => {
  expect(Object.keys(services)).toEqual([
    'api',
    'migrate',
    'mysql',
    'temporal',
    'temporal-namespace',
    'temporal-schema',
    'temporal-ui',
    'worker',
  ])
  expect([...oneShots].sort()).toEqual(['migrate', 'temporal-namespace', 'temporal-schema'])
})

test.each(all)('%s either ends by itself or is watched and started again', (name, { restart, healthcheck }) => {
  if (oneShots.has(name)) return expect(restart).toBe('no')
  expect(restart).toBe('unless-stopped')
  expect(healthcheck?.test?.[0]).toBe('CMD')
})

test('no service depends on the health of one without a health check', () => {
  const healthAwaited = waits.filter(([, { condition }]) => condition === 'service_healthy').map(([name]) => name)
  for (const name of healthAwaited) expect(services[name]?.healthcheck?.test, name).toBeDefined()
})

test.each(all)('%s is built here or has an image of one version', (_, { image, build }) => {
  if (build) return expect(image).toBeUndefined()
  expect(image).toMatch(/^[a-z/-]+:\d+\.\d+(\.\d+)?$/)
})

test.each(all)('%s opens ports on this machine only', (_, { ports = [] }) => {
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\$\{\w+:-\d+\}:(\d+|\$\{PORT:-3000\})$/)
})

test('only the services for operators and for the proxy in front open a port, not MySQL or a worker', () => {
  expect(all.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['api', 'temporal', 'temporal-ui'])
})

test.each(all)('%s gets its secrets from outside, and has no default for them', (_, { environment = {} }) => {
  for (const [name, value] of Object.entries(environment)) {
    if (/PASSWORD|PWD|_KEY$|DATABASE_URL/.test(name)) expect(value, name).toMatch(/\$\{\w+:(\?[^}]+|-)\}/)
  }
})

test.each(ours)(
  'every variable given to %s is one that it reads, with a value that it accepts',
  (_, { environment }) => {
    const env = interpolated(environment ?? {}, {
      ARMATURE_DB_PASSWORD: '0123456789abcdef',
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    })
    expect(Object.keys(Environment.properties)).toEqual(expect.arrayContaining(Object.keys(env)))
    expect(readConfig(env)).toMatchObject({
      host: '0.0.0.0',
      port: 3000,
      publicUrl: 'http://127.0.0.1:3000',
      databaseUrl: 'mysql://armature:0123456789abcdef@mysql:3306/armature?ssl-mode=DISABLED',
      temporal: { connection: { address: 'temporal:7233' }, uiUrl: 'http://127.0.0.1:8233' },
    })
  },
)

test('every setting of the processes can be given in .env, but those of a demonstration and those that the containers fix', () => {
  const fixed = ['DATABASE_URL', 'HOST', 'METRICS_PORT', 'WORKER_PORT']
  const ofTheImage = ['NODE_ENV']
  const ofDemonstrations = ['DEMO_TENANTS', 'TEMPORAL_CODEC_LOCAL_UI']
  const settings = Object.keys(Environment.properties)
  for (const [name, { environment = {} }] of ours) {
    const passed = Object.entries(environment)
      .filter(([, value]) => value.includes('${'))
      .map(([key]) => key)
    const missing = settings.filter(setting => !passed.includes(setting))
    expect(missing.sort(), name).toEqual(
      [...fixed.filter(each => each !== 'DATABASE_URL'), ...ofTheImage, ...ofDemonstrations].sort(),
    )
  }
})

test('a setting that is not given has the default of the page of settings', () => {
  const env = interpolated(services.api?.environment ?? {}, {})
  for (const [name, schema] of Object.entries(Environment.properties)) {
    const isOwn = ['HOST', 'TEMPORAL_ADDRESS'].includes(name)
    if ('default' in schema && name in env && !isOwn) expect(env[name], name).toBe(String(schema.default))
  }
})

test('MySQL has the memory that the install page asks for', () => {
  const page = readFileSync('docs/install.md', 'utf8')
  for (const option of services.mysql?.command ?? []) {
    const name = /^--([\w-]+)/.exec(option)?.[1]?.replaceAll('-', '_') ?? ''
    expect(page, name).toContain(`\`${name}\``)
  }
})

test('.env.example names every variable of the compose file, and those without a default are not commented out', () => {
  const used = [...text.matchAll(/\$\{(\w+):([-?])/g)].map(([, name = '', kind]) => ({ name, required: kind === '?' }))
  const example = readFileSync('.env.example', 'utf8')
  for (const { name, required } of used) expect(example).toMatch(new RegExp(`^${required ? '' : '# '}${name}=`, 'm'))
  const named = [...example.matchAll(/^(?:# )?([A-Z\d_]+)=/gm)].map(([, name]) => name)
  expect(new Set(named)).toEqual(new Set(used.map(({ name }) => name)))
})

test.each(all)('what %s runs and mounts exists', (_, { command = [], volumes = [] }) => {
  const script = command.find(word => word.startsWith('dist/'))
  if (script) expect(existsSync(script.replace(/^dist\/(.+)\.js$/, '$1.ts')), script).toBe(true)
  for (const volume of volumes.filter(volume => volume.startsWith('./'))) {
    const path = volume.split(':')[0] ?? ''
    expect(existsSync(path), path).toBe(true)
    if (path.endsWith('.sh')) execFileSync('sh', ['-n', path])
  }
})
