// Chunks of a large bulk, of which the next is written while one is under way.
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, expect, inject, onTestFinished, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { keepWatched } from '../../db/events.js'
import { chunkItems } from '../../db/jobs/chunks.js'
import { insertRows } from '../../db/rows.js'
import { newTenant, type Tenant } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { at, paths, put } from '../support/frame.js'
import { until } from '../support/until.js'

let db: Knex
beforeAll(() => {
  db = connect(inject('databaseUrl'), { poolSize: 4 })
})
afterAll(() => db.destroy())

let tenant: Tenant
let id: number
beforeEach(async () => {
  tenant = await newTenant(inject('baseUrl'))
  id = await tenantIdOf(db, tenant.tenantKey)
  await put(tenant, paths.types, aType('unit'))
})

/** Three chunks, the last one small: ten parents, and children whose keys count up in the order of the plan. The largest come first. */
const size = chunkItems * 2 + 10
const keyOf = (n: number) => (n < 10 ? `parent-${n}` : `child-${String(n).padStart(6, '0')}`)
const parentOf = (n: number) => (n < 10 ? null : keyOf(n % 10))
const batch = (more: (n: number) => object = () => ({})) =>
  Array.from({ length: size }, (_, n) => anEntity(keyOf(n), { ParentKey: parentOf(n), ...more(n) })).reverse()

type Model = Map<string, string>
const model = (more: (n: number) => { DisplayName?: string; ParentKey?: string; depth?: number } = () => ({})): Model =>
  new Map(
    Array.from({ length: size }, (_, n) => {
      const { DisplayName = `Entity ${keyOf(n)}`, ParentKey = parentOf(n), depth = n < 10 ? 1 : 2 } = more(n)
      return [keyOf(n), `${DisplayName} in ${ParentKey} at ${depth}`]
    }),
  )

interface Row {
  entity_key: string
  display_name: string
  parent_key: string | null
  depth: number
}

async function stored(): Promise<Model> {
  const rows: Row[] = await db('structural_entities').where({ tenant_id: id })
  return new Map(rows.map(row => [row.entity_key, `${row.display_name} in ${row.parent_key} at ${row.depth}`]))
}

const bulk = `${paths.entities}/bulk`

async function begun(items: object[]): Promise<string> {
  const { status, headers } = await tenant.put(bulk, items, { Prefer: 'respond-async' })
  expect(status).toBe(202)
  return headers.get('location') ?? ''
}

const end = (location: string) => ended(tenant, location.split('/').at(-1) ?? '')
const countsOf = async (location: string) => (await end(location)).counts

/** A child of the first chunk. While another connection has it, the chunk waits, and holds the hierarchy. */
const heldKey = keyOf(100)

/** Begins a bulk whose first chunk waits, and returns once rows of the second are there, which nobody else sees. */
async function withSecondChunkWritten(items = batch()) {
  const holder = await db.transaction()
  onTestFinished(async () => {
    if (!holder.isCompleted()) await holder.rollback()
  })
  const row = { tenant_id: id, entity_key: heldKey, display_name: 'held', depth: 1, type_key: 'unit' }
  await holder('structural_entities').insert({ ...row, updated_at: new Date() })
  const dirty = await db.transaction({ isolationLevel: 'read uncommitted' })
  const location = await begun(items)
  const second = keyOf(chunkItems + 1)
  await until('the second chunk is being written', () =>
    dirty('structural_entities').where({ tenant_id: id, entity_key: second }).first('entity_key'),
  )
  await dirty.rollback()
  expect([...(await stored()).keys()]).not.toContain(second)
  return { location, release: () => holder.rollback() }
}

interface Event {
  source: string
  kind: string
}

test('the next chunk is written beside the one under way, and nobody sees it sooner', async () => {
  await db.transaction(trx => keepWatched(trx, id, ['entity']))
  const { location, release } = await withSecondChunkWritten()
  await release()
  expect(await countsOf(location)).toEqual({ created: size })
  expect(await stored()).toEqual(model())
  // One table has the events that have no number yet. Both are read as they were at one time.
  const events = await db.transaction(async trx => {
    const of = (table: string, order: string) =>
      trx(table).where({ tenant_id: id, feed: 'entity' }).orderBy(order).select<Event[]>('source', 'kind')
    return [...(await of('events', 'position')), ...(await of('events_unnumbered', 'id'))]
  })
  expect(events.map(({ source, kind }) => `${kind} ${source}`)).toEqual(
    [...Array(size).keys()].map(n => `created ${keyOf(n)}`),
  )
})

