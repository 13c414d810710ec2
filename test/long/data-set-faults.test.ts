// A thousand refreshes from providers whose answers go wrong at random.
import { afterAll, expect, test } from 'vitest'
import { faultyGlue, faultySubjects, faultyTable, refreshWithFaults } from '../support/answer-faults.js'
import { refreshed, scriptedProvider } from '../support/data-sets.js'
import { dataTenant } from '../support/factories.js'
import { patience } from '../support/patience.js'
import { randomOf } from '../support/random.js'

const provider = await scriptedProvider()
afterAll(() => provider.stop())

/** How many data sets are refreshed side by side, and how often each. */
const [sets, times] = [8, 125]

test(
  'in a thousand refreshes no faulty answer changes the visible rows without a named fault',
  async () => {
    const seed = Number(process.env.FAULT_SEED ?? Date.now() % 100_000)
    console.log(`FAULT_SEED=${seed}`)
    const randoms = Array.from({ length: sets }, (_, n) => randomOf(seed + n))
    const tables = randoms.map(faultyTable)
    provider.says(question => tables[Number(Object(question.options).table)]?.answer(question) ?? { status: 404 })
    const tallies = await Promise.all(
      tables.map(async (table, n) => {
        const tenant = await dataTenant(faultyGlue(provider.url, n), faultySubjects)
        await refreshed(tenant)
        return refreshWithFaults(tenant, table, randomOf(seed + sets + n), times)
      }),
    )
    const all: Record<string, number> = {}
    for (const tally of tallies)
      for (const [outcome, count] of Object.entries(tally)) all[outcome] = (all[outcome] ?? 0) + count
    console.log(Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1))))
    const shown = Object.entries(all).flatMap(([outcome, count]) => (outcome.endsWith(': shown') ? [count] : []))
    expect(shown.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(100)
  },
  1_200_000 * patience,
)
