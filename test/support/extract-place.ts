import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Api } from './api.js'
import type { Subject, Submitter } from './extract-history.js'
import { type FormsTenant, formsTenant } from './forms.js'
import { addPerson, type SubjectBody, subjectsPath } from './subjects.js'

/** Where forms are kept with several subjects, by several clients. */
export interface ExtractPlace {
  tenant: FormsTenant
  subjects: Subject[]
  clients: Submitter[]
}

/** A tenant that no other test sees, with three subjects, and two clients that may do everything. */
export async function extractPlace(): Promise<ExtractPlace> {
  const tenant = await formsTenant()
  const ids = [tenant.subjectId, await addPerson(tenant, 'second'), await addPerson(tenant, 'third')]
  const subjects = await Promise.all(
    ids.map(async id => ({ id, externalId: (await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body.ExternalId })),
  )
  const clients = [tenant.forms, await tenant.formsClient(['*'])].map(api => ({ api, name: nameIn(api) }))
  return { tenant, subjects, clients }
}

/** As whom a client submits: the subject of its token. */
const nameIn = ({ token }: Api): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub

/**
 * Sets the clock of a tenant ahead of the server's, as it is when that was set back: all that happens until the next extract
 * has the same time.
 * @returns that time, in ms since 1970.
 */
export async function stopClock(db: Knex, { tenantKey }: FormsTenant, aheadMs = 3_600_000): Promise<number> {
  const instant = new Date(Date.now() + aheadMs)
  const tenant_id = await tenantIdOf(db, tenantKey)
  await db('form_clocks').where({ tenant_id }).update({ instant })
  return instant.getTime()
}
