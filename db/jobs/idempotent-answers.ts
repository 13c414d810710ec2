// Stores the outcomes of small bulks, of retries and of requests that joined a job, so that a repeated Idempotency-Key gets
// the first request's answer. Requests that join a refresh keep their key in `data_set_requests`, whose row also says which round serves it.
import type { Knex } from 'knex'
import { ago, presentTime } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { insertRows } from '../rows.js'
import type { PlannedItem } from './chunks.js'

/**
 * The id and outcome of each item of a bulk, in the order of the request; of a retry, or of a request that joined a job, those of the
 * job. The answer is rebuilt from them.
 */
export type Outcomes = readonly (readonly [id: string, outcome: PlannedItem['outcome']])[]

/** The outcomes of an earlier request, with that request's hash. */
interface KeptAnswer {
  requestHash: string
  outcomes: Outcomes
}

/** How long an answer is kept at least, in ms. The API promises one day; this is twice as long. */
const keptMs = 2 * 86_400_000

/** Returns the answer that a client got with a key, or undefined if it has not used the key for a small bulk or a
 * retry. */
export async function keptAnswer(
  db: Db,
  tenant: TenantId,
  actor: string,
  idempotencyKey: string,
): Promise<KeptAnswer | undefined> {
  const row = await db('idempotent_answers')
    .where({ tenant_id: tenant, actor, idempotency_key: idempotencyKey })
    .first('request_hash', 'outcomes')
  return row && { requestHash: row.request_hash, outcomes: JSON.parse(row.outcomes) }
}

/**
 * Stores an answer, in the transaction that writes the bulk or reopens the job. If another request has just used the key, the insert
 * fails, and with it the transaction.
 */
export async function saveAnswer(
  trx: Knex.Transaction,
  tenant: TenantId,
  actor: string,
  { key, hash }: { key: string; hash: string },
  outcomes: Outcomes,
): Promise<void> {
  const columns = ['tenant_id', 'actor', 'idempotency_key', 'request_hash', 'outcomes', 'created_at']
  await insertRows(trx, 'idempotent_answers', columns, [
    [tenant, actor, key, hash, JSON.stringify(outcomes), presentTime],
  ])
}

/** How many answers one statement deletes, so that a backlog does not reach the time limit of statements. */
const perForgetting = 10_000

/** Deletes the expired answers of all tenants. @returns how many. */
export async function forgetAnswers(db: Knex): Promise<number> {
  let forgotten = 0
  for (const tenant of await db('idempotent_answers').distinct('tenant_id').pluck<TenantId[]>('tenant_id')) {
    const old = () => db('idempotent_answers').where({ tenant_id: tenant }).where('created_at', '<', ago(db, keptMs))
    for (let more = 1; more > 0; forgotten += more) more = await old().limit(perForgetting).delete()
  }
  return forgotten
}