/** Lets the first chunk go on once another writer waits for the hierarchy, which then comes before the second one. */
async function releaseBefore<T>(writer: Promise<T>, release: () => Promise<unknown>): Promise<T> {
  await until('the other writer waits for the hierarchy', async () => {
    const [waiting] = await db.raw('SELECT 1 FROM information_schema.processlist WHERE info LIKE ?', [
      `%from \`hierarchies\` where \`tenant_id\` = ${id} %for update%`,
    ])
    return waiting.length > 0
  })
  await release()
  return writer
}

test('a writer that comes between two chunks overtakes the plan, and nothing is lost', async () => {
  const { location, release } = await withSecondChunkWritten()
  const { status } = await releaseBefore(tenant.put(paths.entities, anEntity('late')), release)
  expect(status).toBe(201)
  expect(await countsOf(location)).toEqual({ created: size })
  expect(await stored()).toEqual(model().set('late', 'Entity late in null at 1'))
})

test('a parent that is removed between two chunks is missed by the second, of which nothing is written', async () => {
  await put(tenant, paths.entities, anEntity('gone'))
  const orphan = chunkItems + 1
  const below = (n: number) => (n === orphan ? { ParentKey: 'gone' } : {})
  const { location, release } = await withSecondChunkWritten(batch(below))
  const { status } = await releaseBefore(tenant.delete(at(paths.entities, 'gone')), release)
  expect(status).toBe(204)
  const job = await end(location)
  expect(job.status).toBe('Failed')
  expect(job.problem?.errors).toMatchObject([{ code: 'unknown-parent', pointer: `/${size - 1 - orphan}/ParentKey` }])
  expect(await stored()).toEqual(new Map([...model()].slice(0, chunkItems)))
})

test('a writer of an entity that the second chunk has comes before or after it', async () => {
  const { location, release } = await withSecondChunkWritten()
  const key = keyOf(chunkItems + 1)
  const one = tenant.put(paths.entities, anEntity(key, { DisplayName: 'Other' }))
  await release()
  const { status } = await one
  const counts = await countsOf(location)
  const rows = await stored()
  if (status === 201) expect(counts).toEqual({ created: size - 1, updated: 1 })
  else expect([status, counts]).toEqual([200, { created: size }])
  expect(rows).toEqual(status === 201 ? model() : model().set(key, 'Other in null at 1'))
})

test('entities that are there are renamed beside new ones, and one of the last chunk moves with what is below it', async () => {
  const now = new Date()
  const rows = [...model().keys()].map((key, n) => [id, key, `Entity ${key}`, parentOf(n), n < 10 ? 1 : 2, 'unit', now])
  const isNew = (n: number) => n >= 10 && n % 10 === 1
  const columns = ['tenant_id', 'entity_key', 'display_name', 'parent_key', 'depth', 'type_key', 'updated_at']
  const old = rows.filter((_, n) => !isNew(n))
  await insertRows(db, 'structural_entities', columns, old)
  const renamed = (n: number) => ({ DisplayName: `New ${n}` })
  const created = size - old.length
  expect(await countsOf(await begun(batch(renamed)))).toEqual({ created, updated: old.length })
  expect(await stored()).toEqual(model(renamed))
  const last = size - 1
  await put(tenant, paths.entities, anEntity('outside', { ParentKey: keyOf(last) }))
  const moved = (n: number) => (n === last ? { ParentKey: keyOf(11) } : {})
  expect(await countsOf(await begun(batch(moved)))).toEqual({ updated: size })
  const after = model(n => ({ ...moved(n), ...(n === last ? { depth: 3 } : {}) }))
  expect(await stored()).toEqual(after.set('outside', `Entity outside in ${keyOf(last)} at 4`))
})
