import type { Knex } from 'knex'
import { checkForm } from '../../forms/check.js'
import type { Given } from '../../forms/given.js'
import type { FormValues } from '../../forms/values.js'
import { invalid } from '../../runtime/problem.js'
import type { TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { copyValues, writeValues } from './instance-values.js'
import {
  addVersion,
  changeInstance,
  type FoundInstance,
  findInstance,
  type InstanceRow,
  type InstanceStatus,
  type InstanceStores,
  lockInstance,
  type Named,
  notAllowed,
  refuseChanged,
  refuseState,
  refuseWithdrawn,
  requireSeen,
  type Seen,
} from './instances.js'

export interface Edit {
  /** Who does it: `sub` of the token, or the user who is signed in. */
  actor: string
  /** Which revisions the editor has seen. */
  seen: Seen
}

interface Step {
  name: string
  from: readonly InstanceStatus[]
}

/**
 * What is done to the instances of one tenant. Every function is one transaction that holds the instance, gives it back as it
 * is then, and throws Problem 404 as {@link findInstance}, 403 where the form does not allow the step, 409 where its state does
 * not or it is withdrawn, 412 where it was changed since it was seen, 428 where a draft would be overwritten unseen.
 */
export const instanceEdits = (stores: InstanceStores, tenant: TenantId) => {
  const change = (
    { row: { id } }: FoundInstance,
    { name, from }: Step,
    { seen }: Edit,
    write: (trx: Knex.Transaction, row: InstanceRow, at: Date) => Promise<Partial<InstanceRow>>,
  ): Promise<InstanceRow> =>
    transaction(stores.db, async trx => {
      const row = await lockInstance(trx, tenant, id)
      refuseWithdrawn(row)
      refuseChanged(row, seen)
      refuseState(row, from, name)
      requireSeen(row, seen)
      const at = new Date()
      const changes = await write(trx, row, at)
      return changeInstance(trx, tenant, row, { ...changes, modified_at: at })
    })

  return {
    /**
     * Saves a draft: what is there is checked, what is required need not be there. An automatic save replaces the automatic
     * save before it by the same actor; every other one is a version of its own.
     * @throws Problem 400 with every fault.
     */
    async saveDraft(named: Named, given: Given, edit: Edit & { isAutoSave: boolean }): Promise<InstanceRow> {
      const found = await findInstance(stores, tenant, named)
      if (!found.template.allowSaveDraft) throw notAllowed(found.template, 'drafts')
      const values = checked(found, given, false)
      return change(found, { name: 'saving a draft', from: ['New', 'Draft'] }, edit, async (trx, row, at) => {
        const { actor, isAutoSave } = edit
        const isRenewed = isAutoSave && (await renewAutoSaved(trx, tenant, row, actor, at))
        const version = isRenewed
          ? row.current_version
          : await addVersion(trx, tenant, row, { status: 'Draft', isMilestone: !isAutoSave, actor, at })
        await writeValues(trx, tenant, { instanceId: row.id, versionId: version }, found.template, values)
        return { status: 'Draft', current_version: version }
      })
    },

    /** Completes it. @throws Problem 400 with every fault, also for what is required and not there. */
    async submit(named: Named, given: Given, edit: Edit): Promise<InstanceRow> {
      const found = await findInstance(stores, tenant, named)
      const values = checked(found, given, true)
      return change(found, { name: 'submitting', from: ['New', 'Draft'] }, edit, async (trx, row, at) => {
        const version = await addVersion(trx, tenant, row, {
          status: 'Complete',
          isMilestone: true,
          actor: edit.actor,
          at,
        })
        await writeValues(trx, tenant, { instanceId: row.id, versionId: version }, found.template, values)
        const submitted = { submitted_by: edit.actor, submitted_at: at, reported_version: version }
        return { status: 'Complete', current_version: version, ...submitted }
      })
    },

    /** Opens a complete one again: a draft with the same values. What is complete stays the reported version. */
    async amend(named: Named, edit: Edit): Promise<InstanceRow> {
      const found = await findInstance(stores, tenant, named)
      if (!found.template.allowAmend) throw notAllowed(found.template, 'amending')
      return change(found, { name: 'amending', from: ['Complete'] }, edit, async (trx, row, at) => {
        const version = await addVersion(trx, tenant, row, {
          status: 'Draft',
          isMilestone: false,
          actor: edit.actor,
          at,
        })
        await copyValues(trx, tenant, { instanceId: row.id, versionId: version }, row.current_version)
        return { status: 'Draft', current_version: version }
      })
    },

    /**
     * Gives up what was not completed, all versions of it: of an amendment the complete version counts again; without one the
     * instance is gone (`is_deleted`), but for its history.
     */
    async discard(named: Named, edit: Edit): Promise<InstanceRow> {
      const found = await findInstance(stores, tenant, named)
      if (!found.template.allowDiscard) throw notAllowed(found.template, 'discarding')
      return change(found, { name: 'discarding', from: ['New', 'Draft'] }, edit, async (trx, row, at) => {
        const versions = () => trx('form_instance_versions').where({ tenant_id: tenant, instance_id: row.id })
        const complete = row.reported_version
        const kept = complete === null ? undefined : await versions().where({ id: complete }).first('revision')
        await versions()
          .where('revision', '>', kept?.revision ?? 0)
          .whereNull('deleted_at')
          .update({ deleted_by: edit.actor, deleted_at: at })
        return complete === null ? { is_deleted: 1 } : { status: 'Complete', current_version: complete }
      })
    },
  }
}

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
