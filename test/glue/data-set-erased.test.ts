// Data of subjects that are erased while their provider is being asked for it.
import { afterAll, beforeEach, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { acceptChange } from '../../db/glue/data/data-changes.js'
import { newId } from '../../runtime/ids.js'
import {
  type ChangeAnswer,
  changePaths,
  gate,
  refreshPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { dataTenant, openDatabase, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { person, subjectsPath } from '../support/subjects.js'

const provider = await scriptedProvider()
const db = openDatabase()
const tenant = await dataTenant(
  scriptedGlue(provider.url, { by: ['subject'], extracts: { register: { kind: 'all' } } }),
  ['bob'],
)
const tenant_id = await tenantIdOf(db, tenant.tenantKey)
afterAll(() => provider.stop())

/** The subject to erase. The provider waits with its rows. */
let ada: string
let door: ReturnType<typeof gate>
beforeEach(async () => {
  const { body } = await tenant.post<{ internalId: string }[]>(`${subjectsPath}/bulk`, [person('ada')])
  ada = body[0]?.internalId ?? ''
  door = gate()
  provider.says(async ({ subjectIdentifier = '' }) => {
    if (subjectIdentifier === 'ada') {
      door.arrive()
      await door.passed
    }
    return { dataPoints: [point(subjectIdentifier, subjectIdentifier)] }
  })
})

async function erase(): Promise<string> {
  const { body } = await tenant.post<JobBody>(`${subjectsPath}/${ada}/erase`)
  expect(await ended(tenant, body.jobId)).toMatchObject({ status: 'Completed' })
  return body.jobId
}

/** The tables of data sets that have something of the subject. */
async function tablesOfHers(): Promise<string[]> {
  const tables = ['data_points', 'data_set_changes', 'data_change_jobs']
  const found = await Promise.all(
    tables.map(table => db(table).where({ tenant_id, subject_id: ada }).first('subject_id')),
  )
  return tables.filter((_, n) => found[n] !== undefined)
}

const changed = () =>
  tenant.provider.post<ChangeAnswer>(changePaths.created, {
    SubjectIdentifier: 'ada',
    DataExtractsOptionsValuesFilter: { kind: 'all' },
  })

test('a refresh leaves out and counts the rows of a subject that was erased during it', async () => {
  const refresh = tenant.post(refreshPath())
  await door.reached
  await erase()
  door.open()
  expect(await refresh).toMatchObject({ status: 200, body: { rows: 1, unknownSubjects: 1 } })
  expect(await tablesOfHers()).toEqual([])
})

test('a fetch after a change writes no rows of a subject that was erased during it', async () => {
  const { body } = await changed()
  await door.reached
  await erase()
  door.open()
  expect(await ended(tenant, body.JobId ?? '')).toMatchObject({ status: 'Completed', counts: { rows: 0 } })
  expect(await tablesOfHers()).toEqual([])
})

test.each(['Completed', 'Cancelled'])(
  'a change whose subject was erased meanwhile by a job that is %s is refused',
  async status => {
    await db('jobs')
      .where({ tenant_id, id: await erase() })
      .update({ status })
    const change = {
      subjectId: ada,
      subjectIdentifier: 'ada',
      extracts: [{ key: 'register', bySubject: true }],
      points: [{ id: 'pushed', subjectId: ada, subjectIdentifier: 'ada', items: [] }],
      removedIds: [],
    }
    const origin = { tenantKey: tenant.tenantKey, actor: 'somebody', traceId: newId() }
    await expect(acceptChange(db, tenant_id, change, origin)).rejects.toMatchObject({ code: 'not-found' })
    expect(await tablesOfHers()).toEqual([])
  },
)

test('a subject whose erasure was cancelled keeps its data up to date', async () => {
  const { body: erasure } = await tenant.post<JobBody>(`${subjectsPath}/${ada}/erase`)
  await ended(tenant, erasure.jobId)
  const { body } = await tenant.post<{ internalId: string }[]>(`${subjectsPath}/bulk`, [person('ada')])
  ada = body[0]?.internalId ?? ''
  await db('subject_tombstones').where({ tenant_id, erasure_job_id: erasure.jobId }).update({ subject_id: ada })
  await db('jobs').where({ tenant_id, id: erasure.jobId }).update({ status: 'Cancelled' })
  door.open()
  expect(await tenant.post(refreshPath())).toMatchObject({ status: 200, body: { rows: 2, unknownSubjects: 0 } })
  expect(await tablesOfHers()).toEqual(['data_points'])
})
