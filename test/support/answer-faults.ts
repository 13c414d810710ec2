// Refreshes a data set from a provider whose answers go wrong at random, and compares its rows with the provider's own.
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Problem, Tenant } from './api.js'
import { points, type Question, refreshPath, type Says, scriptedGlue } from './data-sets.js'
import { type Point, point } from './factories.js'
import { ended } from './faults.js'
import type { Random } from './random.js'

/** What goes wrong with one page of a refresh. */
const faults = [
  ...['none', 'none', 'truncated', 'html', 'empty', 'error', 'null list', 'status', 'few rows', 'cut page', 'cut off'],
  ...['repeated row', 'conflicting row', 'row added', 'row removed'],
] as const
type Fault = (typeof faults)[number]

/** Faults of the answer itself, which must never be taken for rows. */
const unreadable: readonly Fault[] = [
  'truncated',
  'html',
  'empty',
  'error',
  'null list',
  'status',
  'few rows',
  'cut page',
]

const pageSize = 10
const people = ['ada', 'bob', 'cyd']
export const faultySubjects = people

/** The problems that may say why a refresh has failed. */
const named = [
  'provider-failed',
  'provider-answer',
  'provider-answer-no-rows',
  'duplicate-row',
  'pages-drifted',
].concat('too-many-vanished')

/** Makes glue whose data set `register` is the table with this number. */
export function faultyGlue(url: string, table: number) {
  const glue = scriptedGlue(url, { pageSize, mostVanished: 50, extracts: { register: { table } } })
  const total = { total: 'steps.ask.body.total' }
  const endpoints = glue.endpoints.map(({ steps, ...endpoint }) => ({
    ...endpoint,
    steps: steps.map(step => ('respond' in step ? { ...step, respond: { ...step.respond, ...total } } : step)),
  }))
  return { ...glue, endpoints }
}

/** A provider's table, paged by offset, so that its pages shift when a row comes or goes. */
export function faultyTable(random: Random) {
  let made = 0
  const added = (): Point => {
    const id = `r${String(++made).padStart(5, '0')}`
    return point(random.between(0, 2) ? id : `${id}-x`, people[random.between(0, people.length)] ?? 'ada', `v${made}`)
  }
  const rows: Point[] = Array.from({ length: 60 }, added)
  let fault: { kind: Fault; page: number } = { kind: 'none', page: 0 }
  const remove = (below: number) => rows.splice(random.between(0, below), 1)

  /** Adds, removes and changes some rows. */
  function change(): void {
    for (let n = random.between(0, 6); n > 0; n--) {
      const at = random.between(0, rows.length)
      if (rows.length > 70 || (rows.length > 50 && random.between(0, 3) === 0)) remove(rows.length)
      else if (random.between(0, 2)) rows.splice(at, 0, added())
      else rows[at] = { ...(rows[at] ?? added()), DataPointItems: added().DataPointItems }
    }
  }

  function answer({ cursor }: Question): Says {
    const from = Number(cursor ?? 0)
    const kind = from / pageSize === fault.page ? fault.kind : 'none'
    if (kind === 'row added') rows.splice(0, 0, added())
    if (kind === 'row removed') remove(Math.max(from, 1))
    const dataPoints = rows.slice(from, from + pageSize)
    const next = from + pageSize < rows.length ? { next: String(from + pageSize) } : {}
    const page = { dataPoints, total: rows.length, ...next }
    const text = JSON.stringify(page)
    const [first] = dataPoints
    switch (kind) {
      case 'truncated':
        return text.slice(0, random.between(1, text.length))
      case 'html':
        return '<html>Down for maintenance</html>'
      case 'empty':
        return { status: 200, body: '' }
      case 'error':
        return [{ error: 'database away' }, {}, [] as object, { items: dataPoints }][random.between(0, 4)] ?? {}
      case 'null list':
        return { ...page, dataPoints: null }
      case 'status':
        return { status: 404 }
      case 'few rows':
        return { dataPoints: dataPoints.slice(0, 3), total: 3 }
      case 'cut page':
        return { ...page, dataPoints: dataPoints.slice(0, random.between(0, dataPoints.length)) }
      case 'cut off':
        return { dataPoints, total: rows.length }
      case 'repeated row':
        return first ? { ...page, dataPoints: [...dataPoints, first] } : page
      case 'conflicting row':
        return first ? { ...page, dataPoints: [...dataPoints, { ...first, DataPointItems: [] }] } : page
      default:
        return page
    }
  }

  return {
    answer,
    change,
    rows: (): Point[] => [...rows],
    /** Lets one page of the next refresh go wrong. */
    goWrong(): Fault {
      const kind = faults[random.between(0, faults.length)] ?? 'none'
      fault = { kind, page: kind === 'few rows' ? 0 : random.between(0, Math.ceil(rows.length / pageSize)) }
      return kind
    },
    goRight(): void {
      fault = { kind: 'none', page: 0 }
    },
  }
}

