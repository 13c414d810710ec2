// Events of what writes nothing: who has read people, and what was refused. They are appended in batches, so that no reader waits.
import type { Knex } from 'knex'
import { Counter } from 'prom-client'
import type { Log } from '../../runtime/observe/log.js'
import { processMetrics } from '../../runtime/observe/metrics.js'
import { repeat } from '../../runtime/process/repeat.js'
import type { TenantId } from '../connect.js'
import { groupedBy, insertRows, type WrittenCell } from '../rows.js'
import { type ActionOutcome, eventColumns, platformChain, presentRow } from './action.js'

/** How many events wait at most, some 5 MB. More are lost while the database is away, and counted. */
const maxWaiting = 10_000
/** How many are written before a second is over. */
const fullBatch = 1_000
const pauseMs = 1_000

const lost = new Counter({
  name: 'armature_audit_lost_total',
  help: 'Events of reads and refusals that could not be kept until the database was back',
  registers: [processMetrics],
})

/** Whose audit an event belongs to: a tenant by its id or key, or the installation. */
export type Whose = TenantId | { key: string }

let waiting: { whose: Whose; row: WrittenCell[] }[] = []
let isLosing = false
let flushSoon: () => void = () => undefined

/** Appends the action under way to an audit within about a second. Does nothing outside of an action. */
export function recordLater(whose: Whose, outcome: Extract<ActionOutcome, 'read' | 'refused'>): void {
  const row = presentRow(outcome, new Date())
  if (!row) return
  isLosing = waiting.length >= maxWaiting
  if (isLosing) {
    lost.inc()
    return
  }
  waiting.push({ whose, row })
  if (waiting.length >= fullBatch) flushSoon()
}

/**
 * Appends waiting events each second, or sooner if there are many, until the returned function is called, which appends the rest. While
 * the database is away, they wait.
 */
export function appendLaterEvents(db: Knex, log: Log): () => Promise<void> {
  let last = Promise.resolve()
  const flush = (): Promise<void> => {
    last = last.then(async () => {
      if (waiting.length === 0) return
      const batch = new Set(waiting)
      waiting = []
      try {
        await append(db, batch)
      } catch (err) {
        waiting = [...batch, ...waiting]
        log.warn({ err, waiting: waiting.length, isLosing }, 'events of the audit wait for the database')
      }
    })
    return last
  }
  let isFlushing = false
  flushSoon = () => {
    if (isFlushing) return
    isFlushing = true
    flush().finally(() => {
      isFlushing = false
    })
  }
  const end = repeat(async () => {
    await flush()
    return pauseMs
  })
  return async () => {
    await end()
    await flush()
    if (waiting.length === 0) return
    lost.inc(waiting.length)
    log.error({ lost: waiting.length }, 'events of the audit were lost, because the database was away at the stop')
  }
}

/**
 * Appends events, in a statement for each tenant, and removes from the batch what is appended. Those of a tenant that does not exist, or
 * is being deleted, belong to the installation.
 */
async function append(db: Knex, batch: Set<(typeof waiting)[number]>): Promise<void> {
  const all = [...batch]
  const keys = new Set(all.flatMap(({ whose }) => (typeof whose === 'object' ? [whose.key] : [])))
  const found: { id: TenantId; tenant_key: string }[] =
    keys.size === 0
      ? []
      : await db('tenants')
          .whereIn('tenant_key', [...keys])
          .whereNull('deletion_job_id')
          .select('id', 'tenant_key')
  const ids = new Map(found.map(({ id, tenant_key }) => [tenant_key, id]))
  const idOf = ({ whose }: { whose: Whose }) =>
    typeof whose === 'object' ? (ids.get(whose.key) ?? platformChain) : whose
  for (const [tenant, events] of groupedBy(all, idOf)) {
    const rows = events.map(({ row }) => [tenant, ...row])
    await insertRows(db, 'audit_unsealed', ['tenant_id', ...eventColumns], rows)
    for (const event of events) batch.delete(event)
  }
}
