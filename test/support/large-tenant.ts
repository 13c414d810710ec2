// Fills a tenant with people and places that are as large as they may be.
import { anEntity, aType } from './factories.js'
import { paths, put } from './frame.js'
import type { FurnishedTenant } from './furnished-tenant.js'
import { person, subjectsPath } from './subjects.js'

/** Fields of places and of people by which no list is ordered yet. */
export const orderFields = ['text0', 'familyName']

/** 0.9 MB, of the 1 MB that the values of a subject or an entity may have, in texts of the longest kind. */
const texts = Array.from({ length: 90 }, (_, n) => `${n} `.padEnd(10_000, 'x'))

/** The values of the people and of the places, and the largest one of the people. */
export const largeValues = {
  subject: person('largest', { languages: texts }).CustomFieldValues,
  languages: [{ Key: 'languages', Value: texts.map(Value => ({ String: { Value } })) }],
  entity: texts.map((text, n) => ({ Key: `text${n}`, Value: { String: { Value: text } } })),
}
export const largeType = (prefix: string): string => `${prefix}-large`

/**
 * Adds so many people and places with 0.9 MB of values each. The people and places that the tenant had become as large, and its
 * subject is in all of the places.
 */
export async function enlarge({ all, ids, prefix }: FurnishedTenant, count: number): Promise<void> {
  const fields = texts.map((_, n) => ({ TypeKey: 'Text', Key: `text${n}`, Name: `Text ${n}` }))
  const type = largeType(prefix)
  await put(all, paths.types, aType(type, { CustomFields: fields }))
  const place = (Key: string) =>
    anEntity(Key, { StructureTypeKey: type, ParentKey: ids.region, CustomFieldValues: largeValues.entity })
  await put(all, paths.entities, place(ids.entity))
  for (let n = 0; n < count; n++) {
    await put(all, paths.entities, place(`${prefix}-large-${n}`))
    const added = await all.post(subjectsPath, person(`${prefix}-large-${n}`, { languages: texts }, [ids.entity]))
    if (added.status !== 201) throw new Error(JSON.stringify(added.body))
  }
  const keys = Array.from({ length: count }, (_, n) => `${prefix}-large-${n}`)
  const assigned = await all.put(`/api/v1/subject/${ids.subject}/structuralEntities`, { keys })
  if (assigned.status >= 300) throw new Error(JSON.stringify(assigned.body))
  const patched = await all.send('PATCH', `${subjectsPath}/${ids.subject}`, largeValues.languages)
  if (patched.status !== 200) throw new Error(JSON.stringify(patched.body))
}
