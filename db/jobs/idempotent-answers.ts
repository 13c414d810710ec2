// Answers of small bulks, kept for requests that repeat an Idempotency-Key.
import type { Knex } from 'knex'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { insertRows } from '../rows.js'
import type { PlannedItem } from './chunks.js'

/** What a bulk made of each item, in the order of the request: by these the answer is read anew. */
export type Outcomes = readonly (readonly [id: string, outcome: PlannedItem['outcome']])[]

/** The answer to a request, with the hash of that request. */
export interface KeptAnswer {
  requestHash: string
  outcomes: Outcomes
}

/** How long an answer is kept at least, in ms: twice the day that the API promises. */
const keptMs = 2 * 86_400_000

/** The answer that a client got with a key; undefined where it has not used that key for a small bulk. */
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

/** Keeps an answer, in the transaction of its writes. A key that another request has just taken fails the transaction. */
export async function saveAnswer(
  trx: Knex.Transaction,
  tenant: TenantId,
  actor: string,
  { key, hash }: { key: string; hash: string },
  outcomes: Outcomes,
): Promise<void> {
  const columns = ['tenant_id', 'actor', 'idempotency_key', 'request_hash', 'outcomes', 'created_at']
  await insertRows(trx, 'idempotent_answers', columns, [
    [tenant, actor, key, hash, JSON.stringify(outcomes), new Date()],
  ])
}

/** Forgets the answers that are old enough. @returns how many. */
export async function forgetAnswers(db: Knex): Promise<number> {
  let forgotten = 0
  const before = new Date(Date.now() - keptMs)
  for (const tenant of await db('tenants').pluck<TenantId[]>('id')) {
    forgotten += await transaction(db, tenant, trx =>
      trx('idempotent_answers').where({ tenant_id: tenant }).where('created_at', '<', before).delete(),
    )
  }
  return forgotten
}
