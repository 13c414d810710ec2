// Erases the forms of a subject.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import type { ErasedPart } from '../../erased-part.js'
import { noteEvents } from '../../events.js'
import type { PublishedForms } from '../templates/published-forms.js'
import { changeTime } from './form-clock.js'
import { findWithDiscarded } from './instances.js'
import { endReports } from './reports.js'

/** Number of instances that one step erases. */
const atOnce = 20

/**
 * Erases the next instances of a subject with all their versions. Their reports end now, like those of withdrawn instances, so
 * that the next increment of an export lists them as removed. The rows of reports remain, without correlation id.
 */
export async function eraseInstances(
  trx: Knex.Transaction,
  tenant: TenantId,
  forms: PublishedForms,
  subjectId: string,
): Promise<ErasedPart> {
  const ids: string[] = await trx('form_instances')
    .where({ tenant_id: tenant, subject_id: subjectId })
    .orderBy('id')
    .limit(atOnce)
    .pluck('id')
  for (const id of ids) {
    const { row, template } = await findWithDiscarded(trx, forms, tenant, { id })
    await endReports(trx, tenant, row, template, await changeTime(trx, tenant, [row.submitted_at]))
    const blocks = template.buildingBlocks.map(({ key, version }) => [1, key, version] as const)
    for (const [is_block, definition_key, definition_version] of [
      [0, template.key, template.version] as const,
      ...blocks,
    ])
      await trx('form_reports')
        .where({ tenant_id: tenant, is_block, definition_key, definition_version, subject_id: subjectId })
        .where({ instance_id: id })
        .update({ correlation_id: null })
    const mine = { tenant_id: tenant, instance_id: id }
    for (const table of ['form_values', 'form_withdrawals', 'form_instance_versions'])
      await trx(table).where(mine).delete()
    await trx('form_instances').where({ tenant_id: tenant, id }).delete()
  }
  await noteEvents(
    trx,
    tenant,
    'form',
    ids.map(id => ({ id, kind: 'erased' })),
  )
  return { erased: ids.length, more: ids.length === atOnce }
}
