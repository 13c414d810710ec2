// Changes form instances: saves drafts, completes, amends and discards them.
import type { Knex } from 'knex'
import { checkForm } from '../../../forms/check.js'
import type { SubmittedValues } from '../../../forms/submitted-values.js'
import type { FormTemplate } from '../../../forms/template.js'
import type { FormValues } from '../../../forms/values.js'
import { invalid } from '../../../runtime/problems/problem.js'
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
  /** Who changes the instance: `sub` of the token, or the signed-in user. */
  actor: string
  /** The revisions that the editor has seen. */
  seen: Seen
}

/** A change of an instance's status, which its form may or may not allow. */
interface Transition {
  name: string
  isAllowed: (template: FormTemplate) => boolean
  from: readonly InstanceStatus[]
  /** Event for webhooks. Saving a draft has none, because it happens again and again. */
  event?: ChangeKind<'form'>
}

/**
 * Changes the instances of one tenant. Each function is one transaction that locks the instance, and returns it as it is after the
 * change.
 * @throws Problem 404 like {@link findInstance}. 403 if the form does not allow the change. 409 if the status does not allow it,
 *   or the instance is withdrawn. 412 if the instance has changed since the caller read it. 428 if a draft would be
 *   overwritten by a caller who has not seen it.
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
     * Saves a draft. The values are checked, but required ones may be missing. An automatic save replaces the automatic save
     * before it by the same actor; any other save adds a version.
     * @throws Problem 400 with every fault.
     */
    saveDraft: (named: Named, given: SubmittedValues, edit: Edit & { isAutoSave: boolean }): Promise<InstanceRow> =>
      change(named, transitions.saveDraft, edit, async (trx, found, at) => {
        const { row, template } = found
        const { actor, isAutoSave } = edit
        const values = requireValid(found, given, false)
        const isRenewed = isAutoSave && (await renewAutoSaved(trx, tenant, row, actor, at))
        const version = isRenewed
          ? row.current_version
          : await addVersion(trx, tenant, row, { status: 'Draft', isMilestone: !isAutoSave, actor, at })
        await writeValues(trx, tenant, { instanceId: row.id, versionId: version }, template, values)
        return { status: 'Draft', current_version: version }
      }),

    /** Completes an instance. @throws Problem 400 with every fault, missing required values included. */
    submit: (named: Named, given: SubmittedValues, edit: Edit): Promise<InstanceRow> =>
      change(named, transitions.submit, edit, async (trx, found) => {
        const { row, template } = found
        const { actor } = edit
        const values = requireValid(found, given, true)
        const last = row.submitted_at && (await lastWithdrawal(trx, tenant, row))
        const at = await changeTime(trx, tenant, [row.submitted_at, last?.taken_at])
        const version = await addVersion(trx, tenant, row, { status: 'Complete', isMilestone: true, actor, at })
        const contents = await writeValues(trx, tenant, { instanceId: row.id, versionId: version }, template, values)
        const submitted = { submitted_by: actor, submitted_at: at, reported_version: version }
        await endReports(trx, tenant, row, template, at)
        await startReports(trx, tenant, { ...row, ...submitted }, template, contents, at)
        return { status: 'Complete', current_version: version, modified_at: at, ...submitted }
      }),

    /** Reopens a complete instance as a draft with the same values. Extracts continue to show the complete version. */
    amend: (named: Named, edit: Edit): Promise<InstanceRow> =>
      change(named, transitions.amend, edit, async (trx, { row }, at) => {
        const { actor } = edit
        const version = await addVersion(trx, tenant, row, { status: 'Draft', isMilestone: false, actor, at })
        await copyValues(trx, tenant, { instanceId: row.id, versionId: version }, row.current_version)
        return { status: 'Draft', current_version: version }
      }),

    /**
     * Discards all versions after the latest complete one, which becomes the current version again. If none was ever complete,
     * the instance is marked as deleted (`is_deleted`) and only its history remains.
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

/** Checks values and returns the relevant ones. @throws Problem 400 with every fault, as pointers below `/values`. */
function requireValid({ template, context }: FoundInstance, given: SubmittedValues, complete: boolean): FormValues {
  const { values, faults } = checkForm(template, given, { complete, context })
  if (faults.length === 0) return values
  throw invalid(faults.map(({ pointer, code, detail }) => ({ pointer: `/values${pointer}`, code, detail })))
}

/** Updates the time of the current version if it is an automatic save by the same actor. Returns false if it is not. */
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
