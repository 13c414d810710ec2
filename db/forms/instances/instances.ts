// Form instances: their rows, and access by subject and id.
import type { Knex } from 'knex'
import type { FormTemplate } from '../../../forms/template.js'
import { isId, newId } from '../../../runtime/ids.js'
import { conflict, forbidden, notFound, Problem } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import type { PublishedForms } from '../templates/published-forms.js'
import { patientNamed } from './patients.js'

/** The dependencies of the stores of instances. */
export interface InstanceStores {
  db: Knex
  forms: PublishedForms
}

export type InstanceStatus = 'New' | 'Draft' | 'Complete'

/** A form that is kept with a subject. */
export interface InstanceRow {
  id: string
  subject_id: string
  form_key: string
  form_version: number
  /** These three are the template's. */
  title: string
  classification: string
  allow_amend: number
  correlation_id: string | null
  /** Of the current version; a withdrawn instance keeps it. */
  status: InstanceStatus
  current_version: string
  /** The latest version that is complete, with who submitted it and when. */
  reported_version: string | null
  submitted_by: string | null
  submitted_at: Date | null
  /** Counts the changes of the instance. */
  revision: number
  is_withdrawn: number
  /** Discarded before it was ever complete. */
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

/** Whether `amend` would be accepted. */
export const isAmendable = ({ status, allow_amend, is_withdrawn }: InstanceRow): boolean =>
  status === 'Complete' && allow_amend === 1 && is_withdrawn === 0

/** Which instance is meant. */
export interface Named {
  /** Its id, the `instanceGuid`. */
  id: string
  /** Id or ExternalId of the subject that it must be of; absent: of any. */
  patient?: string
}

/** An instance, what stays the same of it, and its template. */
export interface FoundInstance {
  row: InstanceRow
  context: Record<string, string>
  template: FormTemplate
}

/**
 * Inside a transaction, the instance as it is now, which nobody else changes until the transaction ends; elsewhere a plain read.
 * @throws Problem 404 where there is no such instance, or it is of another subject, or it was discarded before it was complete.
 */
export async function findInstance(db: Db, forms: PublishedForms, tenant: TenantId, named: Named) {
  const found = await findWithDiscarded(db, forms, tenant, named)
  if (found.row.is_deleted === 1) throw unknown(named.id)
  return found
}

/** As {@link findInstance}, also where it was discarded. */
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

/** Writes a change of an instance that the transaction holds. @returns the instance as it is then. */
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
 * Adds a version to an instance that is about to get the next revision.
 * @returns its id.
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

/** The revisions by which a caller says what it has seen (`If-Match`): any of these, or whatever there is; undefined: it says nothing. */
export type Seen = readonly number[] | 'any' | undefined

export const etagOf = ({ revision }: Pick<InstanceRow, 'revision'>): string => `"${revision}"`

/** @throws Problem 412 where the caller has seen another revision than the present one. */
export function refuseChanged(row: InstanceRow, seen: Seen): void {
  if (seen === undefined || seen === 'any' || seen.includes(row.revision)) return
  const had = seen.map(revision => etagOf({ revision })).join(', ') || 'another ETag'
  const detail = `The instance was changed since: its ETag is ${etagOf(row)}, not ${had}. Read it again.`
  throw new Problem('instance-changed', detail, [], { ETag: etagOf(row) })
}

/** @throws Problem 428 where the caller does not say which draft it has seen, and would overwrite it. */
export function requireSeen(row: InstanceRow, seen: Seen): void {
  if (seen !== undefined || row.status !== 'Draft') return
  const detail = `There is a draft. Say which one you have seen: If-Match with its ETag, ${etagOf(row)} now, or * for whatever it is.`
  throw new Problem('if-match-required', detail, [], { ETag: etagOf(row) })
}

/** A step that the form does not allow. */
export const notAllowed = ({ key, version }: FormTemplate, step: string): Problem =>
  forbidden(`Version ${version} of the form '${key}' does not allow ${step}.`)

const codeOfState = {
  New: 'instance-is-new',
  Draft: 'instance-is-draft',
  Complete: 'instance-is-complete',
} as const satisfies Record<InstanceStatus, string>

/** @throws Problem 409 that names what stands against a step which takes another state. */
export function refuseState(row: InstanceRow, from: readonly InstanceStatus[], step: string): void {
  if (from.includes(row.status)) return
  const detail = `The instance is ${row.status}; ${step} takes one that is ${from.join(' or ')}.`
  throw conflict(codeOfState[row.status], detail)
}

/** @throws Problem 409 where it is withdrawn. */
export function refuseWithdrawn(row: InstanceRow): void {
  if (row.is_withdrawn === 0) return
  throw conflict('instance-withdrawn', 'The instance is withdrawn; reinstate it first.')
}
