// Fills one installation step by step. An interrupted fill continues where it stopped.
import { MultiBar } from 'cli-progress'
import type { Knex } from 'knex'
import { createConnection } from 'mysql2/promise'
import { admin, api, tokenOf } from '../test/support/api.js'
import { copier, copiesOf, formKey, submitted } from '../test/support/extract-population.js'
import { buildingBlocks, firstNumber } from '../test/support/extract-population-form.js'
import { anEntity, aTemplate } from '../test/support/factories.js'
import { putForm } from '../test/support/forms.js'
import { demoSubjects } from '../test/support/manifest.js'
import { people, type SeededClient, settlePeople, writePeople } from '../test/support/seeded-tenant.js'
import type { Stack } from '../test/support/stack.js'
import { benchType } from './entities.js'
import { numberAsked } from './measure.js'
import { saveJobs } from './sweep.js'

/** Key of the tenant that is measured. It has nine tenths of all subjects, and all other data. */
const county = 'growth'
const secret = 'growth-bench-secret'

/** The entity of subjects that are written during measurements, so that the wards do not grow. */
const arrivals = 'arrivals'

/** Subjects of each further tenant. There is one tenant for every ten thousand subjects. */
const perTenant = 1_000
/** Subjects of a ward, whatever the size of the installation. */
const perWard = 2_500
/** Children of each entity. */
const width = 18
/** Number of submissions at the largest size, whose times are spread over two years. */
const lastSubmission = 5_000_000

/** Returns the number of rows of each kind that go with a number of subjects. */
const rowsBeside = (subjects: number) => {
  const tenants = Math.max(1, Math.round(subjects / 10_000))
  return {
    tenants,
    entities: Math.max(subjects / 5, 100),
    people: subjects - (tenants - 1) * perTenant,
    jobs: subjects / 10,
    submissions: Math.min(subjects / 2, maxSubmissions()),
  }
}

/** Reads `--submissions=2500000`, for a small disk: each submission takes 8 kB. */
const maxSubmissions = (): number => numberAsked('submissions') ?? lastSubmission

/** Returns the number of people in the measured tenant, out of all subjects of the installation. */
export const peopleBeside = (subjects: number): number => rowsBeside(subjects).people

/**
 * Returns the ward of a person. Every ten thousand people alternate between four wards, so that the people of a ward
 * are not adjacent in the order of ids.
 */
export const wardOf = (n: number): string => `unit-${Math.floor(n / (4 * perWard)) * 4 + (n % 4)}`

export interface World extends SeededClient {
  /** Adds rows of every kind until the installation has this many subjects. */
  fill(subjects: number): Promise<void>
}

