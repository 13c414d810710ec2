import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Api } from './api.js'
import type { KnownInstance } from './extract-model.js'
import { type FormsTenant, formsTenant } from './forms.js'
import { addPerson, type SubjectBody, subjectsPath } from './subjects.js'

/** Somebody who forms are kept with. */
export type Subject = KnownInstance['subject']

/** A client of forms, and as whom its submissions name it. */
export interface Submitter {
  api: Api
  name: string
}

/** Where forms are kept with several subjects, by several clients. */
export interface ExtractPlace {
  db: Knex
  tenant: FormsTenant
  subjects: Subject[]
  clients: Submitter[]
}

/** A tenant that no other test sees, with three subjects, and two clients that may do everything. */
export async function extractPlace(db: Knex): Promise<ExtractPlace> {
  const tenant = await formsTenant()
  const ids = [tenant.subjectId, await addPerson(tenant, 'second'), await addPerson(tenant, 'third')]
  const subjects = await Promise.all(
    ids.map(async id => ({ id, externalId: (await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body.ExternalId })),
  )
  const clients = [tenant.forms, await tenant.formsClient(['*'])].map(api => ({ api, name: nameIn(api) }))
  return { db, tenant, subjects, clients }
}

/** As whom a client submits: the subject of its token. */
const nameIn = ({ token }: Api): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub

/**
 * Sets the clock of a tenant ahead of the server's, as it is when that was set back: all that happens until the next extract
 * has the same time.
 * @returns that time, in ms since 1970.
 */
export async function stopClock({ db, tenant }: Pick<ExtractPlace, 'db' | 'tenant'>): Promise<number> {
  const instant = new Date(Date.now() + 3_600_000)
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  await db('form_clocks').where({ tenant_id }).update({ instant })
  return instant.getTime()
}
