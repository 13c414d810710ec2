// `npm start`.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { demoProviderClient } from '../../dev/demo-glue.js'
import { demoPeople } from '../../dev/demo-people.js'
import { freePort } from '../../dev/ports.js'
import { vaccinationsOf } from '../../dev/provider/vaccinations.js'
import { claimDataDir, startSettings } from '../../dev/settings.js'
import { projectRoot } from '../../runtime/process/version.js'
import { childrenOf, npmStart, runs, type Start } from '../dev/npm-start.js'
import { admin, api, tokenOf } from '../support/api.js'
import { armatureProcess } from '../support/armature.js'
import type { Applied } from '../support/manifest.js'
import { authorizeUrl, newBrowser } from '../support/people.js'

const running = 'Armature is running.'

describe.skipIf(!existsSync('/proc/self/stat'))('npm start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'armature-start-'))
  const started: Start[] = []
  let ports: Record<'PORT' | 'METRICS_PORT' | 'TEMPORAL_PORT' | 'TEMPORAL_UI_PORT' | 'PROVIDER_PORT', string>
  let baseUrl: string

  const start = (env: Record<string, string> = {}): Start => {
    const one = npmStart({ ...ports, DATA_DIR: dataDir, ...env })
    started.push(one)
    return one
  }
  const freePorts = async () => ({
    PORT: String(await freePort()),
    TEMPORAL_PORT: String(await freePort()),
    TEMPORAL_UI_PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    PROVIDER_PORT: String(await freePort()),
  })

  beforeAll(async () => {
    ports = await freePorts()
    baseUrl = `http://127.0.0.1:${ports.PORT}`
    // The Temporal program is downloaded once for the project, not once for every test.
    const binDir = join(projectRoot, '.data', 'bin')
    mkdirSync(binDir, { recursive: true })
    symlinkSync(binDir, join(dataDir, 'bin'))
    await start().prints(running)
  })

  afterAll(async () => {
    for (const { process } of started) process.kill('SIGTERM')
    await Promise.all(started.map(one => one.ended))
    rmSync(dataDir, { recursive: true, force: true })
  })

  const first = () => {
    const [one] = started
    if (!one) throw new Error('nothing was started')
    return one
  }
  const integration = async () => {
    const client = { id: 'demo-integration', secret: 'demo-integration-secret', tenantKey: 'demo', scope: 'FrameApi' }
    return api(baseUrl, await tokenOf(baseUrl, client))
  }
  const ready = async () => expect((await fetch(`${baseUrl}/health/status`)).status).toBe(200)

  it('is ready when it says so, and says where everything is', async () => {
    await ready()
    const printed = await first().prints(running)
    expect(printed).toContain(`${baseUrl}/docs`)
    expect(printed).toContain(`http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`)
    expect(printed).toContain(`http://127.0.0.1:${ports.PROVIDER_PORT}`)
    expect(printed).toContain(`DATA_DIR=${dataDir} npm run demo`)
    const [form = ''] = /http\S+\/demo\/SinglePass\/\S+/.exec(printed) ?? []
    expect(await (await fetch(form)).text()).toContain('<title>Patient Health Questionnaire (PHQ-9)</title>')
  })

  it('has people to sign in with, and says who they are', async () => {
    const printed = await first().prints(running)
    const [, password = ''] = /with the password "(.+)":$/m.exec(printed) ?? []
    for (const { email } of demoPeople) expect(printed).toContain(email)
    const browser = newBrowser()
    const { location } = await browser.send(authorizeUrl({}, baseUrl))
    const typed = { tenant: 'demo', email: 'operator@demo.example', password }
    expect(await browser.send(new URL(location, baseUrl), typed)).toMatchObject({ status: 303 })
  })

  it('has a directory for exports of forms, and says where', async () => {
    const exportDir = join(dataDir, 'exports')
    expect(await first().prints(running)).toContain(`Exports      ${exportDir},`)
    expect(existsSync(exportDir)).toBe(true)
    const definitions = [{ identifier: 'a', type: 'form', key: 'phq-9', version: 1 }]
    const exports = [{ key: 'a', every: 60, destination: 'directory', definitions }]
    const planned = await (await admin(baseUrl)).put<Applied>('/admin/v1/tenants/another?plan=true', {
      forms: { exports },
    })
    expect(planned.status).toBe(200)
    expect(planned.body.warnings.map(({ code }) => code)).not.toContain('no-destination')
  })

  it('runs a data provider that gives rows for a token', async () => {
    const [url, { id, secret }] = [`http://127.0.0.1:${ports.PROVIDER_PORT}`, demoProviderClient]
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: 'vaccinations' }
    const answer = await fetch(`${url}/token`, { method: 'POST', body: new URLSearchParams(form) })
    const { access_token } = (await answer.json()) as { access_token: string }
    const expected = vaccinationsOf('DEMO00001')
    expect((await api(url, access_token).get('/vaccinations/of?nationalId=DEMO00001')).body).toEqual({ rows: expected })
    expect((await api(url, '').get('/vaccinations')).status).toBe(401)
  })

  it('lets the Temporal UI, which has no login here, open what is sealed', async () => {
    const ui = `http://127.0.0.1:${ports.TEMPORAL_UI_PORT}`
    const settings = await (await fetch(`${ui}/api/v1/settings`)).json()
    expect(settings).toMatchObject({ Codec: { Endpoint: `${baseUrl}/temporal/codec`, PassAccessToken: false } })
    const decode = (origin: string) => api(baseUrl, '').post('/temporal/codec/decode', { payloads: [] }, { origin })
    expect(await decode(ui)).toMatchObject({ status: 200, body: { payloads: [] } })
    expect(await decode(baseUrl)).toMatchObject({ status: 401 })
  })

  it('keeps its secrets to the user', () => {
    for (const file of ['encryption.key', 'mariadb.json', 'mariadb-init.sql']) {
      expect(statSync(join(dataDir, file)).mode & 0o077).toBe(0)
    }
  })

  it('names the variable of every taken port, and starts nothing', async () => {
    const { code, printed } = await start({ DATA_DIR: `${dataDir}/second` }).ended
    expect(code).toBe(1)
    for (const [name, port] of Object.entries(ports)) {
      expect(printed).toContain(`Port ${port} is taken: stop what listens there, or set ${name} to a free port.`)
    }
    expect(existsSync(`${dataDir}/second`)).toBe(false)
  })

  it('claims its data directory: another npm start is refused there', () => {
    const claim = () => claimDataDir(startSettings({ DATA_DIR: dataDir }))
    const holder = `process ${first().process.pid}`
    expect(claim).toThrow(`is in use by another npm start (${holder}): stop that one, or set DATA_DIR`)
  })

  it('is found by the command line', async () => {
    const ARMATURE_CLIENT_ID = 'platform-admin'
    const env = { DATA_DIR: dataDir, ARMATURE_CLIENT_ID, ARMATURE_CLIENT_SECRET: 'platform-admin-secret' }
    const { code, stdout, stderr } = await armatureProcess(['get', 'demo'], { ...env, ARMATURE_URL: undefined })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('key: demo')
  })

  it.each([
    ['DATABASE_URL is no address of a database.', { DATABASE_URL: 'mysql://me:p@ss/w#rd@db.example/armature' }],
    ['DATABASE_URL: nothing listens at 127.0.0.1:1.', { DATABASE_URL: 'mysql://me:pass@127.0.0.1:1/armature' }],
    ['TEMPORAL_ADDRESS: no Temporal answers at 127.0.0.1:1.', { TEMPORAL_ADDRESS: '127.0.0.1:1' }],
    ['LOG_LEVEL must be one of trace,', { LOG_LEVEL: 'loud' }],
  ])('ends before anything is downloaded, with the sentence: %s', async (sentence, env) => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), 'armature-start-'))
    const { code, printed } = await start({ ...(await freePorts()), DATA_DIR, DEMO_TENANTS: 'yes', ...env }).ended
    expect(code).toBe(1)
    expect(printed).toContain(sentence)
    expect(printed).not.toMatch(/\n\s+at |'ss'|w#rd|pass@/)
    expect(readdirSync(DATA_DIR)).toEqual([])
    rmSync(DATA_DIR, { recursive: true })
  })

  it('makes no demo tenants in a database that was there before: it ends before anything is made', async () => {
    const DATA_DIR = `${dataDir}/refused`
    const env = { DATABASE_URL: 'mysql://x:x@127.0.0.1:1/x', DATA_DIR, SECRET_HASH_COST: '' }
    const { code, printed } = await start({ ...(await freePorts()), ...env }).ended
    expect(code).toBe(1)
    expect(printed).toContain('npm start is refused: it makes the demo tenants')
    expect(existsSync(DATA_DIR)).toBe(false)
  })

  const programs = [
    ['api', 'api'],
    ['worker', 'worker'],
    ['provider', 'provider'],
    ['temporal', 'temporal'],
    ['database', 'mariadb'],
  ] as const

  // A program of ours and both of others. The API and the worker are killed in test/faults/.
  const killed: string[] = ['provider', 'temporal', 'database']

  it('starts whatever is killed again, with its process id in its pid file, and has the data', async () => {
    const type = { Key: 'ward', Name: 'Ward', SubjectAssignable: true, CustomFields: [] }
    expect((await (await integration()).put('/api/v1/structureType', type)).status).toBe(201)
    const before = childrenOf(first().process.pid)
    const written = (file: string) => Number(readFileSync(join(dataDir, 'logs', `${file}.pid`), 'utf8'))
    expect(programs.map(([, file]) => written(file))).toEqual(programs.map(([name]) => before[name]))
    for (const name of killed) process.kill(before[name] ?? 0, 'SIGKILL')
    const startedAgain = () => {
      const now = childrenOf(first().process.pid)
      for (const [name, file] of programs) {
        expect(now[name] !== before[name], name).toBe(killed.includes(name))
        expect(now[name], name).toBe(written(file))
      }
    }
    await vi.waitFor(startedAgain, { timeout: 20_000, interval: 100 })
    await vi.waitFor(ready, { timeout: 30_000, interval: 200 })
    expect((await (await integration()).get('/api/v1/structureType/ward')).status).toBe(200)
  })

  it('stops within 15 seconds on SIGTERM, and leaves no process', async () => {
    const children = Object.values(childrenOf(first().process.pid))
    expect(children).toHaveLength(5)
    const askedAt = Date.now()
    first().process.kill('SIGTERM')
    expect((await first().ended).code).toBe(0)
    expect(Date.now() - askedAt).toBeLessThan(15_000)
    expect(children.filter(runs)).toEqual([])
  })

  it('leaves no process behind when it is itself killed with -9 in the middle of its next start', async () => {
    const last = start().process
    const begun = () => {
      const children = Object.values(childrenOf(last.pid))
      expect(children.length).toBeGreaterThan(1)
      // Until then the parent's death is nothing to them.
      for (const pid of children) expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain('setpriv')
      return children
    }
    const children = await vi.waitFor(begun, { timeout: 20_000, interval: 50 })
    last.kill('SIGKILL')
    await vi.waitFor(() => expect(children.filter(runs)).toEqual([]), { timeout: 15_000, interval: 200 })
  })
})
