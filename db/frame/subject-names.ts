import type { Db, TenantId } from '../connect.js'
import { heldIn, listOf, type StoredValues } from './custom-fields.js'
import { type PortalSettings, subjectSettings } from './subject-settings.js'
import { subjectStore } from './subjects.js'

/** The texts of a field that are not blank. */
export const textsOf = (values: StoredValues, key: string): string[] =>
  listOf(heldIn(values, key) ?? []).flatMap(([, text]) => (text.trim() === '' ? [] : [text]))

/** A subject's name to people, of the fields that the tenant names for it; '' where they have no value. */
export const displayNameIn = ({ displayNameFields }: PortalSettings, values: StoredValues): string =>
  displayNameFields.flatMap(key => textsOf(values, key)).join(' ')

/** The name of a subject; '' where it has none. */
export async function displayNameOf(db: Db, tenant: TenantId, subjectId: string): Promise<string> {
  const [{ portal }, subject] = await Promise.all([
    subjectSettings(db, tenant),
    subjectStore(db, tenant).byId(subjectId),
  ])
  return subject ? displayNameIn(portal, subject.values) : ''
}
