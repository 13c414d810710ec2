// The drill of a restore: MySQL to one moment, Temporal to another, in both orders.
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import { connect } from '../../../db/connect.js'
import { armature } from '../../../server/admin/command/command.js'
import { newTenant, type Tenant } from '../../support/api.js'
import { backUp, copyTemporal, type Position, positionNow, restore } from '../../support/backups.js'
import { type DatabaseServer, startServer } from '../../support/database-servers.js'
import { addPerson, tenantWithPlaces } from '../../support/factories.js'
import { acceptBulk, ended as endedJob } from '../../support/faults.js'
import { hierarchyModel, place, placeType } from '../../support/hierarchy-model.js'
import { upload } from '../../support/imports.js'
import { temporalClient } from '../../support/jobs.js'
import { seedLocations } from '../../support/locations.js'
import { demoSubjects } from '../../support/manifest.js'
import { type Stack, startStack } from '../../support/stack.js'
import { subjectsPath } from '../../support/subjects.js'
import { differences } from '../../support/transfer-faults.js'
import { startTransfer } from '../../support/transfers.js'
import { until } from '../../support/until.js'

const env = { ENCRYPTION_KEY: randomBytes(32).toString('base64') }
/** The settings of the installation for the command line. The database is that of the server at hand. */
const settings = { ...env, TEMPORAL_ADDRESS: '127.0.0.1:7233' }
const rounds = 6
const perBulk = 12_000
const perImport = 3_000
const perTransfer = 12_000

/** The work of a job: its kind, and the number of its data. */
type Work = { kind: 'bulk' | 'import' | 'transfer'; n: number }

let root: string
let lost: Stack
let tenant: Tenant
/** A tenant with somebody who is erased after the earlier moment, and the list of erasures that is kept outside. */
let left: { tenant: Tenant; id: string; list: string }
/** By job, in the order of their acceptance. */
const accepted = new Map<string, Work>()
let start: Position
let earlier: Position

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'armature-drill-'))
  const server = await startServer({ dataDir: join(root, 'lost'), binaryLog: true })
  try {
    await workAndBackUp(server)
    await cp(join(server.dataFiles, start.file), join(root, 'log'))
  } finally {
    await server.stop()
  }
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Has a stack work, with jobs under way at the moment of each backup. */
async function workAndBackUp(server: DatabaseServer): Promise<void> {
  lost = await startStack(env, { keptIn: join(root, 'lost'), database: server })
  const db = connect(lost.databaseUrl, { poolSize: 1 })
  try {
    tenant = await newTenant(lost.baseUrl, {}, { subjects: demoSubjects })
    const leaving = await newTenant(lost.baseUrl, {}, { subjects: demoSubjects })
    left = { tenant: leaving, id: await addPerson(leaving, 'leaver'), list: join(root, 'erased') }
    await tenant.put('/api/v1/structureType', placeType)
    await tenant.put('/api/v1/structuralEntity/bulk', ends)
    for (let n = 0; n < rounds; n++) await seedLocations(db, tenant.tenantKey, `from-${n}`, numbersOf(n))
    await work(0)
    await work(1)
    start = await backUp(server, join(root, 'backup'), settings)
    copyTemporal(lost, join(root, 'temporal-early'))
    await work(2)
    await work(3)
    earlier = await positionNow(server)
    const { body } = await leaving.post<{ jobId: string }>(`${subjectsPath}/${left.id}/erase`)
    await endedJob(leaving, body.jobId)
    const yesterday = new Date(Date.now() - 86_400_000).toISOString()
    await writeFile(left.list, await erasures(lost.baseUrl, 'list', '--since', yesterday))
    await work(4)
    copyTemporal(lost, join(root, 'temporal-late'))
    await work(5)
  } finally {
    await db.destroy()
    await lost.stop()
  }
}

/** Runs `armature erasures` for the tenant whose person has left. @returns what it prints. */
async function erasures(baseUrl: string, ...args: string[]): Promise<string> {
  const { tenantKey, clientId, clientSecret } = left.tenant
  const lines: string[] = []
  const code = await armature(['erasures', ...args, '--tenant', tenantKey], {
    env: { ARMATURE_URL: baseUrl, ARMATURE_CLIENT_ID: clientId, ARMATURE_CLIENT_SECRET: clientSecret },
    console: { log: line => lines.push(line), error: line => lines.push(line) },
  })
  if (code !== 0) throw new Error(lines.join('\n'))
  return `${lines.join('\n')}\n`
}

/** Begins one job of each kind. */
async function work(n: number): Promise<void> {
  const note = ({ jobId }: { jobId: string }, kind: Work['kind']) => accepted.set(jobId, { kind, n })
  note(await acceptBulk(tenant, bulk(n)), 'bulk')
  const rows = peopleOf(n).map(id => `${id},Ada,Byron\n`)
  const answer = await upload(tenant, `nationalId,givenName,familyName\n${rows.join('')}`, { baseUrl: lost.baseUrl })
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body))
  note(answer.body, 'import')
  note(await startTransfer(tenant, `from-${n}`, `to-${n}`, 'Move'), 'transfer')
}

const bulk = (n: number) => [
  place(`root-${n}`),
  ...Array.from({ length: perBulk - 1 }, (_, m) => place(`place-${n}-${m}`, `root-${n}`, m % 500)),
]
const peopleOf = (n: number) => Array.from({ length: perImport }, (_, m) => `drill-${n}-${m}`)
const ends = Array.from({ length: rounds }, (_, n) => [place(`from-${n}`), place(`to-${n}`)]).flat()
const numbersOf = (n: number) => ({ from: n * perTransfer, count: perTransfer })
const counts = {
  bulk: { created: perBulk },
  import: { created: perImport },
  transfer: { moved: perTransfer, skipped: 0 },
} as const

