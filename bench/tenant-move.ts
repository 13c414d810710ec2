// Measures the move of a tenant from one cell to another, while its callers read and write.
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { SingleBar } from 'cli-progress'
import type { Knex } from 'knex'
import { moveOf } from '../db/cells/moves.js'
import { columnsOf, largestFirst, type TenantTable, tenantTables } from '../db/cells/tenant-tables.js'
import { connect } from '../db/connect.js'
import { sqlBytes, sqlId } from '../db/frame/search/id-bytes.js'
import { migrate } from '../db/migrate.js'
import { admin, type Reply } from '../test/support/api.js'
import { startCells, type TwoCells } from '../test/support/cells.js'
import { anEntity } from '../test/support/factories.js'
import { person } from '../test/support/people.js'
import { bulkPath } from '../test/support/subjects.js'
import { until } from '../test/support/until.js'
import { publishedForm, submitCopies } from './extracts-population.js'
import { line, memory, numberAsked, processorTimeOfAll, scratchUrl, thousands } from './measure.js'
import { perEntity, type SeededTenant, seededTenant } from './people.js'
import { keepJobs } from './sweep.js'

/** Tables that the floor fills at the same time, as a move does. */
const tablesAtOnce = 3
const mostHours = 3
/** Subjects that the product's own store writes; further ones are copies of their rows. */
const mostWritten = 40_000

