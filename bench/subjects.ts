// Runs the benchmarks of subjects.
import { SingleBar } from 'cli-progress'
import { connect } from '../db/connect.js'
import { seededTenant } from '../test/support/seeded-tenant.js'
import type { Stack } from '../test/support/stack.js'
import { line, thousands } from './measure.js'
import { measureList } from './subject-list.js'
import { measureSearch } from './subject-search.js'
import { measureUpserts } from './subject-upsert.js'
import { measureTransfer } from './transfer.js'

/** Measures subjects in a tenant of realistic size and in one of 10,000 subjects. */
export async function benchSubjects(stack: Stack, short: boolean): Promise<void> {
  const size = short ? 10_000 : 1_000_000
  const db = connect(stack.databaseUrl, { poolSize: 4 })
  const ms = (value: number) => `${value.toFixed(1)} ms`
  try {
    console.log(`Writing 10,000 and ${thousands(size)} subjects…`)
    const bar = new SingleBar({
      format: '{bar} {percentage}%  {value}/{total}  {eta_formatted} left',
      noTTYOutput: true,
      notTTYSchedule: 15_000,
    })
    bar.start(size + 10_000, 0)
    const small = await seededTenant(stack.baseUrl, db, 10_000, done => bar.update(done))
    const large = await seededTenant(stack.baseUrl, db, size, done => bar.update(10_000 + done))
    bar.stop()

    const calls = short ? 100 : 2_000
    console.log(`A page of 20 of those in two entities, with the total count (${calls} calls, 8 at a time)…`)
    const list = await measureList(stack.databaseUrl, large, small, calls)
    const perSecond = (value: number) => `${thousands(value)}/s`
    line('  requests', perSecond(list.ours), perSecond(list.floor), (list.ours / list.floor).toFixed(2), '≥ 0.60')
    line('  p99, beside 10,000 subjects', ms(list.p99), ms(list.p99Small), (list.p99 / list.p99Small).toFixed(2), '≤ 2')
    const deeper = (list.deepPage / list.firstPage).toFixed(2)
    line(
      `  page ${thousands(list.deep)} of all, beside the first`,
      ms(list.deepPage),
      ms(list.firstPage),
      deeper,
      '≤ 1: no slower',
    )

    console.log('A search with a typo…')
    const search = await measureSearch(stack.databaseUrl, large, short ? 50 : 400)
    line('  p50, beside a scan', ms(search.p50), ms(search.scan), (search.scan / search.p50).toFixed(0), 'times faster')
    line('  p95', ms(search.p95), '', '', '< 150 ms')

    console.log('A new subject…')
    const upsert = await measureUpserts(stack.databaseUrl, large, short ? 50 : 300)
    line('  alone, p50', ms(upsert.single), ms(upsert.floor), (upsert.single / upsert.floor).toFixed(2), '≤ 2.5')
    const perSubject = upsert.bulk / 20
    line(
      '  in a bulk of 20, each',
      ms(perSubject),
      ms(upsert.single),
      (upsert.single / perSubject).toFixed(2),
      '≥ 5 times faster',
    )

    const moved = short ? 30_000 : 1_000_000
    const transferRounds = short ? 1 : 3
    console.log(`Transfer of ${thousands(moved)} assignments (${transferRounds} rounds)…`)
    const transfer = await measureTransfer(stack, moved, transferRounds)
    const { copy, move, insertFloor, moveFloor } = transfer
    line('  copied', perSecond(copy), perSecond(insertFloor), (copy / insertFloor).toFixed(2), '≥ 0.70')
    line('  moved, beside INSERT and DELETE', perSecond(move), perSecond(moveFloor), (move / moveFloor).toFixed(2), '')
    line('  accepted after', ms(transfer.accepted), '', '', 'at once')
  } finally {
    await db.destroy()
  }
}
