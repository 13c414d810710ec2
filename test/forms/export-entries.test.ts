import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { endedIn, type Interval, startedIn } from '../../db/forms/export-entries.js'
import { type Cell, upsertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'
import { formsTenant } from '../support/forms.js'
import { openDatabase } from '../support/stored-subjects.js'

const db = openDatabase()
let tenant: number
beforeAll(async () => {
  tenant = await tenantIdOf(db, (await formsTenant()).tenantKey)
})
afterAll(() => db.destroy())

/** From a time until a time, in ms after the first instant. */
type Span = readonly [from: number, until: number]

interface Report {
  instance: string
  subject: string
  spans: readonly Span[]
}

const first = Date.parse('2026-11-22T01:30:00.123Z')
const forever = Date.parse('9999-12-31T00:00:00Z') - first
const timeOf = (ms: number): Date => new Date(first + ms)

const formOf = (key: string) => ({ identifier: key, type: 'form' as const, key, version: 1 })

/** Writes what `form_reports` has of a form. */
async function store(key: string, reports: readonly Report[]): Promise<void> {
  const rows = reports.flatMap(({ instance, subject, spans }) =>
    spans.map(([from, until]): Record<string, Cell> => {
      const definition = { tenant_id: tenant, is_block: 0, definition_key: key, definition_version: 1 }
      const times = { submitted_at: timeOf(from), counts_from: timeOf(from), counts_until: timeOf(until) }
      const ids = { instance_id: instance, version_id: newId(), subject_id: subject }
      return { ...definition, ...times, ...ids, submitted_by: 'Ada', correlation_id: null, bytes: 1 }
    }),
  )
  const cells = rows.map(row => Object.values(row))
  await upsertRows(db, 'form_reports', Object.keys(rows[0] ?? {}), cells, [])
}

/** What an increment has of a form, in its order. */
async function incrementOf(key: string, { from, instant }: Interval) {
  const [started, ended]: [string[], string[]] = [[], []]
  for await (const page of startedIn(db, tenant, { from, instant }, formOf(key)))
    started.push(...page.map(({ instanceId }) => instanceId))
  for await (const instance of endedIn(db, tenant, { from, instant }, formOf(key))) ended.push(instance)
  return { started, ended }
}

/** The span of an instance that counts at an instant. */
const countingAt = (spans: readonly Span[], instant: number): Span | undefined =>
  spans.find(([from, until]) => from < instant && instant <= until)

/** All that can become of an instance at some of these times: submitted, amended, withdrawn, reinstated, one after the other. */
function livesOf(times: readonly number[]): Span[][] {
  const chosen = Array.from({ length: 2 ** times.length - 1 }, (_, n) => times.filter((_, bit) => (n + 1) & (1 << bit)))
  return chosen.flatMap(changes => {
    const spans = changes.map((from, n): Span => [from, changes[n + 1] ?? forever])
    const withGaps = spans.filter((_, n) => n % 2 === 0)
    // Withdrawn in the millisecond in which it was submitted or amended.
    const atOnce = [...spans.slice(0, -1), [changes.at(-1) ?? 0, changes.at(-1) ?? 0] as const]
    return [spans, withGaps, spans.slice(0, -1), atOnce].filter(life => life.length > 0)
  })
}

test('what changes in the millisecond of an instant is in the increment after it, and in no other', async () => {
  const instants = [0, 2, 3, 5]
  const lives = livesOf([-1, 0, 1, 2, 3, 4, 5]).map(spans => ({ instance: newId(), subject: newId(), spans }))
  await store('edges', lives)
  for (const [n, instant] of instants.entries()) {
    const from = instants[n - 1]
    if (from === undefined) continue
    const { started, ended } = await incrementOf('edges', { from: timeOf(from), instant: timeOf(instant) })
    const [begun, gone]: [string[], string[]] = [[], []]
    for (const { instance, spans } of lives) {
      const [before, after] = [countingAt(spans, from), countingAt(spans, instant)]
      if (after && after !== before) begun.push(instance)
      if (before && !after) gone.push(instance)
    }
    expect([started.toSorted(), ended.toSorted()]).toEqual([begun.toSorted(), gone.toSorted()])
    expect(Math.min(begun.length, gone.length), 'there was something to compare').toBeGreaterThan(20)
  }
})

test('what changes in an increment is all there and once, over many pages and however much of it in one millisecond', async () => {
  // Pages of 10,000 end in the middle of one millisecond, and with the last row.
  const changedAt = (n: number) => (n < 3_000 ? n % 10 : n < 18_000 ? 10 : 11 + (n % 900))
  const subjects = Array.from({ length: 5_000 }, newId)
  const reports = Array.from({ length: 20_000 }, (_, n) => ({
    // In no order.
    instance: randomUUID(),
    subject: subjects[n % subjects.length] ?? '',
    spans: [[changedAt(n), 1_000 + changedAt(n)]] as const,
  }))
  await store('pages', reports)
  const inOrder = reports.toSorted((a, b) => a.spans[0][0] - b.spans[0][0] || (a.instance < b.instance ? -1 : 1))
  const ids = inOrder.map(({ instance }) => instance)
  const begun = await incrementOf('pages', { from: timeOf(0), instant: timeOf(1_000) })
  const ended = await incrementOf('pages', { from: timeOf(1_000), instant: timeOf(2_000) })
  expect([begun.started.length, ended.ended.length]).toEqual([20_000, 20_000])
  expect(begun).toEqual({ started: ids, ended: [] })
  expect(ended).toEqual({ started: [], ended: ids })
})
