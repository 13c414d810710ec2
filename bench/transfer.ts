// Measures transfers against the same statements by hand.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connect } from '../db/connect.js'
import { newTenant, type Tenant } from '../test/support/api.js'
import { anEntity, aType } from '../test/support/factories.js'
import type { JobBody } from '../test/support/faults.js'
import { put } from '../test/support/frame.js'
import { seedLocations, subjectIds } from '../test/support/locations.js'
import type { Stack } from '../test/support/stack.js'
import { median } from './measure.js'

/** Assignments per second, except `accepted`. */
export interface TransferFigures {
  /** As a job, from its acceptance to its end. */
  copy: number
  move: number
  /** By hand: INSERT … SELECT alone, and followed by the DELETE of the source. */
  insertFloor: number
  moveFloor: number
  /** Median ms from request to 202. */
  accepted: number
}

const chunk = 10_000

/**
 * Measures transfers of `count` assignments against the same work by hand: same table, same columns, chunks of 10,000
 * by key, each statement a transaction. Every round runs both, so that a slow phase of the machine affects both.
 */
export async function measureTransfer(stack: Stack, count: number, rounds: number): Promise<TransferFigures> {
  const db = connect(stack.databaseUrl, { poolSize: 2 })
  const times = { copy: [] as number[], move: [] as number[], insert: [] as number[], replace: [] as number[] }
  const accepted: number[] = []
  const ends = subjectIds({ count }).filter((_, n) => n % chunk === chunk - 1 || n === count - 1)
  try {
    for (let round = 0; round < rounds; round++) {
      const tenant = await newTenant(stack.baseUrl)
      const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
      await put(tenant, '/api/v1/structureType', aType('unit'))
      await put(tenant, '/api/v1/structuralEntity', ...['a', 'b', 'c'].map(key => anEntity(key)))
      await seedLocations(db, tenant.tenantKey, 'a', { count })

      // `x` and `y` are keys without an entity. Which of the two runs first alternates between rounds.
      const pairs = [
        [() => byHand('a', 'x', false), () => job(tenant, 'a', 'b', 'Copy', accepted), times.insert, times.copy],
        [() => byHand('x', 'y', true), () => job(tenant, 'b', 'c', 'Move', accepted), times.replace, times.move],
      ] as const
      for (const [hand, ours, handTimes, ourTimes] of pairs) {
        for (const mine of round % 2 === 0 ? [false, true] : [true, false]) {
          await settled(db)
          if (mine) ourTimes.push(await ours())
          else handTimes.push(await hand())
        }
      }
      await Promise.all(['a', 'c', 'y'].map(empty))

      async function byHand(from: string, to: string, move: boolean): Promise<number> {
        const started = performance.now()
        let after = ''
        for (const last of ends) {
          const page = [id, from, after, last]
          await db.raw(
            `INSERT INTO subject_locations (tenant_id, entity_key, subject_id, transfer_id) SELECT tenant_id, ?, subject_id, ?
             FROM subject_locations WHERE tenant_id = ? AND entity_key = ? AND subject_id > ? AND subject_id <= ?`,
            [to, subjectIds({ count: 1 })[0] ?? '', ...page],
          )
          if (move) {
            await db.raw(
              'DELETE FROM subject_locations WHERE tenant_id = ? AND entity_key = ? AND subject_id > ? AND subject_id <= ?',
              page,
            )
          }
          after = last
        }
        return performance.now() - started
      }

      async function empty(key: string): Promise<void> {
        let removed = 0
        do {
          removed = await db('subject_locations').where({ tenant_id: id, entity_key: key }).limit(50_000).delete()
        } while (removed > 0)
      }
    }
  } finally {
    await db.destroy()
  }
  const perSecond = (ms: number[]) => (count * 1000) / median(ms)
  return {
    copy: perSecond(times.copy),
    move: perSecond(times.move),
    insertFloor: perSecond(times.insert),
    moveFloor: perSecond(times.replace),
    accepted: median(accepted),
  }
}

/**
 * Waits until the server has purged deleted rows, which it does in the background. Waits 5 s if the server does not
 * report its progress.
 */
async function settled(db: Knex): Promise<void> {
  for (let waited = 0; waited < 60; waited++) {
    const [[row]] = await db.raw("SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'")
    if (row ? Number(row.Value) < 100 : waited === 5) return
    await sleep(1_000)
  }
}

/** Transfers by a job. @returns ms from acceptance to the end, as the job's row records them. */
async function job(
  tenant: Tenant,
  source: string,
  destination: string,
  mode: 'Copy' | 'Move',
  accepted: number[],
): Promise<number> {
  const started = performance.now()
  const { status, body } = await tenant.post<JobBody>(`/api/v1/structuralEntity/${destination}/subjects/transfer`, {
    SourceStructuralEntityKey: source,
    TransferMode: mode,
  })
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`)
  accepted.push(performance.now() - started)
  for (;;) {
    // Polled rarely, because every answer takes time from what is measured.
    await sleep(200)
    const { status: now, acceptedAt, finishedAt } = (await tenant.get<JobBody>(body.links.self)).body
    if (finishedAt === null) continue
    if (now !== 'Completed') throw new Error(`The job ${body.jobId} is ${now}`)
    return Date.parse(finishedAt) - Date.parse(acceptedAt)
  }
}
