// A tenant moves from one cell to another while its callers write and its worker is killed.
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { moveOf } from '../../../db/cells/moves.js'
import { tenantTables } from '../../../db/cells/tenant-tables.js'
import { forgetChanges } from '../../../db/feeds.js'
import { type Api, api, newTenant, type Problem, type Reply, type Tenant, tokenOf } from '../../support/api.js'
import { startCells, type TestCell, type TwoCells } from '../../support/cells.js'
import { aPdf, aSubject } from '../../support/factories.js'
import { ended, type JobBody, kill, placesOf } from '../../support/faults.js'
import { formsTenant } from '../../support/form-factories.js'
import { hierarchyModel, place, placeType } from '../../support/hierarchy-model.js'
import { demoSubjects } from '../../support/manifest.js'
import { person } from '../../support/people.js'
import { effectiveDate, file, title } from '../../support/records.js'
import { bulkPath } from '../../support/subjects.js'
import { beginMove, endedMove, moved, toB } from '../../support/tenant-moves.js'
import { until } from '../../support/until.js'

const people = Number(process.env.MOVE_SUBJECTS || 600)
const seed = Number(process.env.FAULT_SEED || 1)

let cells: TwoCells

beforeAll(async () => {
  cells = await startCells()
})
afterAll(() => cells?.stop())

/** Hashes of all rows of a tenant in a cell, without its number, by table. */
async function rowsOf({ db }: TestCell, { tenantKey }: Pick<Tenant, 'tenantKey'>): Promise<Record<string, string[]>> {
  const tenant_id = (await moveOf(db, tenantKey))?.tenant ?? (await numberOf(db, tenantKey))
  const all: Record<string, string[]> = {}
  for (const { name } of await tenantTables(db)) {
    const rows: object[] = await db(name).where({ tenant_id })
    all[name] = rows.map(row => hash('sha256', JSON.stringify({ ...row, tenant_id: 0 }))).sort()
  }
  return all
}

const numberOf = async (db: Knex, tenant_key: string) => (await db('tenants').where({ tenant_key }).first('id'))?.id

const countOf = (rows: Record<string, string[]>) => Object.values(rows).reduce((sum, each) => sum + each.length, 0)

/** A tenant of cell a with rows of many kinds. */
async function filledTenant(subjects = 50): Promise<Tenant> {
  const { baseUrl, db } = cells.a
  const tenant = await formsTenant({}, baseUrl)
  await tenant.change({ subjects: demoSubjects })
  await tenant.put('/api/v1/structureType', placeType)
  await tenant.put('/api/v1/structuralEntity/bulk', placesOf(300, 1))
  await tenant.put('/api/v1/group', { Key: 'g', Name: 'Ä "group" \\ of \' places', StructuralEntityKeys: ['place-1'] })
  for (let from = 0; from < subjects; from += 20) {
    const some = Array.from({ length: Math.min(20, subjects - from) }, (_, n) =>
      person(`old-${from + n}`, { givenName: 'Zoë', familyName: `O'Brien\\ ${n % 97}` }),
    )
    const { status, body } = await tenant.post(bulkPath, some)
    expect([status, status === 200 || body]).toEqual([200, true])
  }
  const subject = await aSubject(db, { ...tenant, baseUrl })
  await subject.uploaded([title(), effectiveDate(), file(aPdf(1_500_000))])
  return tenant
}

/** Whether the platform has done what writers of subjects leave it to do later. */
const allLearnt = async (): Promise<boolean> => (await cells.a.db('subject_word_marks').first('id')) === undefined

/** The tenant's client at the other cell. */
async function atB(tenant: Tenant): Promise<Api> {
  const { clientId: id, clientSecret: secret, tenantKey } = tenant
  return api(cells.b.baseUrl, await tokenOf(cells.b.baseUrl, { id, secret, tenantKey, scope: 'FrameApi' }))
}