/** All that the tenant must have, compared with every row of it. @param done the work whose jobs the database has. */
async function wrong(db: Knex, done: readonly Work[]): Promise<unknown[]> {
  const isDone = (kind: Work['kind'], n: number) => done.some(each => each.kind === kind && each.n === n)
  const model = hierarchyModel()
  model.apply(ends)
  for (const { kind, n } of done) if (kind === 'bulk') model.apply(bulk(n))
  const assigned = Object.fromEntries(
    Array.from({ length: rounds }, (_, n) => {
      const [full, empty] = isDone('transfer', n) ? ['to', 'from'] : ['from', 'to']
      return [
        [`${full}-${n}`, numbersOf(n)],
        [`${empty}-${n}`, { count: 0 }],
      ]
    }).flat(),
  )
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const people: string[] = await db('subjects').where({ tenant_id }).pluck('custom_values')
  const wanted = done.flatMap(({ kind, n }) => (kind === 'import' ? peopleOf(n) : []))
  const found = people.map(values => JSON.parse(values)).map(values => [values.nationalId?.[1], values.givenName?.[1]])
  const asWanted = isDeepStrictEqual(found.map(String).sort(), wanted.map(id => `${id},Ada`).sort())
  return [
    ...(await model.differences(db, tenant.tenantKey)),
    ...(await differences(db, tenant.tenantKey, assigned)),
    ...(asWanted ? [] : [`${people.length} subjects, not the ${wanted.length} of the imports`]),
  ]
}

interface Row {
  id: string
  status: string
  counts: string
}

const seconds = (since: number) => ((performance.now() - since) / 1000).toFixed(1)

test.each([
  ['MySQL older than Temporal', 'temporal-late', 4, (): Position | undefined => earlier],
  ['Temporal older than MySQL', 'temporal-early', rounds, (): Position | undefined => undefined],
] as const)('%s: every job of MySQL ends right, each row is there once', async (name, snapshot, roundsLeft, end) => {
  const began = performance.now()
  const dataDir = join(root, `${snapshot}-restored`)
  await cp(join(root, snapshot, 'temporal'), join(dataDir, 'temporal'), { recursive: true })
  const server = await startServer({ dataDir, binaryLog: true })
  onTestFinished(() => server.stop())
  await restore(server, { backup: join(root, 'backup'), log: join(root, 'log'), start, end: end() }, settings)
  const restored = seconds(began)
  const stack = await startStack(env, { keptIn: dataDir, database: server })
  const ready = seconds(began)
  const db = connect(stack.databaseUrl, { poolSize: 2 })
  const operator = await temporalClient(stack.temporalAddress, env.ENCRYPTION_KEY)
  try {
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    const jobs = (): Promise<Row[]> =>
      db('jobs')
        .where({ tenant_id })
        .whereIn('id', [...accepted.keys()])
        .select('id', 'status', 'counts')
    const open = (await jobs()).filter(({ status }) => status === 'Accepted' || status === 'Running')
    await until(
      'all jobs have ended',
      async () => (await jobs()).every(({ status }) => !/Accepted|Running/.test(status)),
      300_000,
    )
    const ended = seconds(began)
    const all = await jobs()
    expect(all).toHaveLength(3 * roundsLeft)
    const done = all.flatMap(({ id }) => accepted.get(id) ?? [])
    expect(all.map(({ status, counts }) => [status, JSON.parse(counts)])).toMatchObject(
      done.map(({ kind }) => ['Completed', counts[kind]]),
    )
    expect(await wrong(db, done)).toEqual([])
    // The earlier moment has the person back. A replay of the list erases her again, once.
    const isBack = end() !== undefined
    const people = () => db('subjects').where({ id: left.id })
    expect(await people()).toHaveLength(isBack ? 1 : 0)
    const told = (started: number) =>
      `${started} erased again, ${1 - started} erased already, 0 unknown to this database.\n`
    expect(await erasures(stack.baseUrl, 'replay', left.list)).toBe(told(isBack ? 1 : 0))
    expect(await erasures(stack.baseUrl, 'replay', left.list)).toBe(told(0))
    expect(await people()).toEqual([])
    // Runs of jobs that MySQL does not know have ended too, and wrote nothing.
    const running = { query: `TenantKey = '${tenant.tenantKey}' AND ExecutionStatus = 'Running'` }
    await until(
      'no run is left',
      async () => {
        for await (const _ of operator.client.workflow.list(running)) return undefined
        return true
      },
      120_000,
    )
    expect(await wrong(db, done)).toEqual([])
    const { tenant: later, model } = await tenantWithPlaces(stack.baseUrl)
    model.apply(bulk(0))
    expect(await endedJob(later, (await acceptBulk(later, bulk(0))).jobId)).toMatchObject({ status: 'Completed' })
    expect(await model.differences(db, later.tenantKey)).toEqual([])
    const megabytes = ((await stat(join(root, 'backup'))).size / 1e6).toFixed(0)
    console.log(
      `${name}: backup of ${megabytes} MB and log restored after ${restored} s, ready after ${ready} s, ` +
        `the ${open.length} open jobs of ${all.length} ended after ${ended} s`,
    )
  } finally {
    await Promise.all([operator.close(), db.destroy()])
    await stack.stop()
  }
})
