// Merges of subjects.
import type { Knex } from 'knex'
import { settleWords } from '../../db/frame/search/word-settling.js'
import type { Api, Reply } from './api.js'
import { list, type Page, readAll } from './frame.js'
import { type SubjectBody, subjectsPath } from './subjects.js'
import { until } from './until.js'

export interface MergeBody {
  SubjectId: string
  IntoSubjectId: string
  MergedAt: string
  MergedBy: string
}

export interface ChangeBody {
  SubjectId: string
  Change: string
  IntoSubjectId?: string
}

/** What can be done to the subjects of a tenant. */
export const mergesOf = (tenant: Api) => ({
  merge: (id: string, SubjectId: string, more: object = {}): Promise<Reply<SubjectBody>> =>
    tenant.post<SubjectBody>(`${subjectsPath}/${id}/merge`, { SubjectId, ...more }),
  unmerge: (id: string): Promise<Reply<SubjectBody>> => tenant.post<SubjectBody>(`${subjectsPath}/${id}/unmerge`),
  merges: (id: string): Promise<Reply<MergeBody[]>> => tenant.get<MergeBody[]>(`${subjectsPath}/${id}/merges`),
  /** Ids of all subjects in lists. */
  ids: async (query: Record<string, string> = {}): Promise<string[]> =>
    (await readAll<SubjectBody>(tenant, subjectsPath, query)).map(({ Id }) => Id).sort(),
  /** Runs one write and returns its changes in the feed. */
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

/** The time of the last write. */
const passingColumns = new Set(['updated_at'])

/** Names of all tables of the schema that have a column. */
export async function tablesWithColumn(db: Knex, column: string): Promise<string[]> {
  const rows: { name: string }[] = await db('information_schema.columns')
    .where({ table_schema: db.raw('DATABASE()'), column_name: column })
    .select('table_name as name')
  return rows.map(({ name }) => name).sort()
}

/**
 * All that a tenant has, in every table, by table. Of the reports of forms those that count now: one that a merge has moved to and fro
 * ended and began again.
 */
export async function wholeData(db: Knex, tenant_id: number): Promise<Record<string, string[]>> {
  // The platform's own run may be settling some of the words at this moment: their marks go with its commit.
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
