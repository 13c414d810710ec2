// Data changes whose rows could not be fetched.
import { afterAll, expect, test } from 'vitest'
import {
  type ChangeAnswer,
  changePaths,
  gate,
  points,
  type RowsBody,
  refreshed,
  refreshPath,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { type DataTenant, dataTenant, point } from '../support/factories.js'
import { ended } from '../support/faults.js'

const provider = await scriptedProvider()
const extracts = { register: { of: 'all' } }
const bySubject = await dataTenant(scriptedGlue(provider.url, { by: ['subject'], extracts }), ['ada', 'bob'])
const whole = await dataTenant(scriptedGlue(provider.url, { extracts }), ['ada'])
afterAll(() => provider.stop())

/** Announces a change, and has its job and its number. */
async function announce(tenant: DataTenant, SubjectIdentifier = 'ada') {
  const announced = { SubjectIdentifier, DataExtractsOptionsValuesFilter: { of: 'all' } }
  const { body } = await tenant.provider.post<ChangeAnswer>(changePaths.created, announced)
  return { jobId: body.JobId ?? '', number: body.Generations.register ?? 0 }
}

/** What a reader is told who waits for a change. */
async function read(tenant: DataTenant, { number = 0, of = '' }: { number?: number; of?: string } = {}) {
  const subject = of && `&SubjectIdentifier=${of}`
  const { status, body } = await tenant.get<RowsBody>(`${rowsPath()}?MinGeneration=${number}${subject}`)
  expect(status).toBe(200)
  expect(body.Generation).toBeGreaterThanOrEqual(number)
  return { failed: body.FailedGenerations, generation: body.Generation }
}

const failing = () => provider.says(() => ({ status: 404 }))
const says = (...ids: string[]) =>
  provider.says(({ subjectIdentifier = 'ada' }) => ({ dataPoints: ids.map(id => point(id, subjectIdentifier)) }))

test('a reader of a change that could not be fetched is told so, until its subject is fetched', async () => {
  says('a')
  await refreshed(bySubject)
  failing()
  const first = await announce(bySubject)
  expect(await ended(bySubject, first.jobId)).toMatchObject({ status: 'Failed' })
  const named = (last: { number: number; jobId: string }) => [
    { SubjectId: bySubject.subjects.ada?.id, First: first.number, Last: last.number, JobId: last.jobId },
  ]
  expect((await read(bySubject, first)).failed).toEqual(named(first))
  expect((await read(bySubject, { of: 'ada' })).failed).toEqual(named(first))
  expect((await read(bySubject, { of: 'bob' })).failed).toEqual([])

  const second = await announce(bySubject)
  expect(await ended(bySubject, second.jobId)).toMatchObject({ status: 'Failed' })
  expect((await read(bySubject, second)).failed).toEqual(named(second))

  says('b')
  const third = await announce(bySubject)
  expect(await ended(bySubject, third.jobId)).toMatchObject({ status: 'Completed' })
  expect((await read(bySubject, third)).failed).toEqual([])
})

test('a generation that was reached stays reached while a later change of the subject is fetched', async () => {
  failing()
  const failed = await announce(bySubject)
  await ended(bySubject, failed.jobId)
  const { generation } = await read(bySubject, failed)
  const door = gate()
  provider.says(async () => {
    door.arrive()
    await door.passed
    return { dataPoints: [] }
  })
  const { jobId } = await announce(bySubject)
  await door.reached
  const meanwhile = await read(bySubject)
  expect(meanwhile.generation).toBeGreaterThanOrEqual(generation)
  expect(meanwhile.failed).toMatchObject([{ First: failed.number, Last: failed.number, JobId: failed.jobId }])
  door.open()
  await ended(bySubject, jobId)
})

test('a retry of the job fetches the subject again', async () => {
  failing()
  const { jobId, number } = await announce(bySubject)
  expect(await ended(bySubject, jobId)).toMatchObject({ status: 'Failed' })
  says('retried')
  expect((await bySubject.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
  expect(await ended(bySubject, jobId)).toMatchObject({ status: 'Completed', counts: { rows: 1, fetches: 1 } })
  expect((await read(bySubject, { number })).failed).toEqual([])
  expect((await points(bySubject)).map(({ Id, SubjectIdentifier }) => `${SubjectIdentifier} ${Id}`)).toContain(
    'ada retried',
  )
})

test('a failed change of a data set without fetches by subject is named until a refresh succeeds', async () => {
  says('a')
  await refreshed(whole)
  failing()
  const { jobId, number } = await announce(whole)
  expect(await ended(whole, jobId)).toMatchObject({ kind: 'dataSetRefresh', status: 'Failed' })
  const named = [{ SubjectId: whole.subjects.ada?.id, First: number, Last: number, JobId: jobId }]
  expect((await read(whole, { number })).failed).toEqual(named)
  expect((await whole.post(refreshPath())).status).toBe(502)
  expect((await read(whole, { number })).failed).toEqual(named)
  says('b')
  await refreshed(whole)
  expect((await read(whole, { number })).failed).toEqual([])
})

test('a change whose job was cancelled is named as failed, together with an earlier one of its subject that failed', async () => {
  failing()
  const first = await announce(bySubject, 'bob')
  expect(await ended(bySubject, first.jobId)).toMatchObject({ status: 'Failed' })
  const door = gate()
  provider.says(async () => {
    door.arrive()
    await door.passed
    return { dataPoints: [] }
  })
  const { jobId, number } = await announce(bySubject, 'bob')
  await door.reached
  await bySubject.post(`/api/v1/jobs/${jobId}/cancel`)
  expect(await ended(bySubject, jobId)).toMatchObject({ status: 'Cancelled' })
  door.open()
  expect((await read(bySubject, { number })).failed).toMatchObject([
    { SubjectId: bySubject.subjects.bob?.id, First: first.number, Last: number, JobId: jobId },
  ])
})
