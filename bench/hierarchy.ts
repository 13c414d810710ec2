// Runs the benchmarks of the hierarchy.
import type { Stack } from '../test/support/stack.js'
import { measureBulk } from './bulk.js'
import { measureCrowd, measureInteractive } from './interactive.js'
import { line, thousands } from './measure.js'
import { measureTokenValidation } from './token-validation.js'

/** Measures bulk upserts of structural entities, and the token validation that every call pays for. */
export async function benchHierarchy(stack: Stack, short: boolean): Promise<void> {
  const calls = short ? 10 : 300
  /** Number of entities in a request, and number of rounds. */
  const sizes: [items: number, rounds: number][] = short
    ? [[10_000, 1]]
    : [
        [10_000, 9],
        [20_000, 5],
        [100_000, 3],
      ]

  for (const [items, rounds] of sizes) {
    console.log(`Bulk upsert of ${thousands(items)} entities, five levels, shuffled (${rounds} rounds)…`)
    const bulk = await measureBulk(stack, items, rounds)
    const rows = (perSecond: number) => `${thousands(perSecond)} rows/s`
    line('  into an empty tenant', rows(bulk.first), rows(bulk.floor), bulk.firstToFloor.toFixed(2), '≥ 0.50')
    line('  the same again', rows(bulk.again), rows(bulk.first), bulk.againToFirst.toFixed(2), '≥ 1: no slower')
    if (bulk.againToFirst < 1)
      console.log('  The same again is slower than the first time: docs/scaling.md says what it costs.')
    line('  peak memory of API + worker', `${thousands(bulk.apiMb + bulk.workerMb)} MB`, '', '', '< 700 MB')
    line('', `${thousands(bulk.apiMb)} + ${thousands(bulk.workerMb)}`, '', '', '')
  }

  console.log(`Small bulks (p50 of ${calls} calls, fewer of large ones)…`)
  const ms = (value: number) => `${value.toFixed(1)} ms`
  for (const size of [1, 20, 21, 100, 500, 1_000, 1_001]) {
    const { job, bare } = await measureInteractive(stack, size, Math.ceil(calls / (size > 100 ? 5 : 1)))
    const goal = size === 20 ? '≤ 25 ms' : 'no step over 1.5'
    line(`  of ${thousands(size)}`, ms(job), ms(bare), (job / bare).toFixed(2), goal)
  }
  const { p50, perSecond, open } = await measureCrowd(stack, calls)
  line('  of 20, eight callers at once', ms(p50), '', '', `${perSecond.toFixed(0)} bulks/s`)
  line('  their runs still open at the last answer', String(open), '', '', 'no backlog')

  console.log('Token validation…')
  const token = await measureTokenValidation()
  const micro = (value: number) => `${value.toFixed(1)} µs`
  const ratio = (token.cached / token.floor).toFixed(2)
  line('  of a token seen before', micro(token.cached), micro(token.floor), ratio, '< 20 µs')
  line('  of a new token', micro(token.fresh), '', '', '')
}
