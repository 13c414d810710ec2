// Jobs of extracts.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { listNextDefinition } from '../../db/forms/extracts/extract-lists.js'
import { acceptExtract, extractOf } from '../../db/forms/extracts/extracts.js'
import { createJob } from '../../db/jobs/create.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { forgetJobs } from '../../db/jobs/jobs-across-tenants.js'
import { noReplicas } from '../../db/replicas.js'
import { newId } from '../../runtime/ids.js'
import type { Reply, Tenant } from '../support/api.js'
import { listed } from '../support/extract-practice.js'
import {
  type ExtractBody,
  extract,
  extractPath,
  holdDefinition,
  holdExtracts,
  holdJob,
  likePerson,
  waiting,
} from '../support/extracts.js'
import {
  anEntity,
  aType,
  blockAsked,
  formAsked,
  type NotesForm,
  notesForm,
  notesTenant,
  openDatabase,
  whole,
} from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { refusal } from '../support/frame.js'

const db = openDatabase()
/** Of one connection: what asks by it waits where that is held. */
const narrow = connect(inject('databaseUrl'), { poolSize: 1 })
afterAll(() => narrow.destroy())

const { tenant, patient } = await notesTenant()
const tenantId = await tenantIdOf(db, tenant.tenantKey)
const guid = await patient.created()
await patient.submit(guid, whole)

const definitions = [formAsked('small'), blockAsked('small', { identifier: 'block', controlIds: ['must'] })]
const later = { prefer: 'respond-async' }

interface ExtractJob extends JobBody {
  input: object
  links: JobBody['links'] & { result: string }
}

const begin = async (body: object = { definitions }, headers = {}): Promise<Reply<ExtractJob>> => {
  const reply = await tenant.forms.post<ExtractJob>(extractPath, body, { ...later, ...headers })
  expect(reply.status).toBe(202)
  return reply
}
const resultOf = ({ links }: ExtractJob, headers = {}) => tenant.forms.get<ExtractBody>(links.result, headers)
const idsIn = ({ body }: Reply<ExtractBody>) =>
  body.results.map(({ results }) => results.map(({ instanceGuid }) => instanceGuid))

describe('Prefer: respond-async', () => {
  test('answers the job, which says what was asked for and as of when, and not of whom', async () => {
    const asked = {
      subjectIdentifiers: [tenant.externalId, tenant.subjectId, randomUUID()],
      from: '2020-01-01T01:00:00.0000001+01:00',
      maxResults: 10,
      definitions,
    }
    const { headers, body: job } = await begin(asked)
    const self = `/api/v1/jobs/${job.jobId}`
    expect(headers.get('location')).toBe(self)
    expect(headers.get('preference-applied')).toBe('respond-async')
    expect(job).toMatchObject({ kind: 'multiExtract', links: { self, result: `${self}/result` } })
    const done = (await ended(tenant.forms, job.jobId)) as ExtractJob
    expect(done).toMatchObject({
      status: 'Completed',
      progress: { done: 2, total: 2 },
      counts: { results: 2 },
      input: {
        from: '2020-01-01T00:00:00.001Z',
        maxResults: 10,
        subjects: 1,
        definitions: [
          { identifier: 'small', type: 'form', key: 'small', version: 1 },
          { identifier: 'block', type: 'building-block', key: 'small', version: 1 },
        ],
        instant: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
      },
    })
    for (const id of [tenant.subjectId, tenant.externalId]) expect(JSON.stringify(done)).not.toContain(id)
    const result = await resultOf(job)
    expect([result.status, result.headers.get('extract-instant')]).toEqual([200, Object(done.input).instant])
    expect(idsIn(result)).toEqual([[guid], [guid]])
    const zipped = await tenant.forms.get<string>(job.links.result, {
      accept: 'application/x-ndjson',
      'accept-encoding': 'gzip',
    })
    expect([zipped.headers.get('content-type'), zipped.headers.get('content-encoding')]).toEqual([
      'application/x-ndjson',
      'gzip',
    ])
    expect(zipped.body.match(/\n/g)).toHaveLength(2)
  })

  test('an extract of everything says that it is not of certain subjects', async () => {
    const { body } = await begin()
    const { input } = (await ended(tenant.forms, body.jobId)) as ExtractJob
    expect(Object.keys(input)).toEqual(['definitions', 'instant'])
  })
})