const byId = (all: readonly Point[]) => new Map(all.map(row => [row.Id, row]))

/**
 * Refreshes the data set `times` times. Asserts after each refresh that the rows are those of the provider, or that the refresh has named a
 * fault and the rows are unchanged. Rows that came or went during a refresh may be there or not.
 * @returns counts of each combination of fault and outcome.
 */
export async function refreshWithFaults(
  tenant: Tenant,
  table: ReturnType<typeof faultyTable>,
  random: Random,
  times: number,
): Promise<Record<string, number>> {
  const tally: Record<string, number> = {}
  let shown = await points(tenant)
  /** Compares what is shown after a refresh that succeeded with the rows before and after it. */
  const compare = (found: Point[], before: Point[], kind: string) => {
    const [then, now, held] = [byId(before), byId(table.rows()), byId(found)]
    expect(held.size, kind).toBe(found.length)
    for (const row of found)
      expect(
        [then.get(row.Id), now.get(row.Id)].some(own => isDeepStrictEqual(own, row)),
        `${kind}: ${row.Id}`,
      ).toBe(true)
    for (const [id, row] of then)
      if (isDeepStrictEqual(row, now.get(id))) expect(held.get(id), `${kind}: ${id}`).toEqual(row)
  }
  for (let n = 0; n < times; n++) {
    table.change()
    const kind = table.goWrong()
    const before = table.rows()
    const { status, body, headers } = await tenant.post<Problem>(refreshPath())
    const found = await points(tenant)
    const outcome = status === 200 ? 'shown' : body.type.replace('/problems/', '')
    tally[`${kind}: ${outcome}`] = (tally[`${kind}: ${outcome}`] ?? 0) + 1
    if (status === 200) {
      expect(unreadable, `${kind} was taken for rows`).not.toContain(kind)
      compare(found, before, kind)
      shown = found
      continue
    }
    expect(named, JSON.stringify(body)).toContain(outcome)
    expect(found, `${kind}: ${outcome}`).toEqual(shown)
    if (random.between(0, 4) > 0) continue
    // The provider is well again, so a retry of the failed job shows its rows.
    table.goRight()
    const now = table.rows()
    const jobId = headers.get('location')?.split('/').at(-1) ?? ''
    expect((await tenant.post(`/api/v1/jobs/${jobId}/retry`)).status).toBe(202)
    const job = await ended(tenant, jobId)
    shown = await points(tenant)
    // A page that was fetched before the fault may no longer match the others. The retry then names that fault.
    if (job.status === 'Completed') compare(shown, now, `retry after ${kind}`)
    else expect(job.problem).toMatchObject({ type: expect.stringMatching(/pages-drifted|duplicate-row/) })
    tally[`retry: ${job.status}`] = (tally[`retry: ${job.status}`] ?? 0) + 1
  }
  return tally
}
