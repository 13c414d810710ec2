// What retention does with a job that has very many rows.
import { expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { forgetJobs } from '../../db/jobs/jobs-across-tenants.js'
import { newId } from '../../runtime/ids.js'
import { openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { imported } from '../support/imports.js'
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
