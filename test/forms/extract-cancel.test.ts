import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Tenant } from '../support/api.js'
import { listed } from '../support/extract-faults.js'
import { holdDefinition, waiting } from '../support/extract-holds.js'
import { holdExtracts } from '../support/extract-rows.js'
import { blockAsked, type ExtractBody, extractPath, formAsked } from '../support/extracts.js'
import { ended, type JobBody } from '../support/faults.js'
import type { FormsTenant } from '../support/forms.js'
import { notesTenant, type Patient, whole } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

const db = openDatabase()
afterAll(() => db.destroy())

let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
})

const act = (client: Tenant, what: 'cancel' | 'retry', { links }: JobBody) => client.post(`${links.self}/${what}`)

test('an extract that is cancelled keeps what is listed and has no result; retried, it goes on as of its first instant', async () => {
  const id = await patient.created()
  await patient.submit(id, whole)
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const door = await holdExtracts(inject('databaseUrl'), tenant.tenantKey)
  const body = { definitions: [formAsked('small'), blockAsked('small', { identifier: 'block' })] }
  const { status, body: job } = await tenant.forms.post<JobBody>(extractPath, body, { prefer: 'respond-async' })
  expect(status).toBe(202)
  // It comes before the worker can, which waits at the first door and has more to do then.
  const second = holdDefinition(db, tenantId, job.jobId, 1)
  await waiting(db, tenantId, /^insert into `form_extract_results`/i, 2)
  await door.release()
  await listed(db, job.jobId, 1)
  const later = await patient.created()
  await patient.submit(later, whole)
  await patient.withdraw(id)

  expect(await act(tenant, 'cancel', job)).toMatchObject({ status: 202 })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Cancelled', progress: { done: 1, total: 2 } })
  const result = () => tenant.forms.get<ExtractBody>(`${job.links.self}/result`)
  expect(await result()).toMatchObject({
    status: 409,
    body: { type: '/problems/job-not-completed', detail: expect.stringContaining('The extract is cancelled;') },
  })
  expect(await act(tenant, 'cancel', job)).toMatchObject({ status: 409, body: { type: '/problems/job-ended' } })

  expect(await act(tenant, 'retry', job)).toMatchObject({ status: 202, body: { progress: { done: 1, total: 2 } } })
  await (await second).open()
  const done = await ended(tenant, job.jobId)
  expect(done).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 }, counts: { results: 2 } })
  const answer = await result()
  expect(answer.body.results.map(({ results }) => results.map(({ instanceGuid }) => instanceGuid))).toEqual([
    [id],
    [id],
  ])
  expect(done).toMatchObject({ input: { instant: answer.headers.get('extract-instant') } })
  expect(await act(tenant, 'retry', job)).toMatchObject({ status: 409, body: { type: '/problems/job-not-ended' } })
})
