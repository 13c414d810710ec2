// Rows of form instances: finds, locks and changes them, and refuses changes that their state does not allow.
import type { Knex } from 'knex'
import type { FormTemplate } from '../../../forms/template.js'
import { isId, newId } from '../../../runtime/ids.js'
import { conflict, forbidden, notFound, Problem } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import type { PublishedForms } from '../templates/published-forms.js'
import { patientNamed } from './patients.js'

/** What the stores of instances depend on. */
export interface InstanceStores {
  db: Knex
  forms: PublishedForms
}

export type InstanceStatus = 'New' | 'Draft' | 'Complete'

/** A form that belongs to a subject. */
export interface InstanceRow {
  id: string
  subject_id: string
  form_key: string
  form_version: number
  /** Copied from the template, like the next two. */
  title: string
  classification: string
  allow_amend: number
  correlation_id: string | null
  /** Status of the current version. Withdrawing does not change it. */
  status: InstanceStatus
  current_version: string
  /** The latest complete version, which extracts show. The next two say who submitted it and when. */
  reported_version: string | null
  submitted_by: string | null
  submitted_at: Date | null
  /** Counts the changes of the instance. */
  revision: number
  is_withdrawn: number
  /** 1 if it was discarded before it was ever complete. */
  is_deleted: number
  created_by: string
  created_at: Date
  modified_at: Date
}

export const instanceColumns: (keyof InstanceRow)[] = [
  'id',
  'subject_id',
  'form_key',
  'form_version',
  'title',
  'classification',
  'allow_amend',
  'correlation_id',
  'status',
  'current_version',
  'reported_version',
  'submitted_by',
  'submitted_at',
  'revision',
  'is_withdrawn',
  'is_deleted',
  'created_by',
  'created_at',
  'modified_at',
]

/** True if the instance can be amended. */
export const isAmendable = ({ status, allow_amend, is_withdrawn }: InstanceRow): boolean =>
  status === 'Complete' && allow_amend === 1 && is_withdrawn === 0

/** Names an instance. */
export interface Named {
  /** Its id, the `instanceGuid`. */
  id: string
  /** Id or ExternalId of the subject that the instance must belong to. If absent, it may belong to any. */
  patient?: string
}

/** An instance with its context and template, which never change. */
export interface FoundInstance {
  row: InstanceRow
  context: Record<string, string>
  template: FormTemplate
}

/**
 * Reads an instance. Inside a transaction, it also locks it until the transaction ends.
 * @throws Problem 404 if there is no such instance, it belongs to another subject, or it was discarded before it was complete.
 */
export async function findInstance(db: Db, forms: PublishedForms, tenant: TenantId, named: Named) {
  const found = await findWithDiscarded(db, forms, tenant, named)
  if (found.row.is_deleted === 1) throw unknown(named.id)
  return found
}

/** Reads an instance like {@link findInstance}, but also finds discarded ones. */
export async function findWithDiscarded(
  db: Db,
  forms: PublishedForms,
  tenant: TenantId,
  { id, patient }: Named,
): Promise<FoundInstance> {
  const query = db('form_instances').where({ tenant_id: tenant, id })
  if (db.isTransaction) query.forUpdate()
  const stored: (InstanceRow & { context: string }) | undefined = isId(id)
    ? await query.first(...instanceColumns, 'context')
    : undefined
  if (!stored) throw unknown(id)
  const { context, ...row } = stored
  const isOf = async (subject: string) =>
    row.subject_id === subject || row.subject_id === (await patientNamed(db, tenant, subject))
  if (patient !== undefined && !(await isOf(patient))) throw unknown(id)
  const template = await forms.templateBy(db, tenant, row.form_key, row.form_version)
  if (!template) throw new Error(`The template of instance ${id} is gone`)
  return { row, context: JSON.parse(context), template }
}

const unknown = (id: string) => notFound(`There is no form instance '${id}' of this patient.`)

/** Writes a change of an instance that the transaction has locked. @returns the changed instance. */
export async function changeInstance(
  trx: Knex.Transaction,
  tenant: TenantId,
  row: InstanceRow,
  changes: Partial<InstanceRow>,
): Promise<InstanceRow> {
  const written = { ...changes, revision: row.revision + 1 }
  await trx('form_instances').where({ tenant_id: tenant, id: row.id }).update(written)
  return { ...row, ...written }
}

/**
 * Adds a version to an instance. It gets the next revision, which `changeInstance` then gives to the instance.
 * @returns the id of the version.
 */
export async function addVersion(
  trx: Knex.Transaction,
  tenant: TenantId,
  { id, revision }: Pick<InstanceRow, 'id' | 'revision'>,
  version: { status: InstanceStatus; isMilestone: boolean; actor: string; at: Date },
  versionId = newId(),
): Promise<string> {
  const { status, isMilestone, actor, at } = version
  await trx('form_instance_versions').insert({
    tenant_id: tenant,
    instance_id: id,
    id: versionId,
    revision: revision + 1,
    status,
    is_milestone: isMilestone ? 1 : 0,
    created_by: actor,
    created_at: at,
    modified_at: at,
  })
  return versionId
}

/**
 * The revisions in a caller's `If-Match`. `any` accepts every revision; undefined means that the caller sent no
 * `If-Match`.
 */
export type Seen = readonly number[] | 'any' | undefined

export const etagOf = ({ revision }: Pick<InstanceRow, 'revision'>): string => `"${revision}"`

/**
 * Requires that the caller has seen the current revision, if it sent any.
 * @throws Problem 412 if it has seen another one.
 */
export function refuseChanged(row: InstanceRow, seen: Seen): void {
  if (seen === undefined || seen === 'any' || seen.includes(row.revision)) return
  const had = seen.map(revision => etagOf({ revision })).join(', ') || 'another ETag'
  const detail = `The instance has changed: its ETag is now ${etagOf(row)}, not ${had}. Read it again.`
  throw new Problem('instance-changed', detail, [], { ETag: etagOf(row) })
}

/** Requires an `If-Match` if a draft would be overwritten. @throws Problem 428 if it is missing. */
export function requireSeen(row: InstanceRow, seen: Seen): void {
  if (seen !== undefined || row.status !== 'Draft') return
  const detail = `This would overwrite a draft. Send If-Match with the ETag that you have read (now ${etagOf(row)}), or with * to overwrite any draft.`
  throw new Problem('if-match-required', detail, [], { ETag: etagOf(row) })
}

/** Builds the problem for a change that the form does not allow. */
export const notAllowed = ({ key, version }: FormTemplate, step: string): Problem =>
  forbidden(`Version ${version} of the form '${key}' does not allow ${step}.`)

const codeOfState = {
  New: 'instance-is-new',
  Draft: 'instance-is-draft',
  Complete: 'instance-is-complete',
} as const satisfies Record<InstanceStatus, string>

/** Requires that the instance has one of the statuses that a change starts from. @throws Problem 409 if it has not. */
export function refuseState(row: InstanceRow, from: readonly InstanceStatus[], step: string): void {
  if (from.includes(row.status)) return
  const detail = `The instance is ${row.status}; ${step} is possible only if it is ${from.join(' or ')}.`
  throw conflict(codeOfState[row.status], detail)
}

/** Requires that the instance is not withdrawn. @throws Problem 409 if it is. */
export function refuseWithdrawn(row: InstanceRow): void {
  if (row.is_withdrawn === 0) return
  throw conflict('instance-withdrawn', 'The instance is withdrawn; reinstate it first.')
}
