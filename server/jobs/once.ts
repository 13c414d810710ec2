// Does the work of a request once for each `Idempotency-Key`.
import type { Knex } from 'knex'
import { transaction } from '../../db/errors.js'
import type { PlannedItem } from '../../db/jobs/chunks.js'
import { keptAnswer, type Outcomes, saveAnswer } from '../../db/jobs/idempotent-answers.js'
import { type JobRow, jobStore } from '../../db/jobs/jobs.js'
import type { Answer } from '../endpoint.js'
import { keyReused } from '../idempotency.js'
import type { JobRequest } from './accept.js'

/** A bulk of at most 20 items. */
export interface SmallBulk {
  /** Checks the batch and writes it, all or nothing. */
  write(trx: Knex.Transaction): Promise<{ answer: Answer; outcomes: Outcomes }>
  /** The answer to a request that repeats the key, read anew. */
  repeat(outcomes: Outcomes): Promise<Answer>
}

/** The outcomes of a planned batch, which names its items by their keys. */
export const outcomesById = (planned: readonly Pick<PlannedItem, 'key' | 'outcome'>[]): Outcomes =>
  planned.map(({ key, outcome }) => [key, outcome])

/**
 * Writes a small bulk in one transaction. A repeated `Idempotency-Key` is answered as the first request, and writes nothing.
 * @throws the problem of the batch; Problem 422 when the key belongs to another request.
 */
export async function writeSmallBulk(db: Knex, request: JobRequest, { write, repeat }: SmallBulk): Promise<Answer> {
  const { idempotency, caller } = request
  const { earlier, made } = await oncePerKey(
    async () => (await earlierUse(db, request))?.outcomes,
    () =>
      transaction(db, caller.tenantId, async trx => {
        const { answer, outcomes } = await write(trx)
        if (idempotency) await saveAnswer(trx, caller.tenantId, caller.clientId, idempotency, outcomes)
        return answer
      }),
  )
  return made ?? repeat(earlier)
}

/**
 * The job that an earlier request with the same `Idempotency-Key` has made or joined.
 * @throws Problem 422 when the key belongs to another request.
 */
export const earlierJob = async (db: Knex, request: JobRequest): Promise<JobRow | undefined> =>
  (await earlierUse(db, request))?.job

/** What a key was used for: a job, or a small bulk. */
async function earlierUse(
  db: Knex,
  { idempotency, caller: { tenantId, clientId } }: JobRequest,
): Promise<{ job?: JobRow; outcomes?: Outcomes } | undefined> {
  if (!idempotency) return undefined
  const job = await jobStore(db, tenantId).byIdempotencyKey(clientId, idempotency.key)
  const answer = job ? undefined : await keptAnswer(db, tenantId, clientId, idempotency.key)
  const hash = job?.request_hash ?? answer?.requestHash
  if (hash === undefined || hash === null) return undefined
  // The path is part of the hash, so a job answers no small bulk.
  if (hash !== idempotency.hash) throw keyReused()
  return job ? { job } : answer && { outcomes: answer.outcomes }
}

/**
 * Runs `make` unless an earlier request has done it, also where requests come at the same time.
 * @param find what the earlier request has made; undefined where there is none.
 * @throws the errors of `make` and `find`.
 */
export async function oncePerKey<Earlier extends object, Made extends object>(
  find: () => Promise<Earlier | undefined>,
  make: () => Promise<Made>,
): Promise<{ made: Made; earlier?: undefined } | { made?: undefined; earlier: Earlier }> {
  const before = await find()
  if (before) return { earlier: before }
  try {
    return { made: await make() }
  } catch (error) {
    // The same request may just have taken the key, or done what makes this one impossible.
    const first = await find()
    if (!first) throw error
    return { earlier: first }
  }
}
