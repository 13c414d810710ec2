import { connect } from '../db/connect.js'
import { newTenant, type Tenant } from '../test/support/api.js'
import { ended, type JobBody } from '../test/support/faults.js'
import { anEntity, aType, put } from '../test/support/frame.js'
import { seedLocations, subjectIds } from '../test/support/locations.js'
import type { Stack } from '../test/support/stack.js'
import { median } from './measure.js'

/** Assignments a second. */
export interface TransferFigures {
  /** A job from its acceptance to its end. */
  copy: number
  move: number
  /** By hand: INSERT … SELECT alone, and with the DELETE of what was taken. */
  insertFloor: number
  moveFloor: number
  /** Median ms from request to 202. */
  accepted: number
}

const chunk = 10_000

/**
 * Transfers of `count` assignments beside the same done by hand: same table, same columns, chunks of 10,000 by key, each
 * statement a transaction of its own. All four in every round, so that a slower minute of the machine meets all.
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

      // Every step begins with all of them at one entity and ends with all of them at another: `scratch` is no entity.
      times.insert.push(await byHand('a', 'scratch', false))
      await empty('scratch')
      times.copy.push(await job(tenant, 'a', 'b', 'Copy', accepted))
      await empty('b')
      times.replace.push(await byHand('a', 'scratch', true))
      await byHand('scratch', 'b', true)
      times.move.push(await job(tenant, 'b', 'c', 'Move', accepted))
      await empty('c')

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

/** @returns ms from acceptance to the end, as the job's row has them. */
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
  const { jobId, status: end, acceptedAt, finishedAt } = await ended(tenant, body.jobId, 600_000)
  if (end !== 'Completed' || finishedAt === null) throw new Error(`The job ${jobId} is ${end}`)
  return Date.parse(finishedAt) - Date.parse(acceptedAt)
}