/** Opens the installation and creates its tenant if needed. @param db must have three connections. */
export async function growingWorld(stack: Stack, db: Knex): Promise<World> {
  await db.raw('CREATE TABLE IF NOT EXISTS bench_growth (kind VARCHAR(20) PRIMARY KEY, done INT UNSIGNED NOT NULL)')
  const platform = await admin(stack.baseUrl)
  const manifest = async (tenantKey: string, more: object) => {
    const { status, body } = await platform.put(`/admin/v1/tenants/${tenantKey}`, { name: tenantKey, ...more })
    if (status !== 200) throw new Error(JSON.stringify(body))
    const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
    return Number(id)
  }
  const client = { id: county, secret, scopes: ['FrameApi', 'FormsApi'], permissions: ['*'] }
  const tenantId = await manifest(county, { subjects: demoSubjects, clients: [client] })
  const token = await tokenOf(stack.baseUrl, { id: county, secret, tenantKey: county, scope: client.scopes.join(' ') })
  const tenant = api(stack.baseUrl, token)
  await tenant.put('/api/v1/structureType', benchType)
  await tenant.put('/api/v1/structuralEntity', anEntity(arrivals, { StructureTypeKey: benchType.Key }))
  const person = people(20261124)
  const bars = new MultiBar({
    format: '{bar} {percentage}%  {value}/{total} {kind}  {eta_formatted} left',
    noTTYOutput: true,
    notTTYSchedule: 15_000,
  })

  /** Adds the missing rows of a kind in batches. Each batch is counted in its own transaction. */
  async function grow(kind: string, total: number, batch: number, write: Write): Promise<void> {
    await db('bench_growth').insert({ kind, done: 0 }).onConflict('kind').ignore()
    const { done: before } = await db('bench_growth').where({ kind }).first('done')
    if (before >= total) return
    const bar = bars.create(total, before, { kind })
    for (let done = before; done < total; ) {
      const to = Math.min(done + batch, total)
      await db.transaction(async trx => {
        await write(trx, done, to)
        await trx('bench_growth').where({ kind }).update({ done: to })
      })
      done = to
      bar.update(done)
    }
    bars.remove(bar)
  }

  async function addTenants(_: Knex, from: number, to: number): Promise<void> {
    for (let n = from; n < to; n++) {
      const id = await manifest(`${county}-${n}`, { subjects: demoSubjects })
      // The people are written outside the transaction that counts the tenant, so an interrupted run may already have
      // written them.
      if (await db('subjects').where({ tenant_id: id }).first('id')) continue
      await db.transaction(trx => writePeople(trx, id, { from: 0, to: perTenant, person, placeOf: () => 'unit-0' }))
    }
  }

  const addEntities = (trx: Knex, from: number, to: number): Promise<unknown> =>
    trx('structural_entities').insert(Array.from({ length: to - from }, (_, m) => entityRow(tenantId, from + m)))

  const addPeople = (trx: Knex.Transaction, from: number, to: number): Promise<void> =>
    writePeople(trx, tenantId, { from, to, person, placeOf: wardOf })

  const addJobs = (trx: Knex, from: number, to: number): Promise<void> => saveJobs(trx, tenantId, { from, to })

  const firstSubjects = (): Promise<string[]> =>
    db('subjects').where({ tenant_id: tenantId }).orderBy('id').limit(10_000).pluck('id')

  async function addPeopleAndJobs(rows: { people: number; jobs: number }): Promise<void> {
    await grow('people', rows.people, 5_000, addPeople)
    await settlePeople(db)
    await grow('jobs', rows.jobs, 10_000, addJobs)
  }

  async function addSubmissions(total: number, ids: readonly string[]): Promise<void> {
    const connection = await createConnection({ uri: stack.databaseUrl, charset: 'utf8mb4', timezone: 'Z' })
    try {
      const model = await modelOf(ids[0] ?? '')
      const copy = await copier(connection, tenantId, model)
      const copyOf = copiesOf(ids, lastSubmission)
      // Uses a connection of its own, so a batch that is interrupted before it is counted is written again.
      await grow('submissions', total, 5_000, (_, from, to) =>
        copy(Array.from({ length: to - from }, (_, m) => copyOf(from + m))),
      )
    } finally {
      await connection.end()
    }
  }

  /** Returns the submission from which all others are copied. The first one is made through the API. */
  async function modelOf(subjectId: string): Promise<string> {
    // Needs a fresh token, because writing the people took longer than one is valid.
    const { status, body } = await putForm(
      await admin(stack.baseUrl),
      county,
      aTemplate({ key: formKey, buildingBlocks }),
    )
    if (status >= 300) throw new Error(JSON.stringify(body))
    // It has the largest id: ids contain the time of creation, and the copies are dated earlier.
    const kept = await db('form_instances').where({ tenant_id: tenantId }).orderBy('id', 'desc').first('id')
    return kept?.id ?? submitted(tenant, subjectId, firstNumber)
  }

  return {
    ...tenant,
    baseUrl: stack.baseUrl,
    tenantId,
    entityKeys: [arrivals],
    async fill(subjects) {
      const rows = rowsBeside(subjects)
      await grow('entities', rows.entities, 5_000, addEntities)
      await grow('tenants', rows.tenants - 1, 1, addTenants)
      const others = addPeopleAndJobs(rows)
      // Submissions belong to the first 10,000 subjects, so they have to wait for subjects at the smallest size only.
      if ((await firstSubjects()).length < 10_000) await others
      await Promise.all([others, addSubmissions(rows.submissions, await firstSubjects())])
      bars.stop()
      await db.raw(
        'ANALYZE TABLE structural_entities, jobs, form_instances, form_instance_versions, form_values, form_reports',
      )
    },
  }
}

type Write = (trx: Knex.Transaction, from: number, to: number) => Promise<unknown>

function entityRow(tenantId: number, n: number) {
  const parentOf = (child: number) => Math.floor((child - 1) / width)
  let depth = 1
  for (let at = n; at > 0; at = parentOf(at)) depth++
  return {
    tenant_id: tenantId,
    entity_key: `unit-${n}`,
    display_name: `Unit number ${n}`,
    parent_key: n === 0 ? null : `unit-${parentOf(n)}`,
    depth,
    type_key: benchType.Key,
    custom_values: `{"beds":["Integer","${n % 500}"]}`,
    updated_at: new Date(),
  }
}
