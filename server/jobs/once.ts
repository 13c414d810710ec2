// Makes sure that requests with the same `Idempotency-Key` take effect only once.
import type { Knex } from 'knex'
import { transaction } from '../../db/errors.js'
import type { PlannedItem } from '../../db/jobs/chunks.js'
import { keptAnswer, type Outcomes, saveAnswer } from '../../db/jobs/idempotent-answers.js'
import type { JobRow } from '../../db/jobs/job-row.js'
import { jobStore } from '../../db/jobs/jobs.js'
import type { Answer } from '../endpoint.js'
import { keyReused } from '../idempotency.js'
import type { JobRequest } from './accept.js'

/** A bulk of at most 20 items, which is written by the request itself, without a job. */
export interface SmallBulk {
  /** Checks the batch and writes it, all or nothing. */
  write(trx: Knex.Transaction): Promise<{ answer: Answer; outcomes: Outcomes }>
  /** Answers a request that repeats the key: the outcomes of the first one, with the items as they are now. */
  repeat(outcomes: Outcomes): Promise<Answer>
}

/** Returns the outcomes of a planned batch, with each item's key as its id. */
export const outcomesById = (planned: readonly Pick<PlannedItem, 'key' | 'outcome'>[]): Outcomes =>
  planned.map(({ key, outcome }) => [key, outcome])

/**
 * Writes a small bulk in one transaction. A request that repeats an `Idempotency-Key` writes nothing and is answered from
 * the first one's outcomes.
 * @throws Problem 422 if the key was used for a different request; and whatever `write` and `repeat` throw.
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
 * Returns the job that an earlier request with the same `Idempotency-Key` has created or joined, if any.
 * @throws Problem 422 if the key was used for a different request.
 */
export async function earlierJob(db: Knex, request: JobRequest): Promise<JobRow | undefined> {
  const { job, outcomes } = (await earlierUse(db, request)) ?? {}
  // A request that has joined a job is stored with the id of that job as its only outcome.
  const [joined] = outcomes?.[0] ?? []
  return job ?? (joined === undefined ? undefined : jobStore(db, request.caller.tenantId).byId(joined))
}

/**
 * Looks up what the request's `Idempotency-Key` was used for: a job, or a small bulk or retry. Returns undefined if it is
 * new.
 * @throws Problem 422 if the key was used for a different request.
 */
export async function earlierUse(
  db: Knex,
  { idempotency, caller: { tenantId, clientId } }: JobRequest,
): Promise<{ job?: JobRow; outcomes?: Outcomes } | undefined> {
  if (!idempotency) return undefined
  const job = await jobStore(db, tenantId).byIdempotencyKey(clientId, idempotency.key)
  const answer = job ? undefined : await keptAnswer(db, tenantId, clientId, idempotency.key)
  const hash = job?.request_hash ?? answer?.requestHash
  if (hash === undefined || hash === null) return undefined
  // The hash covers the path, so a key used for a job never answers a small bulk, nor the other way round.
  if (hash !== idempotency.hash) throw keyReused()
  return job ? { job } : answer && { outcomes: answer.outcomes }
}

/**
 * Runs `make` unless an earlier request has done so already. If two requests arrive at the same time, `make` must fail
 * for one of them, as a unique key makes it; that one then gets what the other has made.
 * @param find returns what an earlier request has made, or undefined if there was none.
 * @throws whatever `find` throws, and the error of `make` if no other request has succeeded.
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
    // The same request may have run at the same time: it has taken the key, or created what `make` found to exist
    // already.
    const first = await find()
    if (!first) throw error
    return { earlier: first }
  }
}