test('a tenant at rest moves with every row, comes back, moves again, and is forgotten', async () => {
  const tenant = await filledTenant()
  await until('all words are learnt', allLearnt)
  const before = await rowsOf(cells.a, tenant)
  const move = await moved(cells.a, tenant, toB)
  expect(move).toMatchObject({
    state: 'moved',
    address: cells.b.baseUrl,
    canBeUndone: true,
    run: { status: 'completed' },
  })
  expect(await rowsOf(cells.b, tenant)).toEqual(before)
  expect(await rowsOf(cells.a, tenant)).toEqual(before)

  const refused = await tenant.get<Problem>('/api/v1/structureType')
  expect([refused.status, refused.body.type]).toEqual([421, '/problems/tenant-moved'])
  expect(refused.headers.get('armature-cell')).toBe(cells.b.baseUrl)
  expect((await (await atB(tenant)).get('/api/v1/structureType')).status).toBe(200)

  expect(await moved(cells.a, tenant, { what: 'undo' })).toMatchObject({ state: 'here', run: { status: 'completed' } })
  expect(await rowsOf(cells.a, tenant)).toEqual(before)
  expect(countOf(await rowsOf(cells.b, tenant))).toBe(0)
  expect((await tenant.put('/api/v1/structuralEntity', place('after-undo'))).status).toBe(201)

  expect(await moved(cells.a, tenant, toB)).toMatchObject({ state: 'moved' })
  expect((await (await atB(tenant)).put('/api/v1/structuralEntity', place('in-b'))).status).toBe(201)
  const undo = await moved(cells.a, tenant, { what: 'undo' })
  expect(undo).toMatchObject({ state: 'moved', run: { status: 'failed' } })
  expect(undo.run.reason).toContain('was written in the cell')
  expect((await (await atB(tenant)).put('/api/v1/structuralEntity', place('in-b-2'))).status).toBe(201)

  expect(await moved(cells.a, tenant, { what: 'forget' })).toMatchObject({ state: 'moved', canBeUndone: false })
  expect(countOf(await rowsOf(cells.a, tenant))).toBe(0)
  expect((await tenant.get('/api/v1/structureType')).status).toBe(421)
}, 240_000)

test('a move that cannot be done leaves the tenant where it is, and says why', async () => {
  const tenant = await newTenant(cells.a.baseUrl)
  expect((await moved(cells.a, tenant, { cell: 'c' })).run).toEqual({
    status: 'failed',
    reason: expect.stringContaining("no cell 'c'"),
  })
  await cells.b.db('tenants').insert({ tenant_key: tenant.tenantKey, name: 'x', limits: '{}', updated_at: new Date() })
  const { state, run } = await moved(cells.a, tenant, toB)
  expect([state, run]).toEqual(['none', { status: 'failed', reason: expect.stringContaining('has a tenant') }])
  expect((await tenant.put('/api/v1/structureType', placeType)).status).toBeLessThan(300)
}, 120_000)

/** Moments of a move at which its worker may be killed. */
const phases = ['begin', 'copy', 'compare', 'freeze', 'switch'] as const
/** In the short form some of them, by the seed. */
const killedIn = new Set(process.env.FAULT_MINUTES === '1' ? [phases[seed % 5], phases[(seed + 2) % 5]] : phases)

async function isIn(phase: (typeof phases)[number], { tenantKey }: Tenant): Promise<boolean> {
  const { a, b } = cells
  const [here, there] = [await moveOf(a.db, tenantKey), await moveOf(b.db, tenantKey)]
  if (phase === 'begin') return here !== undefined
  if (phase === 'freeze') return here?.state === 'frozen' || here?.state === 'moved'
  if (phase === 'switch') return here?.state === 'moved'
  const progress = await b
    .db('tenant_move_tables')
    .where({ tenant_id: there?.tenant ?? 0, phase })
    .first('step')
  return progress !== undefined
}

/** A client that goes where the tenant is: it repeats what was not done, and asks for a token where it has none. */
function movingClient(tenant: Tenant) {
  let at: Api = tenant
  const counts = { held: 0, calls: 0, longestMs: 0 }
  const others = new Set<string>()
  async function call<Body>(send: (at: Api) => Promise<Reply<Body>>): Promise<Body> {
    for (const since = Date.now(); ; ) {
      const answer = await send(at)
      if (answer.status < 300) {
        counts.calls++
        counts.longestMs = Math.max(counts.longestMs, Date.now() - since)
        return answer.body
      }
      const { type = '' } = Object(answer.body)
      if (type === '/problems/tenant-moved') at = await until('a token of b', () => atB(tenant).catch(() => undefined))
      else if (type === '/problems/tenant-moving') {
        counts.held++
        await sleep(100)
      } else {
        others.add(`${answer.status} ${JSON.stringify(answer.body)}`)
        throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
      }
    }
  }
  return { call, counts, others }
}

