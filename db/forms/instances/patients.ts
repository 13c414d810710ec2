// The subject that a caller of the forms API names.
import { isId } from '../../../runtime/ids.js'
import { notFound } from '../../../runtime/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { mergedNamed } from '../../frame/subjects/subjects-by-id.js'

/**
 * The id of the subject that a caller of forms names by its Id or its ExternalId; undefined where there is none. Those of a merged
 * subject name the one that stays.
 */
export async function patientNamed(db: Db, tenant: TenantId, identifier: string): Promise<string | undefined> {
  if (!isId(identifier)) return undefined
  const subjects = () => db('subjects').where({ tenant_id: tenant }).select('id')
  // Each by its own index, which servers do not always do for an OR.
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

/** @throws Problem 404 where there is no such subject. */
export async function patientId(db: Db, tenant: TenantId, identifier: string): Promise<string> {
  const id = await patientNamed(db, tenant, identifier)
  if (id === undefined) throw notFound(`There is no patient '${identifier}'.`)
  return id
}
