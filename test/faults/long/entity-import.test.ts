// Imports of structural entities beside kills of every process.
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { csvRow } from '../../../db/frame/imports/csv-rows.js'
import type { Tenant } from '../../support/api.js'
import { tenantWithPlaces } from '../../support/factories.js'
import { ended, jobRow, kill, progressed } from '../../support/faults.js'
import { type HierarchyModel, type Place, place } from '../../support/hierarchy-model.js'
import { entityImportPath, refusedRows, upload } from '../../support/imports.js'
import { type Random, randomOf } from '../../support/random.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

const seed = Number(process.env.FAULT_SEED ?? 20_261_124)
const count = 9_000

let stack: Stack
let db: Knex
let tenant: Tenant
let model: HierarchyModel
beforeAll(async () => {
  stack = await startStack()
  db = connect(stack.databaseUrl, { poolSize: 2 })
  const made = await tenantWithPlaces(stack.baseUrl)
  tenant = made.tenant
  model = made.model
})
afterAll(async () => {
  await db?.destroy()
  await stack?.stop()
})

interface Upload {
  rows: string[]
  /** Places that are written, in whatever order. */
  written: Place[]
  refused: [row: number, code: string][]
}

/**
 * Rows of new places, renamed and moved ones, in a random order, some with a fault. A parent has a smaller number, so that there is no
 * cycle but those that are made. Nothing is below a new place whose row is refused, but for rows that say so.
 */
function uploadOf(random: Random): Upload {
  const known = model.places.size
  const numbers = new Set<number>()
  for (let n = 0; numbers.size < count; n++)
    numbers.add(random.between(0, 4) > 0 ? known + n : random.between(0, known))
  const isWrong = (n: number) => n % 97 === 5
  const isThere = (n: number) => model.places.has(`p-${n}`) || (numbers.has(n) && !isWrong(n))
  const parentOf = (n: number): string | undefined => {
    for (let tries = 0; tries < 20; tries++) {
      const parent = random.between(0, Math.max(1, n))
      if (parent < n && isThere(parent)) return `p-${parent}`
    }
    return undefined
  }
  const lines: { cells: string[]; item: Place; code?: string }[] = [...numbers].map(n => {
    const key = `p-${n}`
    const item = place(key, parentOf(n), random.between(0, 500), `Place ${n}, "${random.between(0, 9)}"`)
    const cells = [item.DisplayName, key, item.ParentKey ?? '', 'place', String(bedsOf(item))]
    if (!isWrong(n)) return { item, cells }
    const fault = random.between(0, 4)
    if (fault === 0) return { item, cells: cells.with(4, 'many'), code: 'wrong-format' }
    if (fault === 1) return { item, cells: cells.with(2, 'nowhere'), code: 'unknown-parent' }
    if (fault === 2) return { item, cells: cells.with(2, key), code: 'cycle' }
    return { item, cells: cells.with(3, 'castle'), code: 'unknown-structure-type' }
  })
  const news = lines.filter(({ item, code }) => code && !model.places.has(item.Key))
  for (const { item } of news.slice(0, 50)) {
    const below = place(`below-${item.Key}`, item.Key)
    lines.push({ item: below, cells: [below.DisplayName, below.Key, item.Key, 'place', '1'], code: 'parent-refused' })
  }
  const shuffled = random.shuffled(lines)
  return {
    rows: shuffled.map(({ cells }) => csvRow(cells, 'comma')),
    written: shuffled.flatMap(({ item, code }) => (code === undefined ? [item] : [])),
    refused: shuffled.flatMap(({ code }, n): [number, string][] => (code === undefined ? [] : [[n + 2, code]])),
  }
}

const bedsOf = ({ CustomFieldValues }: Place): number => CustomFieldValues?.[0]?.Value.Integer.Value ?? 0

/** Waits until all rows of the newest job are read. */
const allRead = () =>
  until('the rows are read', async () => {
    const job = await jobRow(db, tenant.tenantKey)
    const row = job && (await db('jobs').where({ id: job.id }).first('position'))
    return JSON.parse(row?.position ?? '{"pass":"read"}').pass !== 'read' || undefined
  })

test.each([
  ['of new places', ['worker', 'api', 'worker'], {}],
  ['of new places and of those that are there', ['worker', 'worker', 'database'], {}],
  ['with Mode=all, whose rows are refused', ['worker', 'worker'], { Mode: 'all' }],
] as const)(
  `an import %s: each row is written once, whatever is killed (FAULT_SEED=${seed})`,
  async (name, [first, second, third], query) => {
    const random = randomOf(seed + name.length)
    const { rows, written, refused } = uploadOf(random)
    const body = `DisplayName,Key,ParentKey,StructureTypeKey,beds\n${rows.join('\n')}\n`
    const accepted = await upload(tenant, body, { query, baseUrl: stack.baseUrl, path: entityImportPath })
    expect(accepted.status).toBe(202)
    // While rows are read, planned, and written.
    await progressed(db, tenant.tenantKey, random.between(1, 40) / 100)
    await kill(stack[first])
    await allRead()
    await kill(stack[second])
    if (third) {
      await progressed(db, tenant.tenantKey, random.between(55, 90) / 100)
      await kill(stack[third])
    }
    await stack.ready()
    const job = await ended(tenant, accepted.body.jobId, 120_000)
    const codes = (await refusedRows(tenant, job.jobId)).map(({ Refused }) => [Refused.row, Refused.code])
    expect(codes).toEqual(refused)
    if ('Mode' in query) expect(job).toMatchObject({ status: 'Failed', counts: { refused: refused.length } })
    else {
      const { created, updated } = model.apply(written)
      expect(job).toMatchObject({ status: 'Completed', counts: { created, updated, refused: refused.length } })
    }
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  },
)

test('their rows are not kept beside the entities, nor beside the refused rows', async () => {
  const imports = db('jobs').where({ kind: 'structuralEntityImport' }).select('id')
  expect(await db('job_chunks').whereIn('job_id', imports).select('job_id')).toEqual([])
})
