// Maps the subject identifiers of providers to subjects.
import { isId } from '../../../runtime/ids.js'
import type { Db, TenantId } from '../../connect.js'
import { heldIn, listOf } from '../../frame/subjects/custom-fields.js'
import { subjectsById } from '../../frame/subjects/subject-plan.js'
import { subjectSettings } from '../../frame/subjects/subject-settings.js'
import { filterHash, toBytes } from '../../frame/subjects/subject-values.js'
import { groupedBy, slices } from '../../rows.js'

/**
 * The subjects with these identifiers: id, external id, or the value of the tenant's field for it (DECISIONS
 * "SubjectIdentifier"). Ids match in any letter case, values exactly. An identifier of several subjects matches none.
 */
export async function subjectsNamed(
  db: Db,
  tenant: TenantId,
  identifiers: readonly string[],
): Promise<Map<string, string>> {
  const { fields, identifierField } = await subjectSettings(db, tenant)
  const field = fields.find(({ key }) => key === identifierField)
  const found = new Map<string, Set<string>>()
  const note = (identifier: string, id: string) => {
    const ids = found.get(identifier) ?? new Set()
    found.set(identifier, ids.add(id))
  }

  const byId = groupedBy([...new Set(identifiers)], identifier => identifier.toLowerCase())
  for (const some of slices([...byId.keys()].filter(isId))) {
    for (const column of ['id', 'external_id'] as const) {
      const rows: { id: string; named: string }[] = await db('subjects')
        .where({ tenant_id: tenant })
        .whereIn(column, some)
        .select('id', { named: column })
      for (const { id, named } of rows) for (const identifier of byId.get(named) ?? []) note(identifier, id)
    }
  }
  if (field) {
    const hashed = [...new Set(identifiers)].flatMap(identifier => {
      const hash = filterHash(field, identifier)
      return hash === undefined ? [] : [{ identifier, hash }]
    })
    const byHash = groupedBy(hashed, ({ hash }) => hash)
    for (const some of slices([...byHash.keys()])) {
      const rows: { value_hash: Buffer; subject_id: string }[] = await db('subject_values')
        .where({ tenant_id: tenant })
        .whereIn('value_hash', some.map(toBytes))
        .select('value_hash', 'subject_id')
      for (const row of rows) {
        for (const { identifier } of byHash.get(row.value_hash.toString('hex')) ?? []) note(identifier, row.subject_id)
      }
    }
  }
  return new Map([...found].flatMap(([identifier, [id, other]]) => (id && !other ? [[identifier, id]] : [])))
}

/** Subjects by id, after a position: those that a source is asked about one by one. */
export async function pageOfSubjects(db: Db, tenant: TenantId, after: string | null, size: number): Promise<string[]> {
  const rows: { id: string }[] = await db('subjects')
    .where({ tenant_id: tenant })
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(size)
    .select('id')
  return rows.map(({ id }) => id)
}

/**
 * The identifier of each subject at the provider: the value of the tenant's field for it, else the id or the provider's
 * own identifier.
 * @returns by id.
 */
export async function identifiersOf(
  db: Db,
  tenant: TenantId,
  ids: readonly string[],
  otherwise: (id: string) => string = id => id,
): Promise<Map<string, string>> {
  const { identifierField = '' } = await subjectSettings(db, tenant)
  const subjects = await subjectsById(db, tenant, ids)
  return new Map(
    [...subjects].map(([id, { values }]) => {
      const value = heldIn(values, identifierField)
      return [id, (value && listOf(value)[0]?.[1]) ?? otherwise(id)]
    }),
  )
}
