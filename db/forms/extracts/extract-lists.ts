// Lists the results of an extract's definitions as of one instant.
import type { Knex } from 'knex'
import type { JobProgress } from '../../../workflows/jobs/contracts.js'
import type { Db, TenantId } from '../../connect.js'
import { advance, type JobRun } from '../../jobs/advance.js'
import { jobStore } from '../../jobs/jobs.js'
import { whereBeyond } from '../../paging.js'
import type { Read, Reads } from '../../replicas.js'
import { type Cell, slices, upsertRows } from '../../rows.js'
import { type Entry, entriesOfChunk, inOrder, packed, unpacked } from './extract-entries.js'
import { type Extract, type ExtractDefinition, extractOf, subjectsAsked } from './extracts.js'

/** Highest number of rows that one statement reads. */
const pageRows = 10_000

/**
 * Highest numbers of subjects, and of their rows, that are read by the index of subjects. Each page sorts the remaining rows.
 * For more subjects or rows, all rows of the definition are read and filtered.
 */
const [indexedSubjects, indexedRows] = [1_000, 50_000]

/**
 * Lists the results of an extract's next definition. After the last one, limits all lists together to `maxResults`. What
 * counted at the instant never changes, so a repeated step writes the same list.
 * @returns the progress of the job, in definitions.
 */
export async function listNextDefinition(
  { db, reads }: { db: Db; reads: Reads },
  tenant: TenantId,
  run: JobRun,
): Promise<JobProgress> {
  const { jobId } = run
  const extract = await extractOf(db, tenant, jobId)
  const before = await jobStore(db, tenant).byId(jobId)
  const n = before?.done ?? 0
  const definition = extract?.request.definitions[n]
  if (extract && definition && before?.status !== 'Completed')
    await writeList(db, reads, tenant, extract, n, definition)
  return advance(db, tenant, run, async (trx, job) => {
    if (job.done !== n) return undefined
    if (!extract || !definition) throw new Error(`The extract of the job ${jobId} is gone`)
    const done = n + 1
    if (done < extract.request.definitions.length) return { done, end: undefined, counts: {} }
    const taken = await limitLists(trx, tenant, extract)
    await trx('form_extracts')
      .where({ tenant_id: tenant, job_id: jobId })
      .update({ taken: JSON.stringify(taken) })
    return { done, end: 'all', counts: { results: taken.reduce((sum, each) => sum + each, 0) } }
  })
}

/** Writes the sorted list of one definition, up to the limits that apply to it alone. */
async function writeList(
  db: Db,
  reads: Reads,
  tenant: TenantId,
  extract: Extract,
  definition: number,
  asked: ExtractDefinition,
): Promise<void> {
  const max = extract.request.maxResults ?? Number.POSITIVE_INFINITY
  let chunk = 0
  let taken = 0
  let open: Entry[] = []
  const write = async (entries: readonly Entry[]) => {
    const rows = slices(entries, entriesOfChunk).map((some): Cell[] => [
      tenant,
      extract.jobId,
      definition,
      chunk++,
      some.length,
      packed(some),
    ])
    await upsertRows(db, 'form_extract_results', columns, rows, ['entries', 'results'])
  }
  const subjects = await subjectsAsked(db, tenant, extract.jobId)
  // Subjects may be merged after the instant. The rows that are read must not be older than the ids of the merged subjects.
  const since = subjects ? await reads.now() : undefined
  const read = reads.by('extract-list', since ?? extract.instant.getTime())
  for await (const page of entriesOf(read, tenant, { ...extract, subjects }, asked)) {
    const room = page.slice(0, max - taken)
    taken += room.length
    open.push(...room)
    const whole = open.length - (open.length % entriesOfChunk)
    if (whole > 0) {
      await write(open.slice(0, whole))
      open = open.slice(whole)
    }
    if (taken >= max) break
  }
  await write(open)
}

const columns = ['tenant_id', 'job_id', 'definition', 'chunk', 'entries', 'results']

interface ReportRow {
  submitted_at: Date
  instance_id: string
  subject_id: string
  bytes: number
}

