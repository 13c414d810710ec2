// Finds the subject that a caller of the forms API names.
import { isId } from '../../../runtime/ids.js'
import { notFound } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { mergedNamed } from '../../frame/subjects/subjects-by-id.js'

/**
 * Finds a subject by its Id or ExternalId, and returns its id; undefined if there is none. The identifiers of a merged subject
 * lead to the one it was merged into.
 */
export async function patientNamed(db: Db, tenant: TenantId, identifier: string): Promise<string | undefined> {
  if (!isId(identifier)) return undefined
  const subjects = () => db('subjects').where({ tenant_id: tenant }).select('id')
  // A UNION uses an index for each column, which database servers do not always do for an OR.
  const query = subjects()
    .where({ id: identifier })
    .unionAll(subjects().where({ external_id: identifier }))
  const [found]: { id: string }[] = await query
  if (found) return found.id
  for (const column of ['subject_id', 'external_id'] as const) {
    const [merged] = await mergedNamed(db, tenant, column, [identifier])
    if (merged) return merged.survivor_id
  }
  return undefined
}

/** Finds a subject like {@link patientNamed}. @throws Problem 404 if there is none. */
export async function patientId(db: Db, tenant: TenantId, identifier: string): Promise<string> {
  const id = await patientNamed(db, tenant, identifier)
  if (id === undefined) throw notFound(`There is no patient '${identifier}'.`)
  return id
}
