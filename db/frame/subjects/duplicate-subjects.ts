// Finds subjects that have equal values in identifying fields.
import type { Db, TenantId } from '../../connect.js'
import { keepBeyond } from '../../paging.js'
import { type SubjectSettings, subjectSettings } from './subject-settings.js'
import { matchingHashes } from './subject-values.js'

/** Subjects of a tenant with the same values in fields whose values should name one subject. */
export interface Duplicates {
  tenantKey: string
  fields: string[]
  ids: string[]
}

/** The fields whose values together name a subject: to an upsert, and to data providers. */
export const fieldsThatName = ({ matchingFields, identifierField }: SubjectSettings): string[][] => {
  const ofProviders = identifierField === undefined ? [] : [identifierField]
  const isSame = matchingFields.length === 1 && matchingFields[0] === identifierField
  return [matchingFields, isSame ? [] : ofProviders].filter(fields => fields.length > 0)
}

interface Row {
  tenant_id: TenantId
  tenant_key: string
  values_hash: Buffer
  subject_id: string
  custom_values: string
}

const perPage = 500

/** Subjects that a migration noted as equal (table `subject_duplicates`) and that still are. */
export async function* duplicateSubjects(db: Db): AsyncGenerator<Duplicates> {
  let group: (Duplicates & { of: string }) | undefined
  let settings: { tenant: TenantId; fields: string[][] } | undefined
  let last: Row | undefined
  do {
    const rows = await pageAfter(db, last)
    last = rows.length === perPage ? rows.at(-1) : undefined
    for (const row of rows) {
      const [tenant, hash] = [row.tenant_id, row.values_hash.toString('hex')]
      if (settings?.tenant !== tenant) settings = { tenant, fields: fieldsThatName(await subjectSettings(db, tenant)) }
      const values = JSON.parse(row.custom_values)
      const fields = settings.fields.find(each => matchingHashes(each, values)?.together === hash)
      if (!fields) continue
      const of = `${tenant} ${hash}`
      if (group?.of !== of) {
        if (group && group.ids.length > 1) yield group
        group = { of, tenantKey: row.tenant_key, fields, ids: [] }
      }
      group.ids.push(row.subject_id)
    }
  } while (last)
  if (group && group.ids.length > 1) yield group
}

const pageAfter = (db: Db, last: Row | undefined): Promise<Row[]> => {
  const query = db('subject_duplicates as d')
    .join('subjects as s', join => join.on('s.tenant_id', 'd.tenant_id').on('s.id', 'd.subject_id'))
    .join('tenants as t', 't.id', 'd.tenant_id')
    .orderBy(['d.tenant_id', 'd.values_hash', 'd.subject_id'])
    .limit(perPage)
    .select('d.tenant_id', 't.tenant_key', 'd.values_hash', 'd.subject_id', 's.custom_values')
  return last
    ? keepBeyond(
        query,
        ['d.tenant_id', '>', last.tenant_id],
        ['d.values_hash', '>', last.values_hash],
        ['d.subject_id', '>', last.subject_id],
      )
    : query
}
