// Tenants that are deleted, and nothing of others with them.
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { deleteNext, tablesToDelete } from '../../db/admin/tenant-deletion.js'
import { importing, tenantIdOf } from '../../db/admin/tenants.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { newId } from '../../runtime/ids.js'
import { type Api, admin, newTenant } from '../support/api.js'
import { armature } from '../support/armature.js'
import { auditForPlatform } from '../support/audit.js'
import { type ScriptedProvider, scriptedProvider } from '../support/data-sets.js'
import { openDatabase } from '../support/factories.js'
import { type FurnishedTenant, furnishedTenant } from '../support/furnished-tenant.js'
import { storeJob, temporalClient } from '../support/jobs.js'
import { rowsOf, suspendedLong } from '../support/tenant-rows.js'
import { until } from '../support/until.js'

const db = openDatabase()
let platform: Api
let provider: ScriptedProvider
let temporal: Awaited<ReturnType<typeof temporalClient>>
let tenant: FurnishedTenant
let other: FurnishedTenant
beforeAll(async () => {
  platform = await admin(inject('baseUrl'))
  provider = await scriptedProvider()
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  tenant = await furnishedTenant(provider)
  other = await furnishedTenant(provider)
})
afterAll(() => Promise.all([temporal?.close(), provider?.stop()]))

const pathOf = (tenantKey: string) => `/admin/v1/tenants/${tenantKey}`

async function runsOf(tenantKey: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { workflowId } of temporal.client.workflow.list({ query: `TenantKey = '${tenantKey}'` }))
    ids.push(workflowId)
  return ids
}

test('only a tenant that has long been suspended is deleted, and only if its key is repeated', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const id = await tenantIdOf(db, tenantKey)
  const confirmed = () => platform.delete(`${pathOf(tenantKey)}?confirm=${tenantKey}`)
  const refused = { status: 409, body: { type: '/problems/tenant-not-suspended' } }
  expect(await confirmed()).toMatchObject(refused)
  await platform.put(`${pathOf(tenantKey)}/suspension`, undefined)
  expect(await confirmed()).toMatchObject(refused)
  await suspendedLong(db, id)
  expect(await platform.delete(`${pathOf(tenantKey)}?confirm=demo`)).toMatchObject({ status: 400 })
  expect(await platform.delete(pathOf('demo'))).toMatchObject({ status: 409, body: { type: '/problems/own-tenant' } })
  expect(await platform.delete(pathOf('nowhere'))).toMatchObject({ status: 404 })
  expect(Object.keys(await rowsOf(db, id))).toContain('clients')
})

