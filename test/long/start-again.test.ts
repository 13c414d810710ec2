// `npm start` on the data of an earlier one, which was stopped or killed.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../dev/ports.js'
import { projectRoot } from '../../runtime/process/version.js'
import { npmStart, type Start } from '../dev/npm-start.js'
import { api, tokenOf } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { keysOf } from '../support/frame.js'

const dataDir = mkdtempSync(join(tmpdir(), 'armature-again-'))
let env: Record<string, string>
let last: Start

const start = async () => {
  last = npmStart(env)
  await last.prints('Armature is running.')
}
const kill = async (signal: 'SIGTERM' | 'SIGKILL') => {
  last.process.kill(signal)
  await last.ended
}
const integration = async () => {
  const client = { id: 'demo-integration', secret: 'demo-integration-secret', tenantKey: 'demo', scope: 'FrameApi' }
  const baseUrl = `http://127.0.0.1:${env.PORT}`
  return api(baseUrl, await tokenOf(baseUrl, client))
}

beforeAll(async () => {
  // The Temporal program is downloaded once for the project.
  const binDir = join(projectRoot, '.data', 'bin')
  mkdirSync(binDir, { recursive: true })
  symlinkSync(binDir, join(dataDir, 'bin'))
  const ports = ['PORT', 'METRICS_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'PROVIDER_PORT']
  env = { DATA_DIR: dataDir }
  for (const name of ports) env[name] = String(await freePort())
  await start()
})
afterAll(async () => {
  await kill('SIGTERM')
  rmSync(dataDir, { recursive: true, force: true })
})

test.each(['SIGTERM', 'SIGKILL'] as const)('after %s the platform runs again, and continues its jobs', async signal => {
  const tenant = await integration()
  await tenant.put('/api/v1/structureType', aType('again'))
  const of = (size: number) => Array.from({ length: 3_000 }, (_, n) => `${signal}-${size}-${n}`)
  const bulk = async (keys: string[]): Promise<string> => {
    const entities = keys.map(key => anEntity(key, { StructureTypeKey: 'again' }))
    const { headers } = await tenant.put('/api/v1/structuralEntity/bulk', entities, { prefer: 'respond-async' })
    return headers.get('location') ?? ''
  }
  const jobs = [await bulk(of(1)), await bulk(of(2))]
  await kill(signal)
  await start()
  const again = await integration()
  const completed = { status: 200, body: { status: 'Completed', progress: { done: 3_000, total: 3_000 } } }
  for (const job of jobs) await expect.poll(() => again.get(job), { timeout: 60_000 }).toMatchObject(completed)
  const keys = await keysOf(again, '/api/v1/structuralEntity')
  expect(keys.filter(key => key.startsWith(signal)).sort()).toEqual([...of(1), ...of(2)].sort())
})