describe('a job that is not completed has no result: 409', () => {
  test('while it runs, the advice is to ask again; when it is cancelled, to retry it, which keeps its instant', async () => {
    const extracts = await holdExtracts(inject('databaseUrl'), tenant.tenantKey)
    const { body: job } = await begin()
    const running = await resultOf(job)
    expect(refusal(running)).toEqual({ status: 409, code: 'job-not-completed', errors: [] })
    expect(running.headers.get('retry-after')).toBe('1')
    expect(running.body).toMatchObject({ detail: expect.stringContaining('ask again') })

    expect((await tenant.forms.post(`${job.links.self}/cancel`)).status).toBe(202)
    const cancelled = (await ended(tenant.forms, job.jobId)) as ExtractJob
    expect(cancelled.status).toBe('Cancelled')
    const refused = await resultOf(job)
    expect(refusal(refused)).toEqual({ status: 409, code: 'job-not-completed', errors: [] })
    expect(refused.headers.get('retry-after')).toBeNull()
    expect(refused.body).toMatchObject({ detail: expect.stringContaining(`POST ${job.links.self}/retry`) })
    await extracts.release()

    const late = await patient.created()
    await patient.submit(late, whole)
    expect((await tenant.forms.post(`${job.links.self}/retry`)).status).toBe(202)
    expect(await ended(tenant.forms, job.jobId)).toMatchObject({ status: 'Completed', input: cancelled.input })
    expect(idsIn(await resultOf(job))).toEqual([[guid], [guid]])
    await patient.withdraw(late)
  })

  test('a failed extract says where the reason can be read', async () => {
    const { body: job } = await begin()
    await ended(tenant.forms, job.jobId)
    const problem = {
      status: 500,
      code: 'run-ended',
      title: 'It ended',
      detail: 'An operator has ended it.',
      faults: [],
    }
    await db('jobs')
      .where({ id: job.jobId })
      .update({ status: 'Failed', problem: JSON.stringify(problem) })
    const failed = await resultOf(job)
    expect(refusal(failed)).toEqual({ status: 409, code: 'job-not-completed', errors: [] })
    expect(failed.headers.get('retry-after')).toBeNull()
    expect(failed.body).toMatchObject({ detail: expect.stringMatching(/^The extract is failed; GET \S+ says why/) })
  })
})

test('a job of another kind, one that is not there and what is no id have no result: 404', async () => {
  await tenant.put('/api/v1/structureType', aType('unit'))
  const { body: bulk } = await tenant.put<JobBody>('/api/v1/structuralEntity/bulk', [anEntity('e')], later)
  for (const id of [bulk.jobId, randomUUID(), 'nothing', '%C3%A9', `${bulk.jobId}%20`]) {
    const reply = await tenant.forms.get(`/api/v1/jobs/${id}/result`)
    expect(refusal(reply)).toEqual({ status: 404, code: 'not-found', errors: [] })
  }
  const { body } = await tenant.forms.get(`${bulk.links.self}/result`)
  expect(body).toMatchObject({ detail: `The job '${bulk.jobId}' is not an extract, so it has no result.` })
})

