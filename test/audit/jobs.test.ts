// A job, and the audit, say who has cancelled, retried and undone it.
import { expect, inject, test } from 'vitest'
import type { Api } from '../support/api.js'
import { auditOf } from '../support/audit.js'
import { anEntity, plantWards, subjectTenant } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { holdHierarchy } from '../support/jobs.js'

interface Job {
  jobId: string
  status: string
  actor: string
  cancelledBy?: string
  retriedBy?: string
  undoneBy?: string
}

const jobOf = async (tenant: Api, id: string) => (await tenant.get<Job>(`/api/v1/jobs/${id}`)).body

test('who has cancelled and retried a job stands in the job, and all that was done with it in the audit', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'w')
  const [one, two] = [await tenant.client(['Edit:Job', 'View:Job']), await tenant.client(['Edit:Job', 'View:Job'])]
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const many = Array.from({ length: 6_000 }, (_, n) => anEntity(`m${n}`))
  const { body } = await tenant.put<Job>('/api/v1/structuralEntity/bulk', many, { prefer: 'respond-async' })
  expect(body).not.toHaveProperty('cancelledBy')
  await one.post(`/api/v1/jobs/${body.jobId}/cancel`)
  await hierarchy.release()
  expect(await jobOf(tenant, body.jobId)).toMatchObject({ actor: tenant.clientId, cancelledBy: one.clientId })
  await expect.poll(async () => (await two.post(`/api/v1/jobs/${body.jobId}/retry`)).status).toBe(202)
  await ended(tenant, body.jobId)
  expect(await jobOf(tenant, body.jobId)).toMatchObject({
    status: 'Completed',
    cancelledBy: one.clientId,
    retriedBy: two.clientId,
  })
  const told = await auditOf(tenant, { Id: body.jobId })
  expect(told.map(({ action, client }) => [action, client])).toEqual([
    ['putStructuralEntities', tenant.clientId],
    ['cancelJob', one.clientId],
    ['retryJob', two.clientId],
  ])
})

test('jobs that many at once are cancelled and retried by their filter say so too', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'w')
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const ids: string[] = []
  for (const key of ['a', 'b']) {
    const many = Array.from({ length: 1_100 }, (_, n) => anEntity(`${key}${n}`))
    const { body } = await tenant.put<Job>('/api/v1/structuralEntity/bulk', many, { prefer: 'respond-async' })
    ids.push(body.jobId)
  }
  const { body } = await tenant.post<{ asOf: string }>('/api/v1/jobs/cancel')
  await tenant.post(`/api/v1/jobs/cancel?AsOf=${encodeURIComponent(body.asOf)}`)
  await hierarchy.release()
  for (const id of ids) expect(await jobOf(tenant, id)).toMatchObject({ cancelledBy: tenant.clientId })
  const [event, ...more] = await auditOf(tenant, { Action: 'cancelJobs' })
  expect(more).toEqual([])
  expect([...(event?.ids ?? [])].sort()).toEqual([...ids].sort())
})