test('a tenant moves while it is written, its jobs run and its worker is killed: nothing is lost, nothing is twice', async () => {
  const tenant = await filledTenant(people)
  const neighbour = await filledTenant(40)
  await until('all words are learnt', allLearnt)
  // As platform/retention does: it may run during the move.
  await forgetChanges(cells.a.db)
  const ofNeighbour = await rowsOf(cells.a, neighbour)
  const model = hierarchyModel()
  model.apply(placesOf(300, 1))
  const nationalIds = new Set(['person', ...Array.from({ length: people }, (_, n) => `old-${n}`)])
  const jobs: string[] = []
  const client = movingClient(tenant)
  let isOver = false

  const writePlaces = async () => {
    for (let n = 0; !isOver; n++) {
      const one = place(`one-${n}`, n % 2 === 0 ? undefined : 'place-7')
      await client.call(at => at.put('/api/v1/structuralEntity', one))
      model.apply([one])
      await sleep(100)
    }
  }
  const writePeople = async () => {
    for (let n = 0; !isOver; n++) {
      const some = Array.from({ length: 10 }, (_, k) => person(`new-${n}-${k}`))
      await client.call(at => at.post(bulkPath, some))
      for (let k = 0; k < 10; k++) nationalIds.add(`new-${n}-${k}`)
      await sleep(300)
    }
  }
  const runJobs = async () => {
    for (let n = 0; !isOver; n++) {
      const batch = Array.from({ length: 1_100 }, (_, k) =>
        place(`bulk-${n}-${k}`, k === 0 ? undefined : `bulk-${n}-0`),
      )
      const job = await client.call(at =>
        at.put<JobBody>('/api/v1/structuralEntity/bulk', batch, {
          prefer: 'respond-async',
          'idempotency-key': `bulk-${n}`,
        }),
      )
      jobs.push(job.jobId)
      model.apply(batch)
      await sleep(8_000)
    }
  }
  const read = async () => {
    while (!isOver) {
      await client.call(at => at.get('/api/v2/subject?First=50'))
      await sleep(20)
    }
  }
  const callers = Promise.all([writePlaces(), writePeople(), runJobs(), read()])
  callers.catch(() => undefined)

  const since = Date.now()
  await beginMove(cells.a, tenant, { cell: 'b', waitSeconds: 1 })
  for (const phase of phases) {
    if (!killedIn.has(phase)) continue
    await until(`the move is in ${phase}`, () => isIn(phase, tenant))
    await kill(cells.a.worker)
  }
  const move = await endedMove(cells.a, tenant)
  const seconds = (Date.now() - since) / 1000
  const callsThen = client.counts.calls
  await until('callers go on in b', async () => client.counts.calls > callsThen + 50 || client.others.size > 0)
  isOver = true
  await callers
  expect([...client.others]).toEqual([])
  expect(move).toMatchObject({ state: 'moved', run: { status: 'completed', reason: null } })
  console.log({ killed: [...killedIn], seconds, ...client.counts, jobs: jobs.length })

  const there = await atB(tenant)
  for (const id of jobs)
    expect(await ended(there, id)).toMatchObject({ status: 'Completed', progress: { done: 1_100 } })
  const { db } = cells.b
  expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  const tenant_id = await numberOf(db, tenant.tenantKey)
  const values: string[] = await db('subjects')
    .where({ tenant_id })
    .whereNot('custom_values', '{}')
    .pluck('custom_values')
  expect(values.map(text => JSON.parse(text).nationalId[1]).sort()).toEqual([...nationalIds].sort())
  const [here, other] = [await rowsOf(cells.a, tenant), await rowsOf(cells.b, tenant)]
  for (const table of [
    'record_items',
    'file_chunks',
    'form_templates',
    'form_settings',
    'structure_types',
    'users',
    'clients',
  ])
    expect(other[table], table).toEqual(here[table])
  // Rows from before the switch are as they were: later writes only add, and jobs go on.
  for (const table of ['subjects', 'subject_values', 'subjects_by_word', 'words_by_subject', 'subject_matching_keys'])
    expect(other[table], table).toEqual(expect.arrayContaining((here[table] ?? []).slice(0, 500)))
  expect(await rowsOf(cells.a, neighbour)).toEqual(ofNeighbour)
}, 400_000)
