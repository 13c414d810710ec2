// The audit of packages.
import { expect, test } from 'vitest'
import { verdictOf } from '../../dev/audit.js'

const counted = (vulnerabilities: object) => JSON.stringify({ metadata: { vulnerabilities } })

test.each([
  [{ low: 3, moderate: 2, high: 0, critical: 0, total: 5 }, false, '0 critical, 0 high, 2 moderate, 3 low'],
  [{ low: 0, moderate: 0, high: 1, critical: 0, total: 1 }, true, '1 high'],
  [{ low: 0, moderate: 0, high: 0, critical: 1, total: 1 }, true, '1 critical'],
])('an audit that counts %j fails: %s', (counts, isBad, said) => {
  expect(verdictOf(counted(counts))).toEqual({ line: expect.stringContaining(said), isBad })
})

test.each([
  [JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405, error: {} }), '405 Method Not Allowed'],
  ['', 'npm gave no answer'],
])('where advisories cannot be asked, the audit says so and fails nothing', (answer, said) => {
  expect(verdictOf(answer)).toEqual({ line: expect.stringContaining(said), isBad: false })
})
