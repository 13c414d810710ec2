// Withdraws and reinstates form instances.
import { conflict } from '../../../runtime/problems/problem.js'
import type { TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { noteEvents } from '../../events.js'
import { changeTime } from './form-clock.js'
import { contentsOf } from './instance-values.js'
import { lastWithdrawal, type WithdrawalRow, type WithdrawalStatus } from './instance-versions.js'
import {
  changeInstance,
  findInstance,
  type InstanceRow,
  type InstanceStores,
  type Named,
  notAllowed,
  refuseChanged,
  type Seen,
} from './instances.js'
import { endReports, startReports } from './reports.js'

export interface Action {
  reason: string
  actor: string
  seen: Seen
}

export interface ActionTaken {
  row: InstanceRow
  withdrawal: WithdrawalRow
}

/**
 * Withdraws and reinstates instances of one tenant, without changing their status. A repeated call returns the result of the
 * first.
 * @throws Problem 404 like {@link findInstance}. 403 if the form does not allow it. 412 if the instance has changed since the
 *   caller read it.
 */
export const instanceWithdrawals = ({ db, forms }: InstanceStores, tenant: TenantId) => {
  function setWithdrawal(
    named: Named,
    status: WithdrawalStatus,
    { reason, actor, seen }: Action,
  ): Promise<ActionTaken> {
    return transaction(db, tenant, async trx => {
      const { row, template } = await findInstance(trx, forms, tenant, named)
      if (!template.allowRevoke) throw notAllowed(template, 'withdrawing')
      const last = await lastWithdrawal(trx, tenant, row)
      if (last?.status === status) return { row, withdrawal: last }
      refuseChanged(row, seen)
      if (!last && status === 'Reinstated') throw conflict('not-withdrawn', 'The instance was never withdrawn.')
      const taken_at = await changeTime(trx, tenant, [row.submitted_at, last?.taken_at])
      const withdrawal: WithdrawalRow = { status, reason, taken_by: actor, taken_at }
      const mine = { tenant_id: tenant, instance_id: row.id }
      await trx('form_withdrawals').insert({ ...mine, revision: row.revision + 1, ...withdrawal })
      if (status === 'Withdrawn') await endReports(trx, tenant, row, template, taken_at)
      else if (row.reported_version) {
        const version = { instanceId: row.id, versionId: row.reported_version }
        await startReports(trx, tenant, row, template, await contentsOf(trx, tenant, version), taken_at)
      }
      await noteEvents(trx, tenant, 'form', [{ id: row.id, kind: status === 'Withdrawn' ? 'withdrawn' : 'reinstated' }])
      const changes = { is_withdrawn: status === 'Withdrawn' ? 1 : 0, modified_at: taken_at }
      return { row: await changeInstance(trx, tenant, row, changes), withdrawal }
    })
  }

  return {
    withdraw: (named: Named, action: Action): Promise<ActionTaken> => setWithdrawal(named, 'Withdrawn', action),
    /** Reinstates an instance. @throws Problem 409 if it was never withdrawn. */
    reinstate: (named: Named, action: Action): Promise<ActionTaken> => setWithdrawal(named, 'Reinstated', action),
  }
}
