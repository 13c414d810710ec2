// What retention does with a job that has very many rows.
import { expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { forgetJobs } from '../../db/jobs/jobs-across-tenants.js'
import { newId } from '../../runtime/ids.js'
import { newTenant } from '../support/api.js'
import { openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { imported } from '../support/imports.js'
import { storeJob } from '../support/jobs.js'
import { until } from '../support/until.js'

const dayMs = 86_400_000
const db = openDatabase()

test('an import is gone for everybody before its many rows are deleted, some thousand at a time', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'a')
  const file = 'nationalId,givenName,familyName,StructuralEntityKeys\n1,Ada,Byron,a\n2,Ada,Byron,nowhere\n'
  const { jobId, status } = await imported(tenant, file)
  expect(status).toBe('Completed')
  const job = { tenant_id: await tenantIdOf(db, tenant.tenantKey), job_id: jobId }
  const moves = () => db('subject_import_moves').where(job)
  const count = async () => Number((await moves().count({ size: '*' }).first())?.size)
  const last = 'ffffffff-ffff-7fff-bfff-ffffffffffff'
  const ids = [...Array.from({ length: 12_000 }, newId), last]
  const row = { ...job, places_before: '[]', places_after: '["a"]' }
  await db.batchInsert(
    'subject_import_moves',
    ids.map(id => ({ ...row, subject_id: id })),
  )
  const old = new Date(Date.now() - 40 * dayMs)
  await db('jobs').where({ id: jobId }).update({ accepted_at: old, finished_at: old })

  const other = await db.transaction()
  try {
    await other('subject_import_moves')
      .where({ ...job, subject_id: last })
      .forUpdate()
      .first('subject_id')
    const forgotten = forgetJobs(db, 35 * dayMs)
    await until('the first rows are gone', async () => (await count()) <= 7_001)
    const path = `/api/v1/jobs/${jobId}`
    const answers = [path, `${path}/rejects`].map(each => tenant.get(each))
    for (const { status } of await Promise.all([...answers, tenant.post(`${path}/retry`), tenant.post(`${path}/undo`)]))
      expect(status).toBe(404)
    await other.rollback()
    expect(await forgotten).toBeGreaterThan(0)
  } finally {
    if (!other.isCompleted()) await other.rollback()
  }
  expect([await count(), await db('import_rejects').where(job), await db('jobs').where({ id: jobId })]).toEqual([
    0,
    [],
    [],
  ])
})

test('jobs of a suspended tenant stay until it goes on', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const tenant = await tenantIdOf(db, tenantKey)
  const old = new Date(Date.now() - 40 * dayMs)
  const id = await storeJob(db, tenant, { status: 'Completed', accepted_at: old, finished_at: old })
  const left = async () => {
    await forgetJobs(db, 35 * dayMs)
    return db('jobs').where({ tenant_id: tenant, id }).pluck('id')
  }
  await db('tenants').where({ id: tenant }).update({ suspended_at: new Date() })
  expect(await left()).toEqual([id])
  await db('tenants').where({ id: tenant }).update({ suspended_at: null })
  expect(await left()).toEqual([])
})

test.each(['Failed', 'Cancelled'])(
  'a deletion of a tenant that is %s stays, because only its retry goes on with it',
  async status => {
    const [owner, hidden] = [await newTenant(inject('baseUrl')), await newTenant(inject('baseUrl'))]
    const tenant = await tenantIdOf(db, owner.tenantKey)
    const old = new Date(Date.now() - 40 * dayMs)
    const columns = { kind: 'tenantDeletion', status, accepted_at: old, finished_at: old }
    const [id, other] = [await storeJob(db, tenant, columns), await storeJob(db, tenant, columns)]
    const named = { tenant_key: hidden.tenantKey }
    await db('tenants').where(named).update({ deletion_job_id: id })
    await forgetJobs(db, 35 * dayMs)
    expect(await db('jobs').where({ tenant_id: tenant }).whereIn('id', [id, other]).pluck('id')).toEqual([id])
    await db('tenants').where(named).update({ deletion_job_id: null })
  },
)
