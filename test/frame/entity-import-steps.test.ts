// Steps of imports of structural entities, called one by one.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { planImport, type ReadAgain, writeImportChunk } from '../../db/frame/imports/entity-import.js'
import type { ImportedEntity } from '../../db/frame/imports/entity-order.js'
import type { Import } from '../../db/frame/imports/imports.js'
import { rejectsOf, saveRejects } from '../../db/frame/imports/rejects.js'
import { writeChunks } from '../../db/jobs/chunks.js'
import { jobStore } from '../../db/jobs/jobs.js'
import { type RowPlace, rowBatches } from '../../runtime/rows/row-splitter.js'
import { newTenant, type Tenant } from '../support/api.js'
import { waiting } from '../support/extracts.js'
import { openDatabase, plant } from '../support/factories.js'
import { readTree } from '../support/frame.js'
import { jobWithoutRun } from '../support/jobs.js'

const db = openDatabase()
afterAll(() => db.destroy())

let tenant: Tenant
let id: number
const newHierarchy = async () => {
  tenant = await newTenant(inject('baseUrl'))
  await plant(tenant, { root: null })
  id = await tenantIdOf(db, tenant.tenantKey)
}

/** The row of a new entity; its number is its place in the file, whose rows are `row 1` and so on. */
const row = (index: number, key: string, parentKey: string | null): ImportedEntity => ({
  ...{ index, byte: textOf(index - 1).length, key, depth: parentKey === null ? 1 : 2 },
  ...{ outcome: 'created', displayName: key },
  ...{ parentKey, typeKey: 'unit', customValues: null, isMoved: false },
})
const rules = { allows: () => true, maxDepth: 64 }
const format: Import = { format: 'csv', mode: 'each', dryRun: false, bytes: 99, begin: { byte: 0, row: 0 } }

/** The text of so many rows. */
const textOf = (rows: number) => Array.from({ length: rows }, (_, n) => `row ${n + 1}\n`).join('')

/** Reads an upload of so many rows, three at once. @param atRead is called when some are read. */
const uploadOf =
  (count: number, atRead: (from: RowPlace) => Promise<unknown> = async () => undefined): ReadAgain =>
  async from => {
    await atRead(from)
    const pieces = async function* () {
      yield Buffer.from(textOf(count)).subarray(from.byte)
    }
    for await (const batch of rowBatches(pieces(), { from, max: { rows: 3, bytes: 1_000 } })) return batch
    throw new Error('no rows')
  }

/** Stores an import whose rows have come to this place. */
async function importAt(position: object, rows: ImportedEntity[], counts: object = {}) {
  const tenantId = id
  const jobId = await jobWithoutRun(db, tenantId, 'structuralEntityImport', 9)
  const { version } = await db('hierarchies').where({ tenant_id: tenantId }).first('version')
  const done = 'end' in position ? 0 : rows.length
  await db('jobs')
    .where({ tenant_id: tenantId, id: jobId })
    .update({
      ...{ run_id: 'run', done, plan_version: version },
      ...{ position: JSON.stringify(position), counts: JSON.stringify(counts) },
    })
  await db.transaction(trx => writeChunks(trx, tenantId, jobId, rows))
  const run = { jobId, runId: 'run', fileId: 'f' }
  return {
    jobId,
    plan: (readAgain: ReadAgain) => planImport(db, tenantId, run, rows.length, format, rules, readAgain),
    write: (readAgain: ReadAgain) =>
      writeImportChunk(db, tenantId, run, { first: 0, items: rows }, format, rules, readAgain, () => undefined),
    job: async () => {
      const job = await jobStore(db, tenantId).byId(jobId)
      return { position: JSON.parse(job?.position ?? '{}'), counts: JSON.parse(job?.counts ?? '{}') }
    },
    rejects: async () => {
      const found: string[] = []
      for await (const { row, faults, content } of rejectsOf(db, tenantId, jobId))
        found.push(`${row} ${faults.map(({ code }) => code)} ${content}`)
      return found
    },
  }
}

