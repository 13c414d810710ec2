// Merges subjects, and reads everything that a tenant has stored.
import type { Knex } from 'knex'
import { settleWords } from '../../db/frame/search/word-settling.js'
import type { Api, Reply } from './api.js'
import { list, type Page, readAll } from './frame.js'
import { tablesWithColumn } from './schema.js'
import { type SubjectBody, subjectsPath } from './subjects.js'
import { until } from './until.js'

interface MergeBody {
  SubjectId: string
  IntoSubjectId: string
  MergedAt: string
  MergedBy: string
}

interface ChangeBody {
  SubjectId: string
  Change: string
  IntoSubjectId?: string
}

/** Returns calls that merge subjects of a tenant, undo that, and read the results. */
export const mergesOf = (tenant: Api) => ({
  merge: (id: string, SubjectId: string, more: object = {}): Promise<Reply<SubjectBody>> =>
    tenant.post<SubjectBody>(`${subjectsPath}/${id}/merge`, { SubjectId, ...more }),
  unmerge: (id: string): Promise<Reply<SubjectBody>> => tenant.post<SubjectBody>(`${subjectsPath}/${id}/unmerge`),
  merges: (id: string): Promise<Reply<MergeBody[]>> => tenant.get<MergeBody[]>(`${subjectsPath}/${id}/merges`),
  /** Lists the ids of all subjects, sorted. */
  ids: async (query: Record<string, string> = {}): Promise<string[]> =>
    (await readAll<SubjectBody>(tenant, subjectsPath, query)).map(({ Id }) => Id).sort(),
  /** Does some work, and returns the changes that it adds to the feed. */
  async changesOf(work: () => Promise<unknown>): Promise<ChangeBody[]> {
    const feed = (query: Record<string, string>) => tenant.get<Page<ChangeBody>>(list(`${subjectsPath}/changes`, query))
    const { body } = await feed({ FromNow: 'true' })
    await work()
    const { body: after } = await feed({ After: body.PageInfo.EndCursor, First: '100' })
    return after.Edges.map(({ Node: { SubjectId, Change, IntoSubjectId } }) => ({
      SubjectId,
      Change,
      ...(IntoSubjectId ? { IntoSubjectId } : {}),
    }))
  },
})

/** Tables that record events or queue work. They are not part of the state that undoing a merge restores. */
const passing = new Set([
  'audit_chains',
  'audit_events',
  'audit_ids',
  'audit_unsealed',
  'event_feeds',
  'events',
  'events_unnumbered',
  'form_clocks',
  'form_extract_results',
  'form_extracts',
  'jobs',
  'subject_matching_keys',
  'subject_word_marks',
])

/** Columns that an undo does not restore: the time of the last write. */
const passingColumns = new Set(['updated_at'])

/**
 * Reads all rows of a tenant, keyed by table. Leaves out reports of forms that have ended, because a merge and its undo end a report and
 * begin it again.
 */
export async function wholeData(db: Knex, tenant_id: number): Promise<Record<string, string[]>> {
  // The platform's own run may be settling words at this moment. Their marks are deleted when it commits.
  await until('no word of the tenant is marked', async () => {
    await settleWords(db)
    return (await db('subject_word_marks').where({ tenant_id }).first('id')) === undefined
  })
  const found: Record<string, string[]> = {}
  for (const table of await tablesWithColumn(db, 'tenant_id')) {
    if (passing.has(table)) continue
    const query = db(table).where({ tenant_id })
    if (table === 'form_reports') query.where('counts_until', '>', '9999-01-01')
    const rows: object[] = await query
    const hidden = (name: string) => passingColumns.has(name) || (table === 'form_reports' && name === 'counts_from')
    found[table] = rows.map(row => JSON.stringify(Object.entries(row).filter(([name]) => !hidden(name)))).sort()
  }
  return found
}
