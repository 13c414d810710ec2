// Writes a small bulk beside the start of its run.
import { ConsecutiveBreaker, circuitBreaker, handleAll } from 'cockatiel'
import type { Knex } from 'knex'
import { type Run, startSmallBulk } from '../../activities/jobs/start-run.js'
import { inTurn, transaction } from '../../db/errors.js'
import { outcomesOf, type PlannedItem, writeChunks } from '../../db/jobs/chunks.js'
import type { JobRow } from '../../db/jobs/jobs.js'
import { jobEnded } from '../../runtime/jobs-ended.js'
import type { SmallBulks } from '../../runtime/small-bulks.js'
import type { Temporal } from '../../runtime/temporal.js'
import { type BulkKind, queues } from '../../workflows/jobs/contracts.js'
import { type Answer, noContent } from '../endpoint.js'
import { type AnyRequest, acceptJob, newRun } from './accept.js'

/** A small bulk that is written: the outcome of each item, in the order of writing, and the answer. */
interface WrittenBulk {
  items: readonly PlannedItem[]
  answer: Answer
}

/** A bulk of at most {@link smallBulkItems} items. */
export interface SmallBulk {
  total: number
  /** Checks the whole batch and writes nothing; its problem is the answer, and then there is neither job nor run. */
  check(): Promise<unknown>
  /** Checks it again, under its locks, and writes it. */
  upsert(trx: Knex.Transaction): Promise<WrittenBulk>
  /** The answer to a repeated `Idempotency-Key`, where it is not 204. */
  again?(job: JobRow): Promise<Answer>
}

export interface SmallBulkOptions {
  db: Knex
  /** Throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
  smallBulks: SmallBulks
}

/** Writes small bulks. The run and the transaction begin side by side, because each takes some 10 ms. */
export function createSmallBulkWriter({ db, temporal, smallBulks }: SmallBulkOptions) {
  /** While Temporal hangs, a few small bulks wait for it, and the others do not. */
  const starts = circuitBreaker(handleAll, { halfOpenAfter: 5_000, breaker: new ConsecutiveBreaker(3) })

  /** @returns whether Temporal has taken the run. */
  const startRun = ({ caller, log }: AnyRequest, job: Run): Promise<boolean> =>
    starts
      .execute(() => startSmallBulk(temporal(), job, caller.tenantKey))
      .then(() => true)
      .catch(err => {
        log.warn({ err, jobId: job.id }, 'small bulk without a run')
        return false
      })

  async function write(request: AnyRequest, kind: BulkKind, { total, upsert }: SmallBulk) {
    const { tenantId } = request.caller
    const work = { total, queue: queues.interactive }
    const job = newRun(request, kind, work)
    const hasRun = startRun(request, job)
    let answer = noContent
    const written = transaction(db, tenantId, async trx => {
      const bulk = await upsert(trx)
      answer = bulk.answer
      // Their values are written: the list of the job's items needs their keys alone.
      const keys = bulk.items.map(([index, key, layer, outcome]): PlannedItem => [index, key, layer, outcome])
      const counts = outcomesOf(keys)
      await acceptJob(trx, request, kind, { ...work, done: counts, hasRun: await hasRun }, job)
      await writeChunks(trx, tenantId, job.id, keys)
      return { done: total, total, counts }
    })
    smallBulks.add(job.id, written)
    await written
    jobEnded(kind, 'Completed')
    return { job, answer }
  }

  /** Writes a small bulk in one transaction with its job. @throws the problem of its check or its writes. */
  return async (request: AnyRequest, kind: BulkKind, bulk: SmallBulk): Promise<{ job: Run; answer: Answer }> => {
    await bulk.check()
    // Its turn first: a run that waits for one would hold a slot that other tenants need.
    return inTurn(db, request.caller.tenantId, () => write(request, kind, bulk))
  }
}
