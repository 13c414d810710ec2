// Temporal accepts connections and answers nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoGlue } from '../../../dev/demo-glue.js'
import { type Api, admin, newTenant, type Reply, type Tenant } from '../../support/api.js'
import { refreshPath } from '../../support/data-sets.js'
import { extractPath } from '../../support/extracts.js'
import {
  addSubject,
  anEntity,
  aSmallTemplate,
  aType,
  formAsked,
  openDatabase,
  tenantWithPlaces,
} from '../../support/factories.js'
import { acceptBulk, ended, type JobBody, placesOf, progressed, signal } from '../../support/faults.js'
import { putForm } from '../../support/forms.js'
import { place, placeType } from '../../support/hierarchy-model.js'
import { endedRun, temporalClient } from '../../support/jobs.js'
import { demoSubjects } from '../../support/manifest.js'
import { startProvider, type TestProvider } from '../../support/provider.js'
import { sharedStack } from '../../support/running-stack.js'
import { transferPath } from '../../support/transfers.js'

const stack = sharedStack()
const db = openDatabase()
let temporal: Awaited<ReturnType<typeof temporalClient>>
let register: TestProvider

beforeAll(async () => {
  temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  register = await startProvider({ people: 1, doses: 1, ports: stack.providerPorts })
})
afterAll(async () => {
  await temporal?.close()
  await register?.stop()
})

async function whileTemporalHangs<T>(work: () => Promise<T>): Promise<T> {
  signal(stack.temporal, 'SIGSTOP')
  try {
    return await work()
  } finally {
    signal(stack.temporal, 'SIGCONT')
    await stack.ready()
  }
}

const cancel = (tenant: Api, job: JobBody) => tenant.post<JobBody>(`${job.links.self}/cancel`)
const retry = (tenant: Api, job: JobBody) => tenant.post<JobBody>(`${job.links.self}/retry`)