describe('the result of an extract', () => {
  let form: NotesForm
  let first: string
  let second: string
  let asked: object
  let n = 0
  beforeEach(async () => {
    form = await notesForm(tenant, `found-${n++}`)
    first = await form.submitted()
    second = await form.submitted()
    asked = { definitions: form.definitions }
  })

  test('stays as it was at its instant, whatever is submitted, amended, withdrawn and reinstated afterwards', async () => {
    const reply = await extract(tenant.forms, asked)
    expect(idsIn(reply)).toEqual([
      [second, first],
      [second, first],
    ])
    const path = `${reply.headers.get('location')}/result`
    const third = await form.submitted()
    await patient.amend(first)
    await patient.submit(first, { ...whole, note: 'amended' }, await patient.etag(first))
    await patient.withdraw(second)
    expect((await tenant.forms.get(path)).body).toEqual(reply.body)
    await patient.reinstate(second)
    await patient.withdraw(first)
    expect((await tenant.forms.get(path)).body).toEqual(reply.body)
    expect(idsIn(await extract(tenant.forms, asked))).toEqual([
      [third, second],
      [third, second],
    ])
  })

  test('is found again with the same Idempotency-Key; another request with it is 422', async () => {
    const key = { 'idempotency-key': 'nightly' }
    const reply = await extract(tenant.forms, asked, key)
    await patient.withdraw(second)
    const again = await extract(tenant.forms, asked, key)
    expect([again.status, again.body]).toEqual([200, reply.body])
    for (const name of ['location', 'extract-instant']) expect(again.headers.get(name)).toBe(reply.headers.get(name))
    const async = await tenant.forms.post<ExtractJob>(extractPath, asked, { ...key, ...later })
    expect([async.status, async.headers.get('location')]).toEqual([202, reply.headers.get('location')])
    const other = await extract(tenant.forms, { ...asked, maxResults: 1 }, key)
    expect(refusal(other)).toEqual({ status: 422, code: 'idempotency-key-reused', errors: [] })
  })

  test('is deleted with its job, and its Idempotency-Key may be used again', async () => {
    const key = { 'idempotency-key': 'forgotten' }
    const { headers } = await extract(tenant.forms, asked, key)
    const path = headers.get('location') ?? ''
    const jobId = path.split('/').at(-1) ?? ''
    const rows = async () =>
      Promise.all(['form_extracts', 'form_extract_results'].map(table => db(table).where({ job_id: jobId })))
    expect((await rows()).map(each => each.length)).toEqual([1, 2])
    const day = 24 * 3_600_000
    // The stack's own retention leaves it alone.
    const old = new Date(Date.now() - 10 * day)
    await db('jobs').where({ id: jobId }).update({ accepted_at: old, finished_at: old })
    await forgetJobs(db, 11 * day)
    expect((await rows()).map(each => each.length)).toEqual([1, 2])
    await forgetJobs(db, 9 * day)
    expect((await tenant.forms.get(path)).status).toBe(404)
    expect(await rows()).toEqual([[], []])
    expect((await tenant.forms.get(`${path}/result`)).status).toBe(404)
    const again = await extract(tenant.forms, asked, key)
    expect([again.status, again.headers.get('location') === path]).toEqual([200, false])
  })
})

const act = (client: Tenant, what: 'cancel' | 'retry', { links }: JobBody) => client.post(`${links.self}/${what}`)

test('an extract that is cancelled keeps what is listed and has no result; retried, it goes on as of its first instant', async () => {
  const form = await notesForm(tenant, 'cancelled')
  const id = await form.submitted()
  const door = await holdExtracts(inject('databaseUrl'), tenant.tenantKey)
  const body = { definitions: form.definitions }
  const { status, body: job } = await tenant.forms.post<JobBody>(extractPath, body, { prefer: 'respond-async' })
  expect(status).toBe(202)
  // The worker waits at the first door, and for its job behind that, until the second definition is held.
  const first = await holdJob(db, tenantId, job.jobId)
  const holding = holdDefinition(db, tenantId, job.jobId, 1)
  await waiting(db, tenantId, /^insert into form_extract_results/i, 2)
  await door.release()
  const second = await holding
  await first.open()
  await listed(db, job.jobId, 1)
  await form.submitted()
  await patient.withdraw(id)

  expect(await act(tenant, 'cancel', job)).toMatchObject({ status: 202 })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Cancelled', progress: { done: 1, total: 2 } })
  const answered = () => tenant.forms.get<ExtractBody>(`${job.links.self}/result`)
  expect(await answered()).toMatchObject({
    status: 409,
    body: { type: '/problems/job-not-completed', detail: expect.stringContaining('The extract is cancelled;') },
  })
  expect(await act(tenant, 'cancel', job)).toMatchObject({ status: 409, body: { type: '/problems/job-ended' } })

  expect(await act(tenant, 'retry', job)).toMatchObject({ status: 202, body: { progress: { done: 1, total: 2 } } })
  await second.open()
  const done = await ended(tenant, job.jobId)
  expect(done).toMatchObject({ status: 'Completed', progress: { done: 2, total: 2 }, counts: { results: 2 } })
  const answer = await answered()
  expect(answer.body.results.map(({ results }) => results.map(({ instanceGuid }) => instanceGuid))).toEqual([
    [id],
    [id],
  ])
  expect(done).toMatchObject({ input: { instant: answer.headers.get('extract-instant') } })
  expect(await act(tenant, 'retry', job)).toMatchObject({ status: 409, body: { type: '/problems/job-not-ended' } })
})

