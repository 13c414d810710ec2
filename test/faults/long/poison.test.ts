// A job at whose step every worker dies: it is parked before it has ended worker after worker for ever.
import { afterAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended, kill, placesOf } from '../../support/faults.js'
import { holdHierarchy } from '../../support/jobs.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const db = connect(stack.databaseUrl, { poolSize: 1 })
afterAll(() => db.destroy())

test('a job at which five workers have died is Failed and says so; a retry writes everything', async () => {
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(6_000, 11)
  model.apply(batch)
  const hierarchy = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, batch)
  const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  for (let death = 1; death <= 5; death++) {
    // Its attempt has counted the deaths before, and waits for the hierarchy. An attempt that gives up counts none.
    await until(`worker ${death} is in the step`, async () => {
      const { crashes } = await db('jobs').where({ tenant_id: id, id: jobId }).first('crashes')
      if (crashes !== death - 1) return false
      const [waiting] = await db.raw('SELECT 1 FROM information_schema.processlist WHERE info LIKE ?', [
        `%from \`hierarchies\` where \`tenant_id\` = ${id} %for update%`,
      ])
      return waiting.length > 0
    })
    await kill(stack.worker)
  }
  expect(await ended(tenant, jobId)).toMatchObject({
    status: 'Failed',
    problem: { type: '/problems/worker-crashed', status: 500, detail: expect.stringContaining('5 workers in a row') },
  })
  await hierarchy.release()
  expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 6_000 } })
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  const metrics = await (await fetch(`${stack.workerUrl}/metrics`)).text()
  expect(metrics).toContain('armature_poison_jobs_total 1')
})
