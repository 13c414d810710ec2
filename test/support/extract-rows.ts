// Rows of extracts, written straight to the database.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { onTestFinished } from 'vitest'
import { connect } from '../../db/connect.js'
import { until } from './until.js'

/** Moves the only submission of an instance to a time, which no client can choose. */
export async function submittedAt(db: Knex, instanceId: string, time: string): Promise<void> {
  const submitted_at = new Date(time)
  await db('form_reports').where({ instance_id: instanceId }).update({ submitted_at })
  await db('form_instances').where({ id: instanceId }).update({ submitted_at })
}

/** Submits again what was submitted with an instance, so many times and at the same moment. @returns the ids, ascending. */
export async function copied(db: Knex, instanceId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID()).sort()
  const given = "JSON_TABLE(?, '$[*]' COLUMNS (id CHAR(36) PATH '$')) n"
  const bindings = [JSON.stringify(ids), instanceId]
  await db.raw(
    `INSERT INTO form_values SELECT v.tenant_id, n.id, v.version_id, v.block_key, v.has_data, v.document
     FROM form_values v JOIN ${given} WHERE v.instance_id = ?`,
    bindings,
  )
  await db.raw(
    `INSERT INTO form_reports SELECT r.tenant_id, r.is_block, r.definition_key, r.definition_version, r.submitted_at, n.id, r.counts_from,
       r.counts_until, r.version_id, r.subject_id, r.submitted_by, r.correlation_id, r.bytes
     FROM form_reports r JOIN ${given} WHERE r.instance_id = ?`,
    bindings,
  )
  return ids
}

/** Makes as many subjects with the data of this one. @returns their ids. */
export async function likePerson(db: Knex, subjectId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await db.raw(
    `INSERT INTO subjects (tenant_id, id, external_id, custom_values, created_at, updated_at)
     SELECT s.tenant_id, n.id, n.id, s.custom_values, s.created_at, s.updated_at
     FROM subjects s JOIN JSON_TABLE(?, '$[*]' COLUMNS (id CHAR(36) PATH '$')) n WHERE s.id = ?`,
    [JSON.stringify(ids), subjectId],
  )
  return ids
}

/** Keeps the extracts of a tenant from being listed: they are accepted meanwhile, and what finds anything waits. */
export async function holdExtracts(databaseUrl: string, tenantKey: string): Promise<{ release(): Promise<void> }> {
  const db = connect(databaseUrl, { poolSize: 1 })
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const trx = await db.transaction()
  // Of rows that are not there yet, the gap is held.
  await trx('form_extract_results').where({ tenant_id: id }).forUpdate().select('job_id')
  return {
    async release() {
      await trx.commit()
      await db.destroy()
    },
  }
}

/** What others wait for until it is opened, at the latest when the test ends. */
export interface Held {
  open(): Promise<unknown>
}

function heldBy(trx: Knex.Transaction): Held {
  // Where the database was killed, there is nothing to roll back.
  const open = async () => trx.isCompleted() || trx.rollback().catch(() => undefined)
  onTestFinished(() => open().then(() => undefined))
  return { open }
}

/**
 * Makes an extract stop before it writes the list of a definition (from 0), until it is let go on. The worker waits 20 s, and
 * then tries again.
 */
export async function holdDefinition(db: Knex, tenantId: number, jobId: string, definition: number): Promise<Held> {
  const trx = await db.transaction()
  const row = { tenant_id: tenantId, job_id: jobId, definition, chunk: 0, entries: 0, results: Buffer.alloc(0) }
  await trx('form_extract_results').insert(row)
  return heldBy(trx)
}

/** Holds the clock of a tenant's forms as a submit does (`forShare`) or an extract (`forUpdate`). */
export async function holdClock(db: Knex, tenantId: number, how: 'forShare' | 'forUpdate'): Promise<Held> {
  const trx = await db.transaction()
  await trx('form_clocks').where({ tenant_id: tenantId })[how]().first('instant')
  return heldBy(trx)
}

/** Holds a job: a step that has done its work waits before it moves the job on. */
export async function holdJob(db: Knex, tenantId: number, jobId: string): Promise<Held> {
  const trx = await db.transaction()
  // By the whole key: a scan would hold the jobs of all tests.
  await trx('jobs').where({ tenant_id: tenantId, id: jobId }).forUpdate().first('id')
  return heldBy(trx)
}

/** Resolves when so many statements on a table wait for a lock, of those that name the tenant and hold this. */
export const waiting = (db: Knex, tenantId: number, statement: RegExp, count = 1): Promise<boolean> =>
  until(`${count} statements like ${statement} wait`, async () => {
    const [threads = []]: { Info: string | null }[][] = await db.raw('SHOW FULL PROCESSLIST')
    const those = threads.filter(({ Info }) => Info && statement.test(Info) && Info.includes(`${tenantId}`))
    return those.length >= count
  })