test('a job that is cancelled while Temporal hangs writes nothing more, its run is cancelled later, and a retry goes on', async () => {
  const { tenant, model } = await tenantWithPlaces(stack.baseUrl)
  const batch = placesOf(100_000, 11)
  const accepted = await acceptBulk(tenant, batch)
  expect(await progressed(db, tenant.tenantKey, 0.05)).toBe(true)
  const done = await whileTemporalHangs(async () => {
    const { status, body } = await cancel(tenant, accepted)
    expect(status).toBe(202)
    expect(body).toMatchObject({ status: 'Cancelled', progress: { total: 100_000 } })
    // Longer than any step takes.
    await sleep(3_000)
    const { body: later } = await tenant.get<JobBody>(accepted.links.self)
    expect(later).toEqual(body)
    const refused = await retry(tenant, accepted)
    expect(refused).toMatchObject({ status: 503, body: { type: '/problems/unavailable' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    return body.progress.done
  })
  expect(done).toBeLessThan(100_000)
  const run = await endedRun(temporal.client, accepted)
  expect((await run.describe()).status.name).toBe('CANCELLED')
  const told = async () => (await db('jobs').where({ id: accepted.jobId }).first('cancel_run_since')).cancel_run_since
  await expect.poll(told, { timeout: 30_000 }).toBeNull()

  expect(await retry(tenant, accepted)).toMatchObject({ status: 202, body: { progress: { done } } })
  expect(await ended(tenant, accepted.jobId)).toMatchObject({ status: 'Completed', counts: { created: 100_000 } })
  model.apply(batch)
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
})

interface Described {
  paths: Record<string, Record<string, { operationId: string }>>
}

/** How long a caller may wait for any answer, in ms: JOB_WAIT_SECONDS, and what accepting takes. */
const mostMs = 80_000

test('while Temporal hangs, every endpoint answers in time, and never with a 500', async () => {
  const sections = { subjects: demoSubjects, glue: demoGlue(register.url), users: [{ id: 'u', displayName: 'U' }] }
  const tenant: Tenant = await newTenant(stack.baseUrl, {}, sections)
  const caller = await tenant.client(['*'], ['FrameApi', 'FormsApi'])
  const provider = await tenant.client([], ['FrameGlueDataProviderApi'])
  const platform = await admin(stack.baseUrl)
  await putForm(platform, tenant.tenantKey, aSmallTemplate([{ id: 'note', label: 'Note' }]))
  for (const type of [aType('ward'), placeType]) await tenant.put('/api/v1/structureType', type)
  for (const key of ['east', 'west'])
    await tenant.put('/api/v1/structuralEntity', anEntity(key, { StructureTypeKey: 'ward' }))
  const [person = '', other = ''] = [await addSubject(tenant), await addSubject(tenant)]
  const failed = await ended(tenant, (await acceptBulk(tenant, [place('x')])).jobId)
  const transferred = await caller.post<JobBody>(transferPath('west'), { SourceStructuralEntityKey: 'east' })
  await ended(caller, transferred.body.jobId)
  const { paths } = (await caller.get<Described>('/openapi.json')).body
  const named: Record<string, string> = {
    ...{ tenantKey: tenant.tenantKey, jobId: failed.jobId, subjectId: person, patientId: person, key: 'east' },
    ...{
      structuralEntityKey: 'east',
      dataExtractKey: 'vaccinations',
      formKey: 'small',
      formVersion: '1',
      version: '1',
    },
  }
  const rows = { 'content-type': 'text/csv' }
  const async = { prefer: 'respond-async' }
  const many = Array.from({ length: 30 }, (_, n) => anEntity(`m${n}`, { StructureTypeKey: 'ward' }))
  const bulk = '/api/v1/structuralEntity/bulk'
  const change = { SubjectIdentifier: person, DataExtractsOptionsValuesFilter: { 'programme.name': 'routine' } }
  const definitions = [formAsked('small')]
  const begun = await acceptBulk(tenant, placesOf(60_000, 12))

  /** Calls that begin, wait for, cancel or retry a job, or run an endpoint. */
  const working = (): Promise<Reply>[] => [
    caller.put(bulk, many),
    caller.put(bulk, many, async),
    caller.put(bulk, placesOf(1_100, 3)),
    cancel(caller, begun),
    retry(caller, failed),
    caller.post(transferPath('west'), { SourceStructuralEntityKey: 'east' }),
    caller.post(`/api/v1/jobs/${transferred.body.jobId}/undo`),
    caller.post('/api/v2/subject/import', 'nationalId\n1\n', rows),
    caller.post('/api/v1/structuralEntity/import', 'Key,DisplayName,StructureTypeKey\nz,Z,ward\n', rows),
    caller.post(`/api/v2/subject/${other}/erase`),
    caller.post(`/api/v1/subject/${person}/invite`, ['a@example.org']),
    caller.post(refreshPath('vaccinations')),
    caller.post(refreshPath('vaccinations'), undefined, async),
    provider.post('/glue-dataprovider/api/v1/dataChange/creationOrUpdate', change),
    caller.post(extractPath, { definitions }),
    caller.post(extractPath, { definitions }, async),
    caller.post(`/glue/${tenant.tenantKey}/vaccinations-of-subject`, { subjectIdentifier: person }),
  ]
  /** Every described endpoint, without a body and where there is something. */
  const described = (): Promise<Reply>[] =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter(method => !(method === 'delete' && path.startsWith('/admin')) && !path.includes('signingKeys'))
        .map(method => {
          const to = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(named[name] ?? 'none'))
          return (path.startsWith('/admin') ? platform : caller).send(method.toUpperCase(), to)
        }),
    )
  const answers = await whileTemporalHangs(async () => {
    const timed = (calls: Promise<Reply>[]) =>
      Promise.all(
        calls.map(async call => {
          const from = Date.now()
          const answer = await call
          return { answer, ms: Date.now() - from }
        }),
      )
    return [...(await timed(working())), ...(await timed(described()))]
  })
  const wrong = answers.filter(
    ({ answer: { status, headers }, ms }) =>
      ms > mostMs || (status >= 500 && !(status === 503 && Number(headers.get('retry-after')) > 0)),
  )
  expect(wrong.map(({ answer, ms }) => ({ status: answer.status, body: answer.body, ms }))).toEqual([])
  expect(answers.filter(({ answer }) => answer.status === 503).length).toBeGreaterThan(2)
})
