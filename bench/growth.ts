// Measures one installation at several sizes, each ten times the one before.
import { loadavg } from 'node:os'
import type { Knex } from 'knex'
import { connect } from '../db/connect.js'
import { newId } from '../runtime/ids.js'
import { formKey } from '../test/support/extract-population.js'
import { extract } from '../test/support/extracts.js'
import { formAsked } from '../test/support/factories.js'
import { ended } from '../test/support/faults.js'
import type { Page } from '../test/support/frame.js'
import type { Stack } from '../test/support/stack.js'
import { startTransfer } from '../test/support/transfers.js'
import { drawGrowth, type Figures } from './growth-report.js'
import { growingWorld, peopleBeside, type World, wardOf } from './growth-world.js'
import { line, median, numberAsked, thousands } from './measure.js'
import { benchProvider } from './provider.js'
import { timeSearches } from './subject-search.js'
import { measureUpserts } from './subject-upsert.js'
import { sweep } from './sweep.js'

/** Number of rows in the data set and in the extract. */
const rows = 1_000

/**
 * Fills one installation and measures it at ten thousand subjects, a hundred thousand and so on. The data stay in
 * `.data/growth`, and the next run continues there. The short form starts with a thousand subjects and keeps nothing.
 */
export async function benchGrowth(stack: Stack, short: boolean): Promise<void> {
  const sizes: number[] = []
  for (let size = short ? 1_000 : 10_000; size <= maxSubjects(short); size *= 10) sizes.push(size)
  const db = connect(stack.databaseUrl, { poolSize: 3, silenceTimeoutMs: 600_000 })
  const all: Figures[] = []
  try {
    await db.raw(
      'CREATE TABLE IF NOT EXISTS bench_figures (subjects INT UNSIGNED PRIMARY KEY, figures LONGTEXT NOT NULL)',
    )
    for (const size of sizes) {
      const kept = await db('bench_figures').where({ subjects: size }).first('figures')
      if (kept && !(measuresAgain && size === sizes.at(-1))) {
        all.push(JSON.parse(kept.figures))
        continue
      }
      console.log(`${thousands(size)} subjects, and what is beside them…`)
      await (await growingWorld(stack, db)).fill(size)
      // Opened again for fresh tokens, because a fill may take longer than a token is valid.
      const world = await growingWorld(stack, db)
      const before = loadavg()[0] ?? 0
      const ms = await measure(world, { stack, db, size, calls: short ? 20 : 200 })
      const load = (before + (loadavg()[0] ?? 0)) / 2
      const figures = { subjects: size, at: new Date().toISOString(), load, ms, bytes: await bytesPerRow(db) }
      // Stored because a later run can no longer measure this size: the data have grown.
      await db('bench_figures')
        .insert({ subjects: size, figures: JSON.stringify(figures) })
        .onConflict('subjects')
        .merge()
      all.push(figures)
    }
  } finally {
    await db.destroy()
  }
  const [first] = all
  const last = all.at(-1)
  if (!first || !last) return
  line('', thousands(last.subjects), thousands(first.subjects), '', '')
  for (const [name, value] of Object.entries(last.ms)) {
    const small = first.ms[name] ?? Number.NaN
    line(`  ${name}`, `${value.toFixed(1)} ms`, `${small.toFixed(1)} ms`, (value / small).toFixed(2), '')
  }
  for (const [name, value] of Object.entries(last.bytes)) line(`  disk: ${name}`, `${thousands(value)} B`, '', '', '')
  await drawGrowth(all, short)
}

/** `--again` measures the largest size once more, on data that have rested since the fill. */
const measuresAgain = process.argv.includes('--again')

/** Reads `--to=10000000`, the largest size, which takes hours. */
const maxSubjects = (short: boolean): number => numberAsked('to') ?? (short ? 10_000 : 1_000_000)

interface Measuring {
  stack: Stack
  db: Knex
  size: number
  calls: number
}

