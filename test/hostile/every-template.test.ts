// The rendering of every hostile template.
import { expect, test } from 'vitest'
import { NotEvaluated } from '../../runtime/expressions/parsed-texts.js'
import { startEvaluator } from '../support/expressions.js'
import { slowness } from '../support/machine-speed.js'
import { hostileTemplates, largeList } from './templates.js'
import { longestMs } from './watched.js'

const { template } = startEvaluator()

test.each(hostileTemplates)('the template %s holds this process up for a moment only', async text => {
  let longest = 0
  let last = { ms: performance.now(), cpu: process.cpuUsage() }
  // On a busy machine the process stands still for other reasons: its processor time says so.
  const watch = setInterval(() => {
    const { user, system } = process.cpuUsage(last.cpu)
    longest = Math.max(longest, Math.min(performance.now() - last.ms, (user + system) / 1000))
    last = { ms: performance.now(), cpu: process.cpuUsage() }
  }, 5)
  await template(1, 'request', text, { request: { body: largeList } }).catch((error: unknown) => {
    expect(error).toBeInstanceOf(NotEvaluated)
  })
  clearInterval(watch)
  expect(longest / slowness()).toBeLessThanOrEqual(longestMs)
})
