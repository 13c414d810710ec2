// Measures large bulk upserts against bare multi-row inserts.
import { createConnection } from 'mysql2/promise'
import { migrate } from '../db/migrate.js'
import { newTenant } from '../test/support/api.js'
import type { Stack } from '../test/support/stack.js'
import { benchType, hierarchy, rowsOf } from './entities.js'
import { median, memory, scratchUrl } from './measure.js'

export interface BulkFigures {
  items: number
  /** Rows per second of bare multi-row INSERT … ON DUPLICATE KEY UPDATE, parents first. */
  floor: number
  /** Rows per second from request to 204, first into an empty tenant and then with the same batch again. */
  first: number
  again: number
  /** Medians of the ratios within each round: the first request to the floor, and the second to the first. */
  firstToFloor: number
  againToFirst: number
  /** Peak memory of the processes since they started, in MB. */
  apiMb: number
  workerMb: number
}

/**
 * Measures a bulk request of shuffled entities against a hand-written import of the same rows into the same tables.
 * Both run in every round and are compared within it, because the machine's speed varies over time.
 */
export async function measureBulk(stack: Stack, items: number, rounds: number): Promise<BulkFigures> {
  const batch = hierarchy(items)
  const body = JSON.stringify(batch)
  const floor: number[] = []
  const first: number[] = []
  const again: number[] = []
  // The first round is a warm-up.
  for (let round = -1; round < rounds; round++) {
    const bare = await bareImport(stack.databaseUrl, rowsOf(batch))
    const tenant = await newTenant(stack.baseUrl)
    await tenant.put('/api/v1/structureType', benchType)
    const put = async () => {
      const started = performance.now()
      const { status } = await tenant.put('/api/v1/structuralEntity/bulk', body)
      if (status !== 204) throw new Error(`The bulk answered ${status}`)
      return performance.now() - started
    }
    const [one, two] = [await put(), await put()]
    if (round < 0) continue
    floor.push(bare)
    first.push(one)
    again.push(two)
  }
  const perSecond = (ms: number[]) => (items * 1000) / median(ms)
  const speedup = (ms: number[], beside: number[]) => median(ms.map((each, n) => (beside[n] ?? Number.NaN) / each))
  return {
    items,
    floor: perSecond(floor),
    first: perSecond(first),
    again: perSecond(again),
    firstToFloor: speedup(first, floor),
    againToFirst: speedup(again, first),
    apiMb: memory(stack.api.pid, 'VmHWM'),
    workerMb: memory(stack.worker.pid, 'VmHWM'),
  }
}

/**
 * Imports the rows by hand, as the floor: 1,000 rows in each statement, each statement a transaction, into tables like
 * ours.
 * @returns ms
 */
async function bareImport(databaseUrl: string, rows: (string | number | null)[][]): Promise<number> {
  const url = scratchUrl(databaseUrl, 'floor')
  await migrate(url)
  const connection = await createConnection(url)
  await connection.query('TRUNCATE structural_entities')
  const started = performance.now()
  for (let n = 0; n < rows.length; n += 1000) {
    await connection.query(
      `INSERT INTO structural_entities (tenant_id, entity_key, display_name, parent_key, depth, type_key, custom_values, updated_at) VALUES ?
       ON DUPLICATE KEY UPDATE display_name = VALUES(display_name), parent_key = VALUES(parent_key), depth = VALUES(depth),
       type_key = VALUES(type_key), custom_values = VALUES(custom_values)`,
      [rows.slice(n, n + 1000).map(row => [...row, new Date()])],
    )
  }
  const took = performance.now() - started
  await connection.end()
  return took
}