describe('the plan', () => {
  beforeEach(newHierarchy)

  test('reads the bytes of refused rows while the job is not locked', async () => {
    const { jobId, plan, job, rejects } = await importAt({ pass: 'plan' }, [
      row(1, 'a', 'root'),
      row(2, 'b', 'nowhere'),
    ])
    const isFree = () => db('jobs').where({ tenant_id: id, id: jobId }).forUpdate().noWait().first('id')
    await plan(uploadOf(2, isFree))
    expect(await job()).toEqual({ position: { pass: 'write', end: 3 }, counts: { refused: 1 } })
    expect(await rejects()).toEqual(['2 unknown-parent row 2'])
  })

  test('accepts a row that an attempt which died had stored as refused, and removes it from the refused rows', async () => {
    const { jobId, plan, rejects } = await importAt({ pass: 'plan' }, [row(1, 'a', 'root')])
    const reject = { row: 1, faults: [], content: Buffer.from('row 1') }
    await db.transaction(trx => saveRejects(trx, id, jobId, [reject]))
    await plan(uploadOf(1))
    expect(await rejects()).toEqual([])
  })

  test('with too many refused rows fails before it stores any, and quotes one', async () => {
    const { plan, rejects } = await importAt({ pass: 'plan' }, [row(1, 'a', 'nowhere')], { refused: 100_000 })
    await expect(plan(uploadOf(1))).rejects.toMatchObject({
      code: 'too-many-refused',
      message: expect.stringContaining(
        "nothing was written. One of them is row 1: There is no structural entity 'nowhere'",
      ),
    })
    expect(await rejects()).toEqual([])
  })

  test('of one import is refused while that of another is under way, because both may need too much memory', async () => {
    const first = await importAt({ pass: 'plan' }, [row(1, 'a', 'root')])
    const firstTenant = id
    await newHierarchy()
    const second = await importAt({ pass: 'plan' }, [row(1, 'a', 'root')])
    const held = await db.transaction()
    await held('jobs').where({ tenant_id: firstTenant, id: first.jobId }).forUpdate().first('id')
    const planned = first.plan(uploadOf(1))
    await waiting(db, firstTenant, new RegExp(`from .?jobs.? .*${first.jobId}.*for update`))
    await expect(second.plan(uploadOf(1))).rejects.toMatchObject({ code: 'busy' })
    await held.commit()
    await planned
    expect(await second.plan(uploadOf(1))).toMatchObject({ state: 'open' })
  })
})

describe('a chunk', () => {
  beforeAll(newHierarchy)

  test('reads the bytes of rows that have become wrong while the hierarchy is not locked, and is then written without them', async () => {
    const rows = [row(1, 'a', 'root'), row(2, 'b', 'gone'), row(3, 'c', 'root')]
    const { write, job, rejects } = await importAt({ pass: 'write', end: 3 }, rows)
    await db('hierarchies').where({ tenant_id: id }).increment('version', 1)
    const isFree = () => db('hierarchies').where({ tenant_id: id }).forUpdate().noWait().first('version')
    await write(uploadOf(3, isFree))
    expect((await job()).counts).toMatchObject({ created: 2, refused: 1 })
    expect(await rejects()).toEqual(['2 unknown-parent row 2'])
    expect(await readTree(tenant)).toEqual({ root: '-@1', a: 'root@2', c: 'root@2' })
  })

  test('reads the upload only where rows have become wrong, and neighbours at once', async () => {
    const gone = [4, 6, 900, 12]
    const { write, rejects } = await importAt(
      { pass: 'write', end: 4 },
      gone.map(n => row(n, `lost-${n}`, 'gone')),
    )
    await db('hierarchies').where({ tenant_id: id }).increment('version', 1)
    const places: RowPlace[] = []
    await write(uploadOf(1_000, async from => places.push(from)))
    const expected = [4, 12, 900]
    expect(places).toEqual(expected.map(n => ({ byte: textOf(n - 1).length, row: n - 1 })))
    expect(await rejects()).toEqual([4, 6, 12, 900].map(n => `${n} unknown-parent row ${n}`))
  })
})
