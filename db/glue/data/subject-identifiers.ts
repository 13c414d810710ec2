// Finds subjects by the identifiers that providers use for them.
import { isId } from '../../../runtime/ids.js'
import type { Db, TenantId } from '../../connect.js'
import { heldIn, listOf, type StoredValues } from '../../frame/fields/custom-fields.js'
import { filterHash, toBytes } from '../../frame/fields/matching.js'
import { subjectSettings } from '../../frame/fields/subject-settings.js'
import {
  hasMerged,
  mergedInto,
  mergedNamed,
  subjectsById,
  subjectsLedTo,
  survivorsOf,
} from '../../frame/subjects/subjects-by-id.js'
import { groupedBy, slices } from '../../rows.js'

/**
 * Finds subjects by identifier: by id, external id, or the value of the field that the tenant has chosen (DECISIONS
 * "SubjectIdentifier"). Ids match in any letter case, values exactly. An identifier that several subjects share matches
 * none of them. A subject that was merged into another is found under its own id, since it keeps its rows.
 * @returns subject ids by identifier.
 */
export async function subjectsNamed(
  db: Db,
  tenant: TenantId,
  identifiers: readonly string[],
): Promise<Map<string, string>> {
  const { fields, identifierField } = await subjectSettings(db, tenant)
  const field = fields.find(({ key }) => key === identifierField)
  const found = new Map<string, Set<string>>()
  const addFound = (identifier: string, id: string) => {
    const ids = found.get(identifier) ?? new Set()
    found.set(identifier, ids.add(id))
  }

  const survivors = new Map<string, string>()
  const isMerged = await hasMerged(db, tenant)

  const byId = groupedBy([...new Set(identifiers)], identifier => identifier.toLowerCase())
  for (const some of slices([...byId.keys()].filter(isId))) {
    for (const column of ['id', 'external_id'] as const) {
      const rows: { id: string; named: string }[] = await db('subjects')
        .where({ tenant_id: tenant })
        .whereIn(column, some)
        .select('id', { named: column })
      for (const { id, named } of rows) for (const identifier of byId.get(named) ?? []) addFound(identifier, id)
    }
    for (const column of isMerged ? (['subject_id', 'external_id'] as const) : []) {
      for (const row of await mergedNamed(db, tenant, column, some)) {
        survivors.set(row.subject_id, row.survivor_id)
        for (const identifier of byId.get(row[column]) ?? []) addFound(identifier, row.subject_id)
      }
    }
  }
  if (field) {
    const hashed = [...new Set(identifiers)].flatMap(identifier => {
      const hash = filterHash(field, identifier)
      return hash === undefined ? [] : [{ identifier, hash }]
    })
    const byHash = groupedBy(hashed, ({ hash }) => hash)
    const indexes = isMerged ? ['subject_values', 'merged_subject_values'] : ['subject_values']
    for (const some of slices([...byHash.keys()])) {
      for (const index of indexes) {
        const rows: { value_hash: Buffer; subject_id: string }[] = await db(index)
          .where({ tenant_id: tenant })
          .whereIn('value_hash', some.map(toBytes))
          .select('value_hash', 'subject_id')
        if (index === 'merged_subject_values') {
          const ids = rows.map(({ subject_id }) => subject_id)
          for (const [id, survivor] of await survivorsOf(db, tenant, ids)) survivors.set(id, survivor)
        }
        for (const row of rows) {
          for (const { identifier } of byHash.get(row.value_hash.toString('hex')) ?? [])
            addFound(identifier, row.subject_id)
        }
      }
    }
  }
  return new Map(
    [...found].flatMap(([identifier, ids]) => {
      const id = oneSubject(ids, survivors)
      return id === undefined ? [] : [[identifier, id]]
    }),
  )
}

/**
 * Returns the one subject that the ids belong to, preferring the surviving subject over one merged into it. Undefined
 * if they belong to several.
 */
function oneSubject(ids: ReadonlySet<string>, survivors: ReadonlyMap<string, string>): string | undefined {
  const [first, ...others] = new Set(Array.from(ids, id => survivors.get(id) ?? id))
  if (first === undefined || others.length > 0) return undefined
  return ids.has(first) ? first : [...ids].sort()[0]
}

/** A subject as readers of data sets see it. */
export interface ShownSubject {
  id: string
  /** The subject's id and the ids of the subjects merged into it. Rows of a data set may carry any of them. */
  ids: string[]
}

/** Returns the subject under which readers see the rows of one found by {@link subjectsNamed}. */
export async function subjectShown(db: Db, tenant: TenantId, subjectId: string): Promise<ShownSubject> {
  const id = (await survivorsOf(db, tenant, [subjectId])).get(subjectId) ?? subjectId
  const merged = await mergedInto(db, tenant, [id])
  return { id, ids: [id, ...merged.map(({ subject_id }) => subject_id)] }
}

/**
 * Returns a page of subject ids in their order, for sources that are asked about one subject after the other. Merged
 * subjects are included, since a provider knows them by their own identifiers.
 */
export async function pageOfSubjects(db: Db, tenant: TenantId, after: string | null, size: number): Promise<string[]> {
  const ids: string[] = []
  for (const [table, column] of [['subjects', 'id'] as const, ['merged_subjects', 'subject_id'] as const]) {
    const page = db(table)
      .where({ tenant_id: tenant })
      .where(column, '>', after ?? '')
      .orderBy(column)
      .limit(size)
    ids.push(...(await page.pluck(column)))
  }
  return ids.sort().slice(0, size)
}

/**
 * Returns the identifier of each subject at the provider: the value of the field that the tenant has chosen, or else
 * what `otherwise` makes of the id.
 * @returns identifiers by subject id. A merged subject with the same value as its survivor is left out.
 */
export async function identifiersOf(
  db: Db,
  tenant: TenantId,
  ids: readonly string[],
  otherwise: (id: string) => string = id => id,
): Promise<Map<string, string>> {
  const { identifierField = '' } = await subjectSettings(db, tenant)
  const subjects = await subjectsById(db, tenant, ids)
  const identifierIn = (values: StoredValues): string | undefined => {
    const value = heldIn(values, identifierField)
    return value && listOf(value)[0]?.[1]
  }
  const found = new Map([...subjects].map(([id, { values }]) => [id, identifierIn(values) ?? otherwise(id)]))
  const missing = ids.filter(id => !subjects.has(id))
  if (missing.length === 0) return found
  const survivors = await subjectsLedTo(db, tenant, missing)
  for (const { subject_id, custom_values } of await mergedNamed(db, tenant, 'subject_id', missing)) {
    const own = identifierIn(JSON.parse(custom_values))
    const survivor = survivors.get(subject_id)
    // The provider would return the same rows for both.
    if (own !== undefined && survivor && own === identifierIn(survivor.values)) continue
    found.set(subject_id, own ?? otherwise(subject_id))
  }
  return found
}
