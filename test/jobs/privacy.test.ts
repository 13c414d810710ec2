// Texts of bulks in Temporal.
import { expect, inject, test } from 'vitest'
import { tenantWithPlaces } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import type { Page } from '../support/frame.js'
import { type Place, place } from '../support/hierarchy-model.js'
import { everythingTemporalHolds, holdHierarchy, openTemporal } from '../support/jobs.js'
import { until } from '../support/until.js'

const temporal = await openTemporal()

const secrets = (size: number): Place[] =>
  Array.from({ length: size }, (_, n) => place(`key-of-a-person-${n}`, 'home', 987_654_321, `Ms. Ada Lovelace ${n}`))

test('neither names, keys nor values of jobs reach Temporal, except sealed in the problem of a failed job', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  await tenant.put('/api/v1/structuralEntity', place('home'))
  const bulk = (size: number) => tenant.put('/api/v1/structuralEntity/bulk', secrets(size))
  const written: JobBody[] = []
  for (const size of [20, 1_001]) {
    const { status, headers } = await bulk(size)
    expect(status).toBe(204)
    written.push((await tenant.get<JobBody>(headers.get('location') ?? '')).body)
  }

  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const failing = bulk(1_001)
  const refused = await until('the job that fails is there', async () => {
    const { Edges } = (await tenant.get<Page<JobBody>>('/api/v1/jobs')).body
    return Edges.find(({ Node }) => Node.finishedAt === null)?.Node
  })
  await hierarchy.remove('home')
  await hierarchy.release()
  expect(await failing).toMatchObject({ status: 400, body: { detail: expect.stringContaining("'home'") } })

  const failed = await ended(tenant, refused.jobId)
  const told = await everythingTemporalHolds(temporal, failed)
  expect(told, 'the failure in the Temporal UI says what is wrong').toContain(failed.problem?.detail)
  const sealed = await everythingTemporalHolds(temporal, failed, { opened: false })
  expect(sealed).not.toContain(failed.problem?.detail)

  for (const { jobId } of written) {
    const job = await ended(tenant, jobId)
    const held = await everythingTemporalHolds(temporal, job)
    expect(held).toContain(jobId)
    expect(held).toContain(tenant.tenantKey)
    // What the run was started with: it was sealed, and is opened here.
    expect(held).toContain(`"jobId":"${jobId}"`)
    for (const secret of ['Lovelace', 'key-of-a-person', '987654321', 'home']) expect(held).not.toContain(secret)
  }
})
