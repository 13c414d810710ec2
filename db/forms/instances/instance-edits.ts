// Changes of form instances: drafts, completion, amendment, discard.
import type { Knex } from 'knex'
import { checkForm } from '../../../forms/check.js'
import type { Given } from '../../../forms/given.js'
import type { FormTemplate } from '../../../forms/template.js'
import type { FormValues } from '../../../forms/values.js'
import { invalid } from '../../../runtime/problem.js'
import type { TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { noteEvents } from '../../events.js'
import type { ChangeKind } from '../../feeds.js'
import { changeTime } from './form-clock.js'
import { copyValues, writeValues } from './instance-values.js'
import { lastWithdrawal } from './instance-versions.js'
import {
  addVersion,
  changeInstance,
  type FoundInstance,
  findInstance,
  type InstanceRow,
  type InstanceStatus,
  type InstanceStores,
  type Named,
  notAllowed,
  refuseChanged,
  refuseState,
  refuseWithdrawn,
  requireSeen,
  type Seen,
} from './instances.js'
import { endReports, startReports } from './reports.js'

export interface Edit {
  /** The actor: `sub` of the token, or the user that is signed in. */
  actor: string
  /** Which revisions the editor has seen. */
  seen: Seen
}

/** A change of status of an instance, as a form may allow it. */
interface Transition {
  name: string
  isAllowed: (template: FormTemplate) => boolean
  from: readonly InstanceStatus[]
  /** Of webhooks; none of a draft, which is saved again and again. */
  event?: ChangeKind<'form'>
}

/**
 * Changes of the instances of one tenant. Each function is one transaction that locks the instance and returns it as it
 * is afterwards.
 * @throws Problem 404 as {@link findInstance}. 403 where the form does not allow the change. 409 where the state does not
 *   allow it, or the instance is withdrawn. 412 where it has changed since the caller read it. 428 where a draft would
 *   be overwritten unseen.
 */
export const instanceEdits = ({ db, forms }: InstanceStores, tenant: TenantId) => {
  const change = (
    named: Named,
    { name, isAllowed, from, event }: Transition,
    { seen }: Edit,
    write: (trx: Knex.Transaction, found: FoundInstance, at: Date) => Promise<Partial<InstanceRow>>,
  ): Promise<InstanceRow> =>
    transaction(db, tenant, async trx => {
      const found = await findInstance(trx, forms, tenant, named)
      const { row, template } = found
      if (!isAllowed(template)) throw notAllowed(template, name)
      refuseWithdrawn(row)
      refuseChanged(row, seen)
      refuseState(row, from, name)
      requireSeen(row, seen)
      const at = new Date()
      const changes = await write(trx, found, at)
      if (event) await noteEvents(trx, tenant, 'form', [{ id: row.id, kind: event }])
      return changeInstance(trx, tenant, row, { modified_at: at, ...changes })
    })

  return {
    /**
     * Saves a draft: what is there is checked, what is required need not be there. An automatic save replaces the automatic
     * save before it by the same actor; every other one is a version of its own.
     * @throws Problem 400 with every fault.
     */
    saveDraft: (named: Named, given: Given, edit: Edit & { isAutoSave: boolean }): Promise<InstanceRow> =>
      change(named, transitions.saveDraft, edit, async (trx, found, at) => {
        const { row, template } = found
        const { actor, isAutoSave } = edit
        const values = checked(found, given, false)
        const isRenewed = isAutoSave && (await renewAutoSaved(trx, tenant, row, actor, at))
        const version = isRenewed
          ? row.current_version
          : await addVersion(trx, tenant, row, { status: 'Draft', isMilestone: !isAutoSave, actor, at })
        await writeValues(trx, tenant, { instanceId: row.id, versionId: version }, template, values)
        return { status: 'Draft', current_version: version }
      }),

    /** Completes it. @throws Problem 400 with every fault, also for what is required and not there. */
    submit: (named: Named, given: Given, edit: Edit): Promise<InstanceRow> =>
      change(named, transitions.submit, edit, async (trx, found) => {
        const { row, template } = found
        const { actor } = edit
        const values = checked(found, given, true)
        const last = row.submitted_at && (await lastWithdrawal(trx, tenant, row))
        const at = await changeTime(trx, tenant, [row.submitted_at, last?.taken_at])
        const version = await addVersion(trx, tenant, row, { status: 'Complete', isMilestone: true, actor, at })
        const contents = await writeValues(trx, tenant, { instanceId: row.id, versionId: version }, template, values)
        const submitted = { submitted_by: actor, submitted_at: at, reported_version: version }
        await endReports(trx, tenant, row, template, at)
        await startReports(trx, tenant, { ...row, ...submitted }, template, contents, at)
        return { status: 'Complete', current_version: version, modified_at: at, ...submitted }
      }),

    /** Opens a complete instance again: a draft with the same values. The complete version stays the reported one. */
    amend: (named: Named, edit: Edit): Promise<InstanceRow> =>
      change(named, transitions.amend, edit, async (trx, { row }, at) => {
        const { actor } = edit
        const version = await addVersion(trx, tenant, row, { status: 'Draft', isMilestone: false, actor, at })
        await copyValues(trx, tenant, { instanceId: row.id, versionId: version }, row.current_version)
        return { status: 'Draft', current_version: version }
      }),

    /**
     * Discards all versions that were not completed. After an amendment the complete version counts again. Without a
     * complete version the instance is gone (`is_deleted`), except its history.
     */
    discard: (named: Named, edit: Edit): Promise<InstanceRow> =>
      change(named, transitions.discard, edit, async (trx, { row }, at) => {
        const versions = () => trx('form_instance_versions').where({ tenant_id: tenant, instance_id: row.id })
        const complete = row.reported_version
        const kept = complete === null ? undefined : await versions().where({ id: complete }).first('revision')
        await versions()
          .where('revision', '>', kept?.revision ?? 0)
          .whereNull('deleted_at')
          .update({ deleted_by: edit.actor, deleted_at: at })
        return complete === null ? { is_deleted: 1 } : { status: 'Complete', current_version: complete }
      }),
  }
}

const transitions = {
  saveDraft: { name: 'saving a draft', isAllowed: ({ allowSaveDraft }) => allowSaveDraft, from: ['New', 'Draft'] },
  submit: { name: 'submitting', isAllowed: () => true, from: ['New', 'Draft'], event: 'completed' },
  amend: { name: 'amending', isAllowed: ({ allowAmend }) => allowAmend, from: ['Complete'], event: 'amended' },
  discard: {
    name: 'discarding',
    isAllowed: ({ allowDiscard }) => allowDiscard,
    from: ['New', 'Draft'],
    event: 'discarded',
  },
} satisfies Record<string, Transition>

/** @throws Problem 400 with every fault below `/values`. */
function checked({ template, context }: FoundInstance, given: Given, complete: boolean): FormValues {
  const { values, faults } = checkForm(template, given, { complete, context })
  if (faults.length === 0) return values
  throw invalid(faults.map(({ pointer, code, detail }) => ({ pointer: `/values${pointer}`, code, detail })))
}

/** Whether the current version is what a draft of the same actor has saved by itself; then it is as of now. */
async function renewAutoSaved(
  trx: Knex.Transaction,
  tenant: TenantId,
  row: InstanceRow,
  actor: string,
  at: Date,
): Promise<boolean> {
  const version = { tenant_id: tenant, instance_id: row.id, id: row.current_version }
  const isMine = { status: 'Draft', is_milestone: 0, created_by: actor }
  return (
    (await trx('form_instance_versions')
      .where({ ...version, ...isMine })
      .update({ modified_at: at })) > 0
  )
}
