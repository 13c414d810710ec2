// Lists the migration steps in order, and runs them for knex.
import type { Knex } from 'knex'
import { transaction } from '../errors.js'
import { baseline } from './baseline/index.js'
import type { Batch, MigrationStep } from './step.js'

/** All steps in order. Never edit a released step; append a new one instead. */
export const steps: MigrationStep[] = [...baseline]

/** Errors of a statement that has already run: the table, column or key that it adds exists, or the one it drops is gone. */
const doneBefore = new Set(['ER_TABLE_EXISTS_ERROR', 'ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME', 'ER_CANT_DROP_FIELD_OR_KEY'])

/** Matches how VTGate passes such an error on from a shard. */
const doneOnShard = /^target: .*\(errno (1050|1060|1061|1091)\)/

/**
 * Returns true if an error says that a statement has run before. VTGate sends it to all shards, joins their errors by line breaks, and
 * takes the code of the first: then each shard that failed has to say so.
 */
export function wasDone(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error && doneBefore.has(String(error.code)))) return false
  const said = 'sqlMessage' in error ? String(error.sqlMessage) : ''
  return !said.startsWith('target: ') || said.split('\n').every(line => doneOnShard.test(line))
}

/**
 * Runs a step. A process that was killed may have done the step before knex could record it; then the step counts as done.
 * Such a process has recorded that it began. If nobody has, an existing table was created by somebody else, and the error
 * is thrown.
 */
async function run(step: MigrationStep, db: Knex): Promise<void> {
  const { name } = step
  await db.raw(
    'CREATE TABLE IF NOT EXISTS schema_steps_begun (name VARCHAR(255) NOT NULL PRIMARY KEY, position VARCHAR(255) NULL)',
  )
  const begun = () => db('schema_steps_begun').where({ name })
  const wasBegun = (await begun().first('name')) !== undefined
  if (!wasBegun) await db('schema_steps_begun').insert({ name })
  if ('batch' in step) return runBatches(name, step.batch, db)
  try {
    await db.raw(step.up)
  } catch (error) {
    if (wasDone(error) && wasBegun) return
    if (wasDone(error)) await begun().delete()
    throw error
  }
}

/** Runs a step's batches. Each records its end in its own transaction, so a killed step continues after its last batch. */
async function runBatches(name: string, batch: Batch, db: Knex): Promise<void> {
  const next = async (trx: Knex.Transaction): Promise<string | undefined> => {
    const begun = trx('schema_steps_begun').where({ name })
    const { position: from } = await begun.clone().first('position')
    const position = await batch(trx, from ?? undefined)
    if (position !== undefined) await begun.update({ position })
    return position
  }
  let position: string | undefined
  do position = await transaction(db, 'unqueued', next)
  while (position !== undefined)
}

/** Adapts steps to the interface that knex reads migrations from. */
export const migrationSource = (steps: readonly MigrationStep[]): Knex.MigrationSource<MigrationStep> => ({
  getMigrations: async () => [...steps],
  getMigrationName: step => step.name,
  getMigration: async step => ({
    up: db => run(step, db),
    down: async () => {
      throw new Error('The schema only goes forward: restore a backup to go back.')
    },
    config: { transaction: false },
  }),
})