test('an activity that continues after its successor neither sets the job back nor changes its result', async () => {
  const { key, submitted } = await notesForm(tenant, 'late')
  await submitted()
  const id = newId()
  const definitions = ['a', 'b', 'c'].map(identifier => ({
    identifier,
    type: 'form' as const,
    key,
    version: 1,
  }))
  await db.transaction(async trx => {
    const named = { actor: 'test', workflowId: id, traceId: id }
    await createJob(trx, tenantId, { id, kind: 'multiExtract', queue: 'background', total: 3, ...named })
    await acceptExtract(trx, tenantId, id, { definitions }, undefined)
  })
  await jobStore(db, tenantId).assignRun(id, 'run', null)
  const next = (by: Knex) =>
    listNextDefinition({ db: by, reads: noReplicas(by) }, tenantId, { jobId: id, runId: 'run' })

  // It has read what counts, and then gets nowhere.
  const door = new Promise<Knex.Transaction>(resolve => {
    narrow.on('query', ({ sql }) => {
      if (sql.includes('form_reports')) resolve(narrow.transaction())
    })
  })
  const lost = next(narrow)
  const held = await door
  expect([await next(db), await next(db)]).toEqual([1, 2].map(done => ({ state: 'open', done, total: 3 })))
  await held.rollback()
  expect(await lost).toEqual({ state: 'open', done: 2, total: 3 })
  const end = { state: 'ended', end: 'all', done: 3, total: 3, counts: { results: 3 } }
  expect([await next(db), await next(db)]).toEqual([end, end])
  expect(await extractOf(db, tenantId, id)).toMatchObject({ taken: [1, 1, 1] })
})

const one = [formAsked('small')]
const two = [...one, blockAsked('small', { identifier: 'block' })]
const subjects = Array.from({ length: 1_001 }, (): string => randomUUID())

test.each<[string, object, 'interactive' | 'background']>([
  ['few results', { definitions: one, maxResults: 20 }, 'interactive'],
  ['10,000 of one definition', { definitions: one, maxResults: 10_000 }, 'interactive'],
  ['one more', { definitions: one, maxResults: 10_001 }, 'background'],
  ['10,000 of two definitions together', { definitions: two, maxResults: 5_000 }, 'interactive'],
  ['more of two', { definitions: two, maxResults: 5_001 }, 'background'],
  ['no limit', { definitions: one }, 'background'],
  [
    'few, picked for each subject',
    { definitions: one, maxResults: 20, maxResultsPerDefinitionPerSubject: 1 },
    'background',
  ],
  ['few of one subject', { definitions: one, maxResults: 20, subjectIdentifiers: subjects.slice(0, 1) }, 'interactive'],
])('where an extract is listed: %s', async (_, asked, queue) => {
  const { status, body } = await tenant.forms.post<JobBody>(extractPath, asked, { prefer: 'respond-async' })
  expect(status).toBe(202)
  expect(await db('jobs').where({ id: body.jobId }).first('queue')).toEqual({ queue })
})

test('subjects who do not exist are not counted, and more than 1,000 who do are picked out of all', async () => {
  const asked = { definitions: one, maxResults: 20, subjectIdentifiers: subjects }
  const { body } = await tenant.forms.post<JobBody>(extractPath, asked, { prefer: 'respond-async' })
  expect(await db('jobs').where({ id: body.jobId }).first('queue')).toEqual({ queue: 'interactive' })
  const known = await likePerson(db, tenant.subjectId, 1_001)
  const more = await tenant.forms.post<JobBody>(
    extractPath,
    { ...asked, subjectIdentifiers: known },
    { prefer: 'respond-async' },
  )
  expect(await db('jobs').where({ id: more.body.jobId }).first('queue')).toEqual({ queue: 'background' })
})