/** Reads the results of one definition page by page, limited for each subject. */
export async function* entriesOf(
  read: Read,
  tenant: TenantId,
  { request, instant, subjects }: Pick<Extract, 'request' | 'instant'> & { subjects?: string[] | undefined },
  asked: ExtractDefinition,
): AsyncGenerator<Entry[]> {
  const { maxResults, maxResultsPerDefinitionPerSubject } = request
  if (subjects?.length === 0 || maxResults === 0 || maxResultsPerDefinitionPerSubject === 0) return
  const ofSubject = limitPerSubject(maxResultsPerDefinitionPerSubject)
  const to = request.to === undefined ? instant : new Date(Math.min(Date.parse(request.to), instant.getTime()))
  // Without a forced index the optimizer may expect few subjects and sort millions of rows.
  const inTime = (db: Db, index: string) => {
    const query = db(db.raw('form_reports FORCE INDEX (??)', [index]))
      .where({ tenant_id: tenant, is_block: asked.type === 'form' ? 0 : 1 })
      .where({ definition_key: asked.key, definition_version: asked.version })
      .where('submitted_at', '<', to)
    return request.from === undefined ? query : query.where('submitted_at', '>=', new Date(request.from))
  }
  const bySubject = (db: Db, some: string[]) => inTime(db, 'form_reports_by_subject').whereIn('subject_id', some)
  const named = subjects && (await read(db => areFew(db, subjects, bySubject))) ? subjects : undefined
  const picked = subjects && !named ? new Set(subjects) : undefined
  let after: ReportRow | undefined
  // Starts with few rows if few results are wanted.
  for (let limit = Math.min(pageRows, Math.max(maxResults ?? pageRows, 20)); ; limit = Math.min(pageRows, limit * 4)) {
    const last = after
    const rows: ReportRow[] = await read(async db => {
      const query = (named ? bySubject(db, named) : inTime(db, 'PRIMARY'))
        .where('counts_from', '<', instant)
        .where('counts_until', '>=', instant)
        .orderByRaw('submitted_at DESC, instance_id')
        .limit(limit)
        .select('submitted_at', 'instance_id', 'subject_id', 'bytes')
      return last
        ? whereBeyond(query, ['submitted_at', '<', last.submitted_at], ['instance_id', '>', last.instance_id])
        : query
    })
    yield rows
      .filter(({ subject_id }) => (!picked || picked.has(subject_id)) && ofSubject(subject_id))
      .map(({ submitted_at, instance_id, bytes }) => ({ submittedAt: submitted_at, instanceId: instance_id, bytes }))
    after = rows.at(-1)
    if (rows.length < limit) return
  }
}

/** True if the subjects and their rows are few enough to be read by the index of subjects. */
async function areFew(
  db: Db,
  subjects: string[],
  rowsOf: (db: Db, some: string[]) => Knex.QueryBuilder,
): Promise<boolean> {
  if (subjects.length > indexedSubjects) return false
  const some = rowsOf(db, subjects)
    .select(db.raw('1'))
    .limit(indexedRows + 1)
  const [found] = await db.from(some.as('some')).count({ rows: '*' })
  return Number(found?.rows) <= indexedRows
}

/**
 * Creates a filter that lets the first `most` results of each subject pass. Call it once for each result, most recent
 * first.
 */
function limitPerSubject(max: number | undefined): (subjectId: string) => boolean {
  if (max === undefined) return () => true
  const taken = new Map<string, number>()
  return subjectId => {
    const before = taken.get(subjectId) ?? 0
    if (before >= max) return false
    taken.set(subjectId, before + 1)
    return true
  }
}

/**
 * Counts how many results of each definition are among the `maxResults` most recent of all. Merges the sorted lists; for results
 * of the same instance and time, the earlier definition comes first.
 */
async function limitLists(db: Db, tenant: TenantId, { jobId, request }: Extract): Promise<number[]> {
  const lists: { definition: number; entries: number }[] = await db('form_extract_results')
    .where({ tenant_id: tenant, job_id: jobId })
    .groupBy('definition')
    .select('definition', db.raw('CAST(SUM(entries) AS SIGNED) AS entries'))
  const all = request.definitions.map((_, n) => lists.find(({ definition }) => definition === n)?.entries ?? 0)
  const max = request.maxResults ?? Number.POSITIVE_INFINITY
  if (all.reduce((sum, each) => sum + each, 0) <= max) return all

  const taken = all.map(() => 0)
  const heads: { entry: Entry; definition: number; rest: AsyncGenerator<Entry> }[] = []
  const place = async (definition: number, rest: AsyncGenerator<Entry>) => {
    const { value: entry, done } = await rest.next()
    if (done) return
    const head = { entry, definition, rest }
    let [low, high] = [0, heads.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = heads[middle]
      if (other && earlier(other, head)) low = middle + 1
      else high = middle
    }
    heads.splice(low, 0, head)
  }
  for (const definition of all.keys()) await place(definition, listed(db, tenant, jobId, definition))
  for (let n = 0; n < max; n++) {
    const first = heads.shift()
    if (!first) break
    taken[first.definition] = (taken[first.definition] ?? 0) + 1
    await place(first.definition, first.rest)
  }
  return taken
}

interface Head {
  entry: Entry
  definition: number
}

function earlier(a: Head, b: Head): boolean {
  const isSame =
    a.entry.instanceId === b.entry.instanceId && a.entry.submittedAt.getTime() === b.entry.submittedAt.getTime()
  return isSame ? a.definition < b.definition : inOrder(a.entry, b.entry) < 0
}

/** Reads the written list of a definition, one chunk after the other. */
async function* listed(db: Db, tenant: TenantId, jobId: string, definition: number): AsyncGenerator<Entry> {
  for (let chunk = 0; ; chunk++) {
    let entries = 0
    for (const entry of unpacked(await packedChunk(db, tenant, jobId, definition, chunk))) {
      entries++
      yield entry
    }
    if (entries < entriesOfChunk) return
  }
}

/** Reads one chunk of a definition's list. It is empty after the end of the list. */
export const chunkOf = async (...of: Parameters<typeof packedChunk>): Promise<Entry[]> => [
  ...unpacked(await packedChunk(...of)),
]

async function packedChunk(
  db: Db,
  tenant: TenantId,
  jobId: string,
  definition: number,
  chunk: number,
): Promise<Buffer> {
  const row: { results: Buffer } | undefined = await db('form_extract_results')
    .where({ tenant_id: tenant, job_id: jobId, definition, chunk })
    .first('results')
  return row?.results ?? Buffer.alloc(0)
}