/** A tenant with subjects, forms and jobs moves between two cells of its own; the floor copies the same tables by `INSERT … SELECT`. */
export async function benchTenantMove(_: unknown, short: boolean): Promise<void> {
  const subjects = subjectsOf(short)
  console.log(`A tenant with ${thousands(subjects)} subjects moves to another cell, while its callers go on…`)
  const cells = await startCells({}, { routers: 1 })
  try {
    const tenant = await filled(cells, subjects)
    const tables = await tenantTables(cells.a.db)
    const rows = await countOf(cells.a.db, tenant, tables)
    const { seconds, callers, processor, workerMb } = await moved(cells, tenant, short ? 2_000 : 20_000)
    const floor = await floorOf(cells, tenant, tables)
    const total = seconds.copy + seconds.compare + seconds.switch
    const perSecond = (of: number) => `${thousands(rows / of)} rows/s`
    const perRow = (of: number) => `${((of * 1_000) / rows).toFixed(1)} µs`
    console.log(`  ${thousands(rows)} rows; load ${load()}; the most memory of the worker ${workerMb.toFixed(0)} MB`)
    line(
      '  the whole move',
      `${total.toFixed(1)} s`,
      '',
      '',
      `≤ ${(subjects * 600) / 1_000_000} s on a machine of its own`,
    )
    line(
      '  triggers and copy',
      perSecond(seconds.copy),
      perSecond(floor.seconds),
      (floor.seconds / seconds.copy).toFixed(2),
      '',
    )
    line('  compare', perSecond(seconds.compare), '', '', '')
    line(
      '  processor a row: database, worker',
      perRow(processor.database + processor.worker),
      perRow(floor.processorMs),
      ((processor.database + processor.worker) / floor.processorMs).toFixed(2),
      `${perRow(processor.database)} and ${perRow(processor.worker)}`,
    )
    line('  writes refused for', `${(callers.refusedMs / 1_000).toFixed(2)} s`, '', '', '< 5 s')
    line('  calls meanwhile', thousands(callers.calls), '', '', `${callers.refused} repeated`)
  } finally {
    await cells.stop()
  }
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(1)

/** `--subjects=100000`. */
const subjectsOf = (short: boolean): number => numberAsked('subjects') ?? (short ? 1_000 : 1_000_000)

async function filled(cells: TwoCells, subjects: number): Promise<SeededTenant> {
  const { databaseUrl } = cells.a
  const db = connect(databaseUrl, { poolSize: 4, silenceMs: 600_000 })
  const bar = new SingleBar({
    format: '{bar} {percentage}%  {value}/{total}  {eta_formatted} left',
    noTTYOutput: true,
    notTTYSchedule: 15_000,
  })
  // Half of them until few are left: those are written, and then doubled as often.
  let [written, doublings] = [subjects, 0]
  for (; written > mostWritten; doublings++) written /= 2
  try {
    bar.start(written, 0)
    const entities = Math.ceil(subjects / perEntity)
    const tenant = await seededTenant(cells.routerUrl, db, written, done => bar.update(done), entities)
    bar.stop()
    const { tenantId } = tenant
    for (let n = 0; n < doublings; n++) await double(db, tenantId, n)
    const forms = await publishedForm({ baseUrl: cells.routerUrl }, tenant)
    await submitCopies(databaseUrl, { tenantId, forms, submissions: Math.ceil(subjects / 20) })
    await keepJobs(db, tenantId, { to: Math.ceil(subjects / 10) })
    return tenant
  } finally {
    await db.destroy()
  }
}

/** By table: how a row of a second subject differs from that of the first. Words and remnants of both are the same. */
const doubled: Record<string, Record<string, (column: string, n: number) => string>> = {
  subjects: { id: otherId, external_id: otherId },
  subject_locations: { subject_id: otherId },
  subject_values: { subject_id: otherId },
  subjects_by_word: { subject_id: otherBytes },
  words_by_subject: { subject_id: otherBytes },
  subject_changes: { subject_id: otherId, position: column => `${column} + @last` },
}

/** SQL of an id that differs in one of its random digits, another one each time. */
function otherId(column: string, n: number): string {
  const digit = `CONVERT(LOWER(CONV(CONV(SUBSTR(${column}, ${36 - n}, 1), 16, 10) ^ 8, 10, 16)) USING ascii)`
  return `CONCAT(LEFT(${column}, ${35 - n}), ${digit}, RIGHT(${column}, ${n}))`
}

/** The same for an id that is kept as bytes. */
function otherBytes(column: string, n: number): string {
  return sqlBytes(otherId(sqlId(column), n))
}

/** Makes a second subject of each one, with its rows. @param n how often it was done before. */
async function double(db: Knex, tenantId: number, n: number): Promise<void> {
  const { position } = await db('subject_feeds').where({ tenant_id: tenantId }).first('position')
  const tables = (await tenantTables(db)).filter(({ name }) => name in doubled)
  await Promise.all(
    tables.map(table => {
      const columns = columnsOf(table)
      const values = columns.map(column => doubled[table.name]?.[column]?.(column, n) ?? column)
      const rows = `SELECT ${values.join(', ')} FROM ${table.name} WHERE tenant_id = ${tenantId}`
      return db.raw(`INSERT INTO ${table.name} (${columns.join(', ')}) ${rows.replaceAll('@last', String(position))}`)
    }),
  )
  await db('subject_feeds')
    .where({ tenant_id: tenantId })
    .update({ position: position * 2 })
}

async function countOf(db: Knex, { tenantId }: SeededTenant, tables: readonly TenantTable[]): Promise<number> {
  let rows = 0
  for (const { name } of tables) {
    const [{ count } = { count: 0 }] = await db(name).where({ tenant_id: tenantId }).count({ count: '*' })
    rows += Number(count)
  }
  return rows
}

/**
 * @param beforeMs how long its callers are measured alone.
 * @returns seconds of its phases, what its callers saw, and the processor time of server and worker in ms. The time that callers
 *   take alone is left out of that.
 */
async function moved(cells: TwoCells, tenant: SeededTenant, beforeMs: number) {
  const { a, b, database } = cells
  const platform = await admin(a.baseUrl)
  const path = `/admin/v1/tenants/${tenant.tenantKey}/move`
  const callers = startCallers(tenant)
  const processor = () => ({
    database: database ? processorTimeOfAll(database.pid) : Number.NaN,
    worker: processorTimeOfAll(a.worker.pid),
  })
  const since = (from: number) => (performance.now() - from) / 1_000
  const [atFirst, alone] = [processor(), performance.now()]
  await sleep(beforeMs)
  const [before, began] = [processor(), performance.now()]
  const usual = (of: Process, seconds: number) => ((before[of] - atFirst[of]) * seconds) / ((began - alone) / 1_000)
  const { status, body } = await platform.post(path, { cell: 'b', waitSeconds: 0 })
  if (status !== 202) throw new Error(JSON.stringify(body))
  const timeoutMs = mostHours * 3_600_000
  const isOver = async () => {
    const { body } = await platform.get<{ state: string; run: { status: string; reason: string | null } }>(path)
    if (body.run.status === 'running') return false
    if (body.state !== 'moved') throw new Error(JSON.stringify(body))
    return true
  }
  const isIn = async (phase: string) => {
    const there = await moveOf(b.db, tenant.tenantKey)
    const of = { tenant_id: there?.tenant ?? 0, phase }
    return (await b.db('tenant_move_tables').where(of).first('step')) !== undefined || isOver()
  }
  const isFreezing = async () => (await moveOf(a.db, tenant.tenantKey))?.state !== 'copying' || isOver()
  await until('rows are compared', () => isIn('compare'), timeoutMs)
  const copy = since(began)
  await until('the tenant is frozen', isFreezing, timeoutMs)
  const compare = since(began) - copy
  console.log(`  Copied in ${copy.toFixed(1)} s, compared in ${compare.toFixed(1)} s; load ${load()}`)
  await until('the move is over', isOver, timeoutMs)
  const seconds = { copy, compare, switch: since(began) - copy - compare }
  const after = processor()
  const workerMb = memory(a.worker.pid, 'VmHWM')
  await sleep(1_000)
  const time = (of: Process) => after[of] - before[of] - usual(of, copy + compare + seconds.switch)
  const processorMs = { database: time('database'), worker: time('worker') }
  return { seconds, callers: await callers.stop(), processor: processorMs, workerMb }
}

type Process = 'database' | 'worker'

/** Callers of the tenant, who repeat what is refused. */
function startCallers(tenant: SeededTenant) {
  const counts = { calls: 0, refused: 0, refusedMs: 0 }
  let isOver = false

  async function repeatedly(pauseMs: number, call: (n: number) => Promise<Reply>, isWrite: boolean): Promise<void> {
    let refusedSince: number | undefined
    for (let n = 0; !isOver || refusedSince !== undefined; ) {
      const { status, headers, body } = await call(n)
      const isRefused = status === 503 && headers.has('retry-after')
      if (status >= 300 && !isRefused) throw new Error(`${status} ${JSON.stringify(body)}`)
      if (isRefused) {
        counts.refused++
        refusedSince ??= performance.now()
      } else {
        counts.calls++
        n++
        if (isWrite && refusedSince !== undefined)
          counts.refusedMs = Math.max(counts.refusedMs, performance.now() - refusedSince)
        refusedSince = undefined
      }
      await sleep(isRefused ? 20 : pauseMs)
    }
  }
  const places = (n: number) =>
    tenant.put('/api/v1/structuralEntity', anEntity(`moved-${n % 1_000}`, { DisplayName: `Version ${n}` }))
  const arrivals = (n: number) => tenant.post(bulkPath, [person(`moved-${n}`)])
  const lists = () => tenant.get('/api/v2/subject?First=20&StructuralEntityKeys=unit-0')
  const types = () => tenant.get('/api/v1/structureType/unit')
  const all = Promise.all([
    repeatedly(100, places, true),
    repeatedly(500, arrivals, true),
    repeatedly(200, lists, false),
    repeatedly(100, types, false),
  ])
  all.catch(() => undefined)
  return {
    async stop() {
      isOver = true
      await all
      return counts
    },
  }
}

/** The bare work: the same rows into the same tables of another database of the server, by one statement for each table. */
async function floorOf({ a, database }: TwoCells, { tenantId }: SeededTenant, tables: readonly TenantTable[]) {
  const url = scratchUrl(a.databaseUrl, 'move')
  const source = new URL(a.databaseUrl).pathname.slice(1)
  const db = connect(url, { poolSize: tablesAtOnce, silenceMs: mostHours * 3_600_000 })
  const schema = new URL(url).pathname.slice(1)
  await a.db.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [schema])
  try {
    await migrate(url)
    const left = largestFirst(tables)
    const before = database ? processorTimeOfAll(database.pid) : Number.NaN
    const began = performance.now()
    const fill = async () => {
      for (let table = left.shift(); table; table = left.shift()) {
        const columns = columnsOf(table)
          .map(name => `\`${name}\``)
          .join(', ')
        const rows = `SELECT ${columns} FROM \`${source}\`.${table.name} WHERE tenant_id = ?`
        await db.raw(`INSERT INTO ${table.name} (${columns}) ${rows}`, [tenantId])
      }
    }
    await Promise.all(Array.from({ length: tablesAtOnce }, fill))
    const seconds = (performance.now() - began) / 1_000
    return { seconds, processorMs: database ? processorTimeOfAll(database.pid) - before : Number.NaN }
  } finally {
    await db.destroy()
    await a.db.raw('DROP DATABASE ??', [schema])
  }
}
