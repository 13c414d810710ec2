// Matching values in their trimmed NFC form; reports subjects that become equal by it.
import { hash } from 'node:crypto'
import type { Knex } from 'knex'
import type { TenantId } from '../connect.js'
import { heldIn, listOf, type StoredValues } from '../frame/subjects/custom-fields.js'
import { fieldsThatName } from '../frame/subjects/duplicate-subjects.js'
import { subjectsWith } from '../frame/subjects/subject-plan.js'
import { subjectSettings } from '../frame/subjects/subject-settings.js'
import { comparableText, hashesOf, matchingHashes, toBytes } from '../frame/subjects/subject-values.js'
import { deleteRows, slices, upsertRows } from '../rows.js'
import { id, table as tableOf } from './columns.js'
import type { MigrationStep } from './step.js'

const table = tableOf('2026-11-matching')

export const matching: MigrationStep[] = [
  {
    name: '2026-11-matching-step-positions',
    up: 'ALTER TABLE schema_steps_begun ADD COLUMN position VARCHAR(255) NULL',
  },
  // Subjects that the last step made equal (see duplicate-subjects.ts). `values_hash`: of the values that they share.
  table(
    'subject_duplicates',
    `tenant_id INT UNSIGNED NOT NULL, values_hash BINARY(16) NOT NULL, subject_id ${id} NOT NULL,
     PRIMARY KEY (tenant_id, values_hash, subject_id)`,
  ),
  { name: '2026-11-matching-value-hashes', batch: rehash },
]

interface Held {
  id: string
  values: StoredValues
}

/** Subjects that one transaction reads. */
const perBatch = 500

/** Replaces the hashes of texts that are compared in another form now. The values of the subjects stay as they are. */
async function rehash(trx: Knex.Transaction, from: string | undefined): Promise<string | undefined> {
  const [tenant, after]: [TenantId, string] = from === undefined ? [0, ''] : JSON.parse(from)
  const rows: { id: string; custom_values: string }[] = await trx('subjects')
    .where({ tenant_id: tenant })
    .where('id', '>', after)
    .orderBy('id')
    .limit(perBatch)
    .select('id', 'custom_values')
  const last = rows.at(-1)
  if (!last) {
    const next = await trx('tenants').where('id', '>', tenant).orderBy('id').first('id')
    return next && JSON.stringify([next.id, ''])
  }
  const subjects = rows
    .map(({ id, custom_values }): Held => ({ id, values: JSON.parse(custom_values) }))
    .filter(({ values }) => Object.keys(values).some(key => isComparedOtherwise(values, key)))
  await writeHashes(trx, tenant, subjects)
  await noteDuplicates(trx, tenant, subjects, isComparedOtherwise)
  return JSON.stringify([tenant, last.id])
}

const isComparedOtherwise = (values: StoredValues, key: string): boolean =>
  listOf(heldIn(values, key) ?? []).some(([, text]) => comparableText(text) !== text)

async function writeHashes(trx: Knex.Transaction, tenant: TenantId, subjects: readonly Held[]): Promise<void> {
  const columns = ['tenant_id', 'value_hash', 'subject_id']
  const rows = (hashesIn: (key: string, values: StoredValues) => string[]) =>
    subjects.flatMap(({ id, values }) =>
      Object.keys(values)
        .filter(key => isComparedOtherwise(values, key))
        .flatMap(key => hashesIn(key, values).map((each): [TenantId, Buffer, string] => [tenant, toBytes(each), id])),
    )
  const gone = rows((key, values) =>
    listOf(heldIn(values, key) ?? []).flatMap(([, text]) =>
      comparableText(text) === text ? [] : formerHash(key, text),
    ),
  )
  for (const slice of slices(gone)) await deleteRows(trx, 'subject_values', columns, slice)
  const come = rows((key, values) => hashesOf({ [key]: heldIn(values, key) ?? [] }))
  await upsertRows(trx, 'subject_values', columns, come, [])
}

/** The hash of a text as it was compared before: byte by byte. */
const formerHash = (key: string, text: string): string => hash('sha256', `${key}\0${text}`, 'hex').slice(0, 32)

/** Notes each of these subjects that equals another one now. A subject of a later batch is compared in its own batch. */
export async function noteDuplicates(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjects: readonly Held[],
  isChanged: (values: StoredValues, key: string) => boolean,
): Promise<void> {
  if (subjects.length === 0) return
  const settings = await subjectSettings(trx, tenant)
  const names = fieldsThatName(settings).flatMap(fields =>
    subjects
      .filter(({ values }) => fields.some(key => isChanged(values, key)))
      .flatMap(({ id, values }) => {
        const hashes = matchingHashes(fields, values)
        return hashes ? [{ id, ...hashes }] : []
      }),
  )
  for (const some of slices(names, 50)) {
    const found = await subjectsWith(
      trx,
      tenant,
      some.map(({ each }) => each),
    )
    const rows = some.flatMap(({ id, together }, n) => {
      const ids = new Set([id, ...(found[n] ?? [])])
      return ids.size > 1 ? [...ids].map(each => [tenant, toBytes(together), each]) : []
    })
    await upsertRows(trx, 'subject_duplicates', ['tenant_id', 'values_hash', 'subject_id'], rows, [])
  }
}
