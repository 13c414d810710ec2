// The budget of bytes in memory.
import { expect, test } from 'vitest'
import { BudgetExceeded, createByteBudget } from '../../runtime/load/byte-budget.js'

const budgetOf = (limits: { maxWaiting?: number; waitTimeoutMs?: number } = {}) =>
  createByteBudget({ max: 100, maxWaiting: 2, waitTimeoutMs: 60_000, ...limits })

/** A work that holds its bytes until it is told to end. */
function holding(budget: ReturnType<typeof budgetOf>, bytes: number) {
  const work = { begun: false, settle: (_: number) => {}, end: () => {} }
  const done = budget.run(bytes, settle => {
    Object.assign(work, { begun: true, settle })
    return new Promise<void>(resolve => {
      work.end = resolve
    })
  })
  return Object.assign(work, { done })
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('tasks run together as long as their bytes fit, the others in the order of their calls', async () => {
  const budget = budgetOf()
  const [first, second, large, small] = [60, 40, 80, 10].map(bytes => holding(budget, bytes))
  await turn()
  expect([first, second, large, small].map(work => work?.begun)).toEqual([true, true, false, false])
  first?.end()
  await turn()
  expect(large?.begun, 'beside 40').toBe(false)
  second?.end()
  await turn()
  expect([large?.begun, small?.begun]).toEqual([true, true])
})

test('a task that uses less than it reserved returns the rest, and one that fails returns everything', async () => {
  const budget = budgetOf()
  const first = holding(budget, 90)
  const second = holding(budget, 90)
  await turn()
  expect(second.begun).toBe(false)
  first.settle(5)
  await turn()
  expect(second.begun).toBe(true)
  first.end()
  second.end()
  await Promise.all([first.done, second.done])
  await expect(budget.run(90, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await budget.run(100, async () => 'fits')).toBe('fits')
})

test('a task that is larger than the budget runs alone', async () => {
  const budget = budgetOf()
  const huge = holding(budget, 1_000)
  const next = holding(budget, 1)
  await turn()
  expect([huge.begun, next.begun]).toEqual([true, false])
  huge.end()
  await turn()
  expect(next.begun).toBe(true)
})

test('a task is refused when too many wait, or after the longest wait', async () => {
  const budget = budgetOf({ waitTimeoutMs: 20 })
  const first = holding(budget, 100)
  const waiting = [holding(budget, 1), holding(budget, 1)]
  await expect(holding(budget, 1).done).rejects.toThrow(BudgetExceeded)
  for (const { done, begun } of waiting) {
    await expect(done).rejects.toThrow(BudgetExceeded)
    expect(begun).toBe(false)
  }
  first.end()
  await first.done
  expect(await budget.run(100, async () => 'fits')).toBe('fits')
})
