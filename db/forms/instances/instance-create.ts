// Creates form instances.
import { hash } from 'node:crypto'
import { newId } from '../../../runtime/ids.js'
import { conflict, type Fault, fault, forbidden, invalid, notFound } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { isDuplicate, transaction } from '../../errors.js'
import { noteEvents } from '../../events.js'
import { addVersion, type InstanceRow, type InstanceStores, instanceColumns } from './instances.js'
import { patientNamed } from './patients.js'

export const onBehalfOfTypes = ['user', 'subject', 'system', 'external', 'subjectProxy'] as const

/** Under whose name an instance is created. */
export interface OnBehalfOf {
  identifier: string
  type: (typeof onBehalfOfTypes)[number]
}

export interface NewInstance {
  /** Id or ExternalId of the subject. */
  patientIdentifier: string
  /** The caller's own name for it. */
  instanceIdentifier: string
  formKey: string
  formVersion: number
  onBehalfOf: OnBehalfOf | undefined
  instanceContext: Record<string, string>
  correlationId: string | undefined
}

/**
 * Creates an instance, or returns the instance that the same request has created before.
 * @throws Problem 404 for a patient or form that is unknown or not published. 400 and 403 where nobody can act for
 *   `onBehalfOf`. 409 where another request has created an instance of this identifier, or it was discarded.
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
  if (onBehalfOf) await refuseActing(db, tenant, onBehalfOf)

  const correlationId = request.correlationId ?? null
  const said = { subjectId, formKey, formVersion, onBehalfOf, correlationId, context: sorted(instanceContext) }
  const requestHash = hash('sha256', JSON.stringify(said), 'hex')
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
    request_hash: requestHash,
    on_behalf_of: onBehalfOf ? JSON.stringify(onBehalfOf) : null,
    context: JSON.stringify(instanceContext),
  }
  try {
    await transaction(db, tenant, async trx => {
      await trx('form_instances').insert({ ...row, ...rest })
      const version = { status: 'New' as const, isMilestone: false, actor: createdBy, at }
      await addVersion(trx, tenant, { id, revision: 0 }, version, versionId)
      await noteEvents(trx, tenant, 'form', [{ id, kind: 'created' }])
    })
    return row
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return createdBefore(db, tenant, instanceIdentifier, requestHash)
  }
}

/** @throws Problem 409 where another request has created it, or it was discarded. */
async function createdBefore(db: Db, tenant: TenantId, identifier: string, requestHash: string): Promise<InstanceRow> {
  const { request_hash, ...row }: InstanceRow & { request_hash: string } = await db('form_instances')
    .where({ tenant_id: tenant, instance_identifier: identifier })
    .first(...instanceColumns, 'request_hash')
  const pointer = '/instanceIdentifier'
  if (request_hash !== requestHash) {
    const detail = `There is an instance '${identifier}', which another request has created.`
    throw conflict('instance-identifier-taken', detail, [fault(pointer, 'instance-identifier-taken', detail)])
  }
  if (row.is_deleted === 0) return row
  const detail = `The instance '${identifier}' was discarded; give a new one another identifier.`
  throw conflict('instance-discarded', detail, [fault(pointer, 'instance-discarded', detail)])
}

/**
 * A caller that acts for a user or a subject of the tenant names that person. The tenant does not know systems, proxies
 * and outsiders.
 */
async function refuseActing(db: Db, tenant: TenantId, { identifier, type }: OnBehalfOf): Promise<void> {
  const pointer = '/onBehalfOf/identifier'
  if (type === 'user') {
    const user = await db('users').where({ tenant_id: tenant, user_id: identifier }).first('active')
    if (!user) throw invalid([fault(pointer, 'unknown-user', `There is no user '${identifier}'.`)])
    if (user.active === 1) return
    const detail = `The user '${identifier}' is not active; nobody creates forms for it.`
    throw forbidden(detail, [fault(pointer, 'inactive-user', detail)])
  }
  // Ids are the same in any letter case; who has created an instance stays as it was given.
  if (type === 'subject' && (await patientNamed(db, tenant, identifier.toLowerCase())) === undefined)
    throw invalid([fault(pointer, 'unknown-subject', `There is no subject '${identifier}'.`)])
}

/** The same, in whatever order it is given. */
const sorted = (context: Record<string, string>): [string, string][] =>
  Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))
