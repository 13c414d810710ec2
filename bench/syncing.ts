// Measures lists of a region and in the order of a field, and the feed of changes.
import type { Knex } from 'knex'
import { connect } from '../db/connect.js'
import { noteChanges } from '../db/frame/subjects/subject-changes.js'
import { newId } from '../runtime/ids.js'
import { anEntity } from '../test/support/factories.js'
import { list, type Page } from '../test/support/frame.js'
import type { Stack } from '../test/support/stack.js'
import { until } from '../test/support/until.js'
import { line, median, percentile, thousands } from './measure.js'
import { type SeededTenant, seededTenant } from './people.js'

const subjectsPath = '/api/v2/subject'
const wards = 300

/** The reads of clients that follow the hierarchy and keep copies. */
export async function benchSyncing(stack: Stack, short: boolean): Promise<void> {
  const size = short ? 10_000 : 1_000_000
  const db = connect(stack.databaseUrl, { poolSize: 4 })
  const ms = (value: number) => `${value.toFixed(1)} ms`
  try {
    console.log(`Writing ${thousands(size)} subjects in ${wards} wards…`)
    const tenant = await seededTenant(stack.baseUrl, db, size, () => undefined, wards)
    const below = tenant.entityKeys.map(key => anEntity(key, { ParentKey: 'region' }))
    await tenant.put('/api/v1/structuralEntity/bulk', [anEntity('region'), ...below])

    const calls = short ? 50 : 500
    const region = { IncludeDescendants: 'true', StructuralEntityKeys: 'region' }
    const ward = { StructuralEntityKeys: tenant.entityKeys[7] ?? '' }
    const [whole = [], one = []] = await through(tenant, [region, ward], calls)
    const p95 = (times: number[]) => percentile(times, 95)
    const ratio = (p95(whole) / p95(one)).toFixed(2)
    line(`  page of ${wards} wards, beside one, p95`, ms(p95(whole)), ms(p95(one)), ratio, '≤ 1.5')

    const begun = performance.now()
    await until('the order', async () => (await tenant.get(ordered({ First: '1' }))).status === 200)
    line('  order by a field, made once', ms(performance.now() - begun), '', '', '')
    const name = { OrderBy: 'familyName' }
    const [byName = [], byId = [], inWard = []] = await through(tenant, [name, {}, { ...name, ...ward }], calls)
    const slower = (p95(byName) / p95(byId)).toFixed(2)
    line('  page by a field, beside one by id, p95', ms(p95(byName)), ms(p95(byId)), slower, '')
    line('  of one ward by a field, p50', ms(median(inWard)), ms(median(one)), '', '')

    await measureFeed(db, tenant, short ? 5_000 : 200_000)
  } finally {
    await db.destroy()
  }
}

const ordered = (query: Record<string, string>) => list(subjectsPath, { OrderBy: 'familyName', ...query })

/**
 * Reads lists page by page, from their begin again after their end. The lists take turns, so that a busy machine slows all of
 * them down.
 * @returns ms of each page, by list.
 */
async function through(tenant: SeededTenant, lists: Record<string, string>[], calls: number): Promise<number[][]> {
  const read = lists.map(query => ({ query, times: [] as number[], after: {} as Record<string, string> }))
  for (let call = -10; call < calls; call++) {
    for (const each of read) {
      const path = list(subjectsPath, { First: '20', ...each.query, ...each.after })
      const begun = performance.now()
      const { status, body } = await tenant.get<Page<unknown>>(path)
      if (call >= 0) each.times.push(performance.now() - begun)
      if (status !== 200) throw new Error(JSON.stringify(body))
      each.after = body.PageInfo.HasNextPage ? { After: body.PageInfo.EndCursor } : {}
    }
  }
  return read.map(({ times }) => times)
}

/** Changes a second that one client reads, new ones and those that have positions, beside bare pages of their rows. */
async function measureFeed(db: Knex, tenant: SeededTenant, count: number): Promise<void> {
  const path = (query: Record<string, string>) => list(`${subjectsPath}/changes`, { First: '1000', ...query })
  const start = (await tenant.get<Page<unknown>>(path({ FromNow: 'true' }))).body.PageInfo.EndCursor
  const changes = Array.from({ length: count }, () => ({ id: newId(), kind: 'updated' as const }))
  await db.transaction(trx => noteChanges(trx, tenant.tenantId, changes))
  const readAll = async () => {
    const begun = performance.now()
    let read = 0
    for (let after = start, more = true; more; ) {
      const { body } = await tenant.get<Page<unknown>>(path({ After: after }))
      read += body.Edges.length
      ;[after, more] = [body.PageInfo.EndCursor, body.PageInfo.HasNextPage]
    }
    if (read !== count) throw new Error(`${read} changes of ${count} were read`)
    return (count * 1000) / (performance.now() - begun)
  }
  const [first, again] = [await readAll(), await readAll()]
  const begun = performance.now()
  const last = (await db('subject_feeds').where({ tenant_id: tenant.tenantId }).first('position')).position
  for (let after = last - count; after < last; after += 1000) {
    await db('subject_changes')
      .where({ tenant_id: tenant.tenantId })
      .where('position', '>', after)
      .orderBy('position')
      .limit(1000)
      .select('position', 'subject_id', 'kind', 'changed_at')
  }
  const floor = (count * 1000) / (performance.now() - begun)
  line('  changes read a second, new ones', thousands(first), thousands(floor), (first / floor).toFixed(2), '≥ 20,000')
  line('  changes read a second, again', thousands(again), thousands(floor), (again / floor).toFixed(2), '')
}