test('all that a tenant has is deleted, and nothing of another one', async () => {
  const { tenantKey } = tenant
  const id = await tenantIdOf(db, tenantKey)
  const exports = join(inject('exportDir'), tenantKey)
  await mkdir(join(exports, 'visits'), { recursive: true })
  await writeFile(join(exports, 'visits', 'manifest.json'), '{}')
  const otherId = await tenantIdOf(db, other.tenantKey)
  const [others, runsOfOther] = [await rowsOf(db, otherId, { isSettled: true }), await runsOf(other.tenantKey)]
  const before = await rowsOf(db, id, { isSettled: true })
  expect(Object.keys(before).length).toBeGreaterThan(30)
  expect(await runsOf(tenantKey)).not.toEqual([])
  const planned = await platform.delete<{ rows: number; tables: Record<string, number> }>(pathOf(tenantKey))
  expect(Object.keys(planned.body.tables)).toEqual(expect.arrayContaining(Object.keys(before)))
  expect(planned.body.tables.subjects).toBe(before.subjects?.length)

  await platform.put(`${pathOf(tenantKey)}/suspension`, undefined)
  await suspendedLong(db, id)
  const asked = await armature(['tenant', 'delete', tenantKey])
  expect(asked.stderr).toContain(`Nothing was: add --confirm ${tenantKey}.`)
  const { code, stdout } = await armature(['tenant', 'delete', tenantKey, '--confirm', tenantKey, '--output', 'json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ subjects: before.subjects?.length })

  expect(await rowsOf(db, id)).toEqual({})
  expect(await db('tenants').where({ id })).toEqual([])
  expect(await runsOf(tenantKey)).toEqual([])
  expect(await readdir(inject('exportDir'))).not.toContain(tenantKey)
  expect(await rowsOf(db, otherId, { isSettled: true })).toEqual(others)
  expect(await runsOf(other.tenantKey)).toEqual(runsOfOther)
  await until('its clients are unknown', async () => (await tenant.get('/api/v1/jobs')).status === 401)

  const told = (await auditForPlatform('')).filter(
    ({ action, tenant }) => action === 'deleteTenant' && tenant === tenantKey,
  )
  expect(told).toMatchObject([
    { client: 'platform-admin', outcome: 'done', deleted: { subjects: before.subjects?.length } },
  ])
})

test('a tenant whose import broke off is deleted too, when nothing writes to it any more', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const id = await tenantIdOf(db, tenantKey)
  const brokenOff = { deletion_job_id: importing, suspended_at: db.raw('CURRENT_TIMESTAMP(3)') }
  await db('tenants').where({ id }).update(brokenOff)
  expect(await platform.delete(`${pathOf(tenantKey)}?confirm=${tenantKey}`)).toMatchObject({
    status: 409,
    body: { type: '/problems/tenant-not-suspended' },
  })
  await suspendedLong(db, id)
  expect(await armature(['tenant', 'delete', tenantKey, '--confirm', tenantKey])).toMatchObject({ code: 0 })
  expect([await rowsOf(db, id), await db('tenants').where({ id })]).toEqual([{}, []])
})

test('the key of a deleted tenant is free for another one, which has nothing of the first', async () => {
  await platform.put(pathOf(tenant.tenantKey), { name: 'Again' })
  const id = await tenantIdOf(db, tenant.tenantKey)
  expect(Object.keys(await rowsOf(db, id))).not.toContain('subjects')
  expect((await platform.get<{ name: string }>(pathOf(tenant.tenantKey))).body.name).toBe('Again')
})

test('what opens the tenant goes before its documents, and its key is taken until nothing outside of the database bears it', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const others = await newTenant(inject('baseUrl'))
  const [tenantId, owner] = [await tenantIdOf(db, tenantKey), await tenantIdOf(db, others.tenantKey)]
  await suspendedLong(db, tenantId)
  const document = { id: newId(), subject_id: newId(), state: 'stored', storage: 's3', actor: 'a' }
  await db('record_items').insert({ tenant_id: tenantId, ...document, created_at: new Date() })
  const opening = () => db('clients').where({ tenant_id: tenantId }).pluck('client_id')
  expect(await opening()).not.toEqual([])
  const left: string[][] = []
  const runId = newId()
  const input = JSON.stringify({ tenantKey, tenantId })
  const begun = { status: 'Running', run_id: runId, started_at: new Date(), retried_by: 'who-retried-it' }
  const columns = { kind: 'tenantDeletion', input, ...begun }
  const jobId = await storeJob(db, owner, columns)
  const tables = await tablesToDelete(db)
  async function steps(remove: (part: string) => void): Promise<void> {
    for (let state = 'open'; state === 'open'; ) {
      const job = await jobStore(db, owner).byId(jobId)
      if (!job) throw new Error('The job is gone.')
      const outside = {
        async removeFiles() {
          left.push(await opening())
        },
        async remove(part: string) {
          remove(part)
          return { deleted: 0, isMore: false }
        },
      }
      state = (await deleteNext(db, owner, { jobId, runId }, job, tables, outside)).state
    }
  }
  const failing = steps(part => {
    if (part === 'exports') throw new Error('The destination is away.')
  })
  await expect(failing).rejects.toThrow('The destination is away.')
  expect(left).toEqual([[]])

  const apply = () => platform.put(pathOf(tenantKey), { name: 'Again' })
  expect(await apply()).toMatchObject({
    status: 409,
    body: { type: '/problems/tenant-deleted', detail: expect.stringContaining(jobId) },
  })
  // What is refused meanwhile is told to the installation, because the tenant's audit is deleted already.
  const operator = await others.client(['List:Tenant'], ['PlatformAdmin'])
  expect((await operator.put(pathOf(tenantKey), { name: 'x' })).status).toBe(403)
  const told = async () => (await auditForPlatform('')).filter(({ client }) => client === operator.clientId)
  await until(
    'it is told',
    async () => (await told()).length === 1 || Object.keys(await rowsOf(db, tenantId)).length > 0,
  )
  expect(await rowsOf(db, tenantId)).toEqual({})
  await steps(() => undefined)
  const deletions = (await auditForPlatform('')).filter(({ ids }) => ids.includes(jobId))
  expect(deletions).toMatchObject([{ action: 'deleteTenant', client: 'who-retried-it' }])
  expect((await apply()).status).toBe(200)
})
