// Migration steps that the next version might have: one of each kind that runs while this version stays in service.
import type { Knex } from 'knex'
import { id, tablesOf, tenant } from '../../db/migrations/columns.js'
import type { MigrationStep } from '../../db/migrations/step.js'

const table = tablesOf('next')

/** How many subjects one batch changes. */
export const perBatch = 500

export const nextSteps: MigrationStep[] = [
  table(
    'watched_subjects',
    `tenant_id ${tenant} NOT NULL, subject_id ${id} NOT NULL, PRIMARY KEY (tenant_id, subject_id)`,
  ),
  { name: 'next-values-length', up: 'ALTER TABLE subjects ADD COLUMN values_length INT UNSIGNED NULL' },
  {
    name: 'next-values-length-index',
    up: 'ALTER TABLE subjects ADD KEY subjects_by_values_length (tenant_id, values_length, id)',
  },
  { name: 'next-values-length-filled', batch: fillLengths, fills: 'values_length' },
]

/** Fills the new column for the next subjects of a tenant, then of the next tenant. @returns where the next batch begins. */
async function fillLengths(trx: Knex.Transaction, from: string | undefined): Promise<string | undefined> {
  const [tenant_id, after]: [number, string] = from === undefined ? [0, ''] : JSON.parse(from)
  const subjects = () => trx('subjects').where({ tenant_id }).where('id', '>', after)
  const last: string | undefined = (await subjects().orderBy('id').limit(perBatch).pluck('id')).at(-1)
  if (last === undefined) {
    const next = await trx('tenants').where('id', '>', tenant_id).orderBy('id').first('id')
    return next && JSON.stringify([next.id, ''])
  }
  await subjects()
    .where('id', '<=', last)
    .update({ values_length: trx.raw('LENGTH(custom_values)') })
  return JSON.stringify([tenant_id, last])
}
