// Moves the reports of forms to another subject after a merge.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { slices } from '../../rows.js'
import type { PublishedForms } from '../templates/published-forms.js'
import { changeTime } from './form-clock.js'
import { columns, forever } from './reports.js'

interface Definition {
  is_block: number
  definition_key: string
  definition_version: number
}

/**
 * Up to this many forms, one statement moves the reports of many definitions. With more, it moves those of one
 * definition.
 */
const manyForms = 1_000
const definitionsAtOnce = 100

/**
 * Moves the reports of the forms that a merge moves. Reports that count end now and start again, so that the next increment of an
 * export has these forms under their new subject. Earlier extracts still have each form once.
 */
export async function moveReports(
  trx: Knex.Transaction,
  tenant: TenantId,
  forms: PublishedForms,
  mergedId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const noted = () => trx('merged_subject_rows').where({ tenant_id: tenant, subject_id: mergedId, kind: 'form' })
  const size = Number((await noted().count({ size: '*' }).first())?.size ?? 0)
  const definitions = await definitionsOf(trx, tenant, forms, mergedId)
  const atOnce = size > manyForms ? 1 : definitionsAtOnce
  const of = (some: readonly Definition[], subjectId: string) => ({
    rows: `form_reports r FORCE INDEX (form_reports_by_subject) STRAIGHT_JOIN merged_subject_rows m
      ON m.tenant_id = r.tenant_id AND m.subject_id = ? AND m.kind = 'form' AND m.row_id = r.instance_id`,
    where: `r.tenant_id = ? AND r.subject_id = ? AND
      (${some.map(() => '(r.is_block = ? AND r.definition_key = ? AND r.definition_version = ?)').join(' OR ')})`,
    from: [mergedId],
    bindings: [
      tenant,
      subjectId,
      ...some.flatMap(each => [each.is_block, each.definition_key, each.definition_version]),
    ],
  })
  for (const some of slices(definitions, atOnce)) {
    const { rows, where, from: joined, bindings } = of(some, from)
    await trx.raw(`UPDATE ${rows} SET r.subject_id = ? WHERE ${where}`, [...joined, to, ...bindings])
  }
  const parts = slices(definitions, atOnce).map(some => of(some, to))
  let last = 0
  for (const { rows, where, from: joined, bindings } of parts) {
    const sql = `SELECT MAX(r.counts_from) AS last FROM ${rows} WHERE ${where} AND r.counts_until = ?`
    const [[row] = []]: { last: Date | null }[][] = await trx.raw(sql, [...joined, ...bindings, forever])
    last = Math.max(last, row?.last?.getTime() ?? 0)
  }
  if (last === 0) return
  // The new reports must begin later than all existing ones, because two that begin in the same millisecond have the
  // same key.
  const at = await changeTime(trx, tenant, [new Date(last + 1)])
  const copied = columns.map(name => (name === 'counts_from' ? '?' : `r.${name}`)).join(', ')
  for (const { rows, where, from: joined, bindings } of parts) {
    const open = [...joined, ...bindings, forever]
    const select = `SELECT ${copied} FROM ${rows} WHERE ${where} AND r.counts_until = ?`
    await trx.raw(`INSERT INTO form_reports (${columns.join(', ')}) ${select}`, [at, ...open])
    const isEarlier = 'r.counts_until = ? AND r.counts_from < ?'
    await trx.raw(`UPDATE ${rows} SET r.counts_until = ? WHERE ${where} AND ${isEarlier}`, [
      ...joined,
      at,
      ...bindings,
      forever,
      at,
    ])
  }
}

/** Finds the definitions of the forms that a merge moves, and of their building blocks. */
async function definitionsOf(
  trx: Knex.Transaction,
  tenant: TenantId,
  forms: PublishedForms,
  mergedId: string,
): Promise<Definition[]> {
  const noted: { form_key: string; form_version: number }[] = await trx('merged_subject_rows as m')
    .join('form_instances as i', join => join.on('i.tenant_id', 'm.tenant_id').on('i.id', 'm.row_id'))
    .where({ 'm.tenant_id': tenant, 'm.subject_id': mergedId, 'm.kind': 'form' })
    .distinct('i.form_key', 'i.form_version')
  const found = new Map<string, Definition>()
  for (const { form_key, form_version } of noted) {
    const template = await forms.templateBy(trx, tenant, form_key, form_version)
    const blocks = (template?.buildingBlocks ?? []).map(({ key, version }) => [1, key, version] as const)
    for (const [is_block, definition_key, definition_version] of [[0, form_key, form_version] as const, ...blocks])
      found.set(`${is_block} ${definition_version} ${definition_key}`, { is_block, definition_key, definition_version })
  }
  return [...found.values()]
}