/** Measures every operation at the current size. @returns the median of each operation, in ms. */
async function measure(world: World, of: Measuring): Promise<Record<string, number>> {
  const { stack, db, size, calls } = of
  const ids: string[] = await db('subjects').where({ tenant_id: world.tenantId }).limit(calls).pluck('id')
  const people = peopleBeside(size)
  const ward = (n: number) => wardOf((n * 7_919) % people)
  const get = async (path: string) => {
    let { status, body } = await world.get(path)
    // The first total count of a long list may take longer than the API waits, while its index is not in memory yet.
    for (let again = 0; status === 503 && again < 3; again++) {
      console.log(`  503, asked again: ${path}`)
      ;({ status, body } = await world.get(path))
    }
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body).slice(0, 500)}`)
    return body
  }
  const page = async (query: string) => {
    const found = (await get(`/api/v2/subject?First=20&${query}`)) as Page<unknown>
    if (found.Edges.length !== 20) throw new Error(`${query}: ${found.Edges.length} subjects`)
  }
  const upserts = await measureUpserts(stack.databaseUrl, world, calls, Date.now() % 4_000_000_000)
  const searches = await timeSearches(db, world, calls)
  const region = 'unit-1'
  const provider = await benchProvider(stack, rows)
  try {
    return {
      'a subject by its id': await medianOf(calls, n => get(`/api/v2/subject/${ids[n % ids.length]}`)),
      'a page of a ward, with its total': await medianOf(calls, n => page(`StructuralEntityKeys=${ward(n)}`)),
      'a page of a region, with its total': await medianOf(Math.ceil(calls / 4), () =>
        page(`IncludeDescendants=true&StructuralEntityKeys=${region}`),
      ),
      'a page of everybody, with its total': await medianOf(Math.ceil(calls / 4), () => page('')),
      'a search with a typo': median(searches.times),
      'a new subject': upserts.single,
      'a bulk of 20': upserts.bulk,
      'a transfer of a ward': await medianOf(5, n => transfer(world, ward(n))),
      'a refresh of 1,000 rows': await medianOf(5, () => refresh(provider)),
      'an extract of 1,000 forms': await medianOf(5, () => read(world)),
      'a sweep of all jobs': await medianOf(20, () => sweep(db)),
    }
  } finally {
    await provider.stop()
  }
}

async function medianOf(calls: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = -Math.ceil(calls / 10); n < calls; n++) {
    const started = performance.now()
    await work(Math.abs(n))
    if (n >= 0) times.push(performance.now() - started)
  }
  return median(times)
}

async function transfer(world: World, source: string): Promise<void> {
  const target = `target-${newId()}`
  const entity = { Key: target, DisplayName: target, StructureTypeKey: 'place' }
  const { status, body } = await world.put('/api/v1/structuralEntity', entity)
  if (status >= 300) throw new Error(JSON.stringify(body))
  const job = await ended(world, (await startTransfer(world, source, target, 'Copy')).jobId)
  if (job.status !== 'Completed') throw new Error(JSON.stringify(job))
}

async function refresh({ tenant }: Awaited<ReturnType<typeof benchProvider>>): Promise<void> {
  const { status, body } = await tenant.post<{ rows: number }>('/api/v1/dataSet/vaccinations/refresh')
  if (status !== 200 || body.rows !== rows) throw new Error(`${status}: ${JSON.stringify(body)}`)
}

async function read(world: World): Promise<void> {
  const { status, body } = await extract(world, { definitions: [formAsked(formKey)], maxResults: rows })
  if (status !== 200 || !body.results[0]?.results.length) throw new Error(`${status}: ${JSON.stringify(body)}`)
}

const words = 'the words of a subject'

/**
 * The tables of each kind of row. The first has one row for each. For words, it only provides the number of subjects
 * and its own bytes are left out.
 */
const tablesOf: Record<string, readonly string[]> = {
  'a subject, with all its indexes': [
    ...['subjects', 'subject_values', 'subject_matching_keys', 'subject_locations'],
    ...['subjects_by_word', 'words_by_subject', 'subject_word_typos'],
  ],
  [words]: ['subjects', 'subjects_by_word', 'words_by_subject', 'subject_word_typos'],
  'an entity': ['structural_entities'],
  'a job': ['jobs'],
  'a submission': ['form_instances', 'form_instance_versions', 'form_values', 'form_reports'],
}

/** Returns the bytes per row of each kind, including indexes, by the statistics of the database. */
async function bytesPerRow(db: Knex): Promise<Record<string, number>> {
  const [tables]: { name: string; bytes: string }[][] = await db.raw(
    `SELECT TABLE_NAME AS name, DATA_LENGTH + INDEX_LENGTH AS bytes FROM information_schema.TABLES
     WHERE TABLE_SCHEMA = DATABASE()`,
  )
  const bytes = new Map(tables?.map(table => [table.name, Number(table.bytes)]))
  const figures: Record<string, number> = {}
  for (const [name, [first = '', ...others]] of Object.entries(tablesOf)) {
    const [counted] = await db(first).count({ n: '*' })
    const summed = name === words ? others : [first, ...others]
    figures[name] = summed.reduce((sum, table) => sum + (bytes.get(table) ?? 0), 0) / Number(counted?.n)
  }
  return figures
}
