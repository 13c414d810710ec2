// Creates form instances.
import { hash } from 'node:crypto'
import { newId } from '../../../runtime/ids.js'
import { conflict, type Fault, fault, forbidden, invalid, notFound } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { isDuplicate, transaction } from '../../errors.js'
import { noteEvents } from '../../events.js'
import { existingSubject, mergedInto } from '../../frame/subjects/subjects-by-id.js'
import { addVersion, type InstanceRow, type InstanceStores, instanceColumns } from './instances.js'
import { patientNamed } from './patients.js'

export const onBehalfOfTypes = ['user', 'subject', 'system', 'external', 'subjectProxy'] as const

/** The person or system in whose name an instance is created. */
export interface OnBehalfOf {
  identifier: string
  type: (typeof onBehalfOfTypes)[number]
}

export interface NewInstance {
  /** Id or ExternalId of the subject. */
  patientIdentifier: string
  /** The caller's own identifier of the instance. */
  instanceIdentifier: string
  formKey: string
  formVersion: number
  onBehalfOf: OnBehalfOf | undefined
  instanceContext: Record<string, string>
  correlationId: string | undefined
}

/**
 * Creates an instance, or returns the one that the same request created before.
 * @throws Problem 404 for an unknown patient, or a form that is not published. 400 or 403 if `onBehalfOf` is unknown or
 *   inactive. 409 if a different request created an instance with this identifier, or it was discarded.
 */
export async function createInstance(
  { db, forms }: InstanceStores,
  tenant: TenantId,
  request: NewInstance,
  actor: string,
): Promise<InstanceRow> {
  const { patientIdentifier, instanceIdentifier, formKey, formVersion, onBehalfOf, instanceContext } = request
  const [subjectId, template] = await Promise.all([
    patientNamed(db, tenant, patientIdentifier),
    forms.template(tenant, formKey, formVersion),
  ])
  const faults: Fault[] = []
  if (subjectId === undefined) faults.push(fault('/patientIdentifier', 'unknown-patient', 'There is no such patient.'))
  if (!template) faults.push(fault('/formVersion', 'unknown-form', 'There is no such published version of a form.'))
  if (subjectId === undefined || !template) throw notFound(faults.map(({ detail }) => detail).join(' '), faults)
  if (onBehalfOf) await requireKnownPerson(db, tenant, onBehalfOf)

  const correlationId = request.correlationId ?? null
  const hashed = { formKey, formVersion, onBehalfOf, correlationId, context: sorted(instanceContext) }
  const hashFor = (subjectId: string) => hash('sha256', JSON.stringify({ subjectId, ...hashed }), 'hex')
  const [id, versionId, at] = [newId(), newId(), new Date()]
  const createdBy = onBehalfOf?.identifier ?? actor
  const row: InstanceRow = {
    id,
    subject_id: subjectId,
    form_key: formKey,
    form_version: formVersion,
    title: template.title,
    classification: template.classification,
    allow_amend: template.allowAmend ? 1 : 0,
    correlation_id: correlationId,
    status: 'New',
    current_version: versionId,
    reported_version: null,
    submitted_by: null,
    submitted_at: null,
    revision: 1,
    is_withdrawn: 0,
    is_deleted: 0,
    created_by: createdBy,
    created_at: at,
    modified_at: at,
  }
  const rest = {
    tenant_id: tenant,
    instance_identifier: instanceIdentifier,
    on_behalf_of: onBehalfOf ? JSON.stringify(onBehalfOf) : null,
    context: JSON.stringify(instanceContext),
  }
  try {
    return await transaction(db, tenant, async trx => {
      // Locks the subject, so that a concurrent merge or erasure does not miss the new form.
      const subject = await existingSubject(trx, tenant, subjectId)
      const written = { ...row, subject_id: subject.id }
      await trx('form_instances').insert({ ...written, ...rest, request_hash: hashFor(subject.id) })
      const version = { status: 'New' as const, isMilestone: false, actor: createdBy, at }
      await addVersion(trx, tenant, { id, revision: 0 }, version, versionId)
      await noteEvents(trx, tenant, 'form', [{ id, kind: 'created' }])
      return written
    })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    // The first request may have named a subject that was merged into this one since.
    const merged = await mergedInto(db, tenant, [subjectId])
    const hashes = [subjectId, ...merged.map(({ subject_id }) => subject_id)].map(hashFor)
    return readCreatedBefore(db, tenant, instanceIdentifier, hashes)
  }
}

/**
 * Reads the instance that an earlier request created.
 * @throws Problem 409 if that was a different request, or it was discarded.
 */
async function readCreatedBefore(
  db: Db,
  tenant: TenantId,
  identifier: string,
  requestHashes: readonly string[],
): Promise<InstanceRow> {
  const found: (InstanceRow & { request_hash: string }) | undefined = await db('form_instances')
    .where({ tenant_id: tenant, instance_identifier: identifier })
    .first(...instanceColumns, 'request_hash')
  const pointer = '/instanceIdentifier'
  if (found && !requestHashes.includes(found.request_hash)) {
    const detail = `A different request has already created an instance '${identifier}'.`
    throw conflict('instance-identifier-taken', detail, [fault(pointer, 'instance-identifier-taken', detail)])
  }
  // There is none if its subject was erased at this moment.
  if (found?.is_deleted === 0) {
    const { request_hash: _, ...row } = found
    return row
  }
  const detail = `The instance '${identifier}' was discarded. Use another identifier for a new one.`
  throw conflict('instance-discarded', detail, [fault(pointer, 'instance-discarded', detail)])
}

/**
 * Requires that the user or subject in whose name an instance is created exists and is active. Systems, proxies and external
 * persons are not known to the tenant, so they cannot be checked.
 */
async function requireKnownPerson(db: Db, tenant: TenantId, { identifier, type }: OnBehalfOf): Promise<void> {
  const pointer = '/onBehalfOf/identifier'
  if (type === 'user') {
    const user = await db('users').where({ tenant_id: tenant, user_id: identifier }).first('active')
    if (!user) throw invalid([fault(pointer, 'unknown-user', `There is no user '${identifier}'.`)])
    if (user.active === 1) return
    const detail = `The user '${identifier}' is not active, so no forms can be created in its name.`
    throw forbidden(detail, [fault(pointer, 'inactive-user', detail)])
  }
  // Ids are compared in lower case, but the identifier is stored as it was sent.
  if (type === 'subject' && (await patientNamed(db, tenant, identifier.toLowerCase())) === undefined)
    throw invalid([fault(pointer, 'unknown-subject', `There is no subject '${identifier}'.`)])
}

/** Sorts the context by name, so that its order does not change the hash. */
const sorted = (context: Record<string, string>): [string, string][] =>
  Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))
