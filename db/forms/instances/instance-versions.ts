// Reads the versions of form instances.
import type { FormTemplate } from '../../../forms/template.js'
import type { FormValues } from '../../../forms/values.js'
import { isId } from '../../../runtime/ids.js'
import { notFound } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { readValues } from './instance-values.js'
import {
  findInstance,
  findWithDiscarded,
  type InstanceRow,
  type InstanceStatus,
  type InstanceStores,
  type Named,
} from './instances.js'

/** A version of an instance. */
export interface VersionRow {
  id: string
  status: InstanceStatus
  /** 1 for a version that a person saved or submitted; 0 for new, amended and auto-saved ones. */
  is_milestone: number
  created_by: string
  created_at: Date
  /** Later than `created_at` if automatic saves replaced the version. */
  modified_at: Date
  deleted_by: string | null
  deleted_at: Date | null
}

export type WithdrawalStatus = 'Withdrawn' | 'Reinstated'

export interface WithdrawalRow {
  status: WithdrawalStatus
  reason: string
  taken_by: string
  taken_at: Date
}

const withdrawals = (db: Db, tenant: TenantId, { id }: InstanceRow) =>
  db('form_withdrawals')
    .where({ tenant_id: tenant, instance_id: id })
    .select('status', 'reason', 'taken_by', 'taken_at')

/** Reads the latest withdrawal or reinstatement of an instance; undefined if there was none. */
export const lastWithdrawal = (db: Db, tenant: TenantId, row: InstanceRow): Promise<WithdrawalRow | undefined> =>
  withdrawals(db, tenant, row).orderBy('revision', 'desc').first()

/** An instance with its values. */
export interface FilledInstance {
  row: InstanceRow
  template: FormTemplate
  context: Record<string, string>
  values: FormValues
}

const versionColumns: (keyof VersionRow)[] = [
  'id',
  'status',
  'is_milestone',
  'created_by',
  'created_at',
  'modified_at',
  'deleted_by',
  'deleted_at',
]

/**
 * Reads single instances of one tenant with their values and versions. All functions throw Problem 404 like {@link
 * findInstance}.
 */
export const instanceReader = ({ db, forms }: InstanceStores, tenant: TenantId) => {
  const versions = (instanceId: string) =>
    db('form_instance_versions').where({ tenant_id: tenant, instance_id: instanceId })

  return {
    /** Reads the current version. */
    async byId(named: Named): Promise<FilledInstance> {
      const found = await findInstance(db, forms, tenant, named)
      const version = { instanceId: found.row.id, versionId: found.row.current_version }
      return { ...found, values: await readValues(db, tenant, version, found.template) }
    },

    /** Reads any version, even of a discarded instance. @throws Problem 404 if there is no such version. */
    async version(named: Named, versionId: string): Promise<FilledInstance & { version: VersionRow }> {
      const found = await findWithDiscarded(db, forms, tenant, named)
      const version: VersionRow | undefined = isId(versionId)
        ? await versions(found.row.id)
            .where({ id: versionId })
            .first(...versionColumns)
        : undefined
      if (!version) throw notFound(`There is no version '${versionId}' of this form instance.`)
      const key = { instanceId: found.row.id, versionId }
      return { ...found, version, values: await readValues(db, tenant, key, found.template) }
    },

    /** Reads all versions, withdrawals and reinstatements, earliest first, even of a discarded instance. */
    async history(named: Named): Promise<{ row: InstanceRow; versions: VersionRow[]; withdrawals: WithdrawalRow[] }> {
      const { row } = await findWithDiscarded(db, forms, tenant, named)
      const [all, taken]: [VersionRow[], WithdrawalRow[]] = await Promise.all([
        versions(row.id)
          .orderBy('revision')
          .select(...versionColumns),
        withdrawals(db, tenant, row).orderBy('revision'),
      ])
      return { row, versions: all, withdrawals: taken }
    },
  }
}
