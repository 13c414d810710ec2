// The audit of packages.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf, unanswered } from '../../dev/audit.js'
import { projectRoot } from '../../runtime/process/version.js'

const now = new Date('2026-11-28T12:00:00Z')
const counted = (vulnerabilities: object) => JSON.stringify({ metadata: { vulnerabilities } })

test.each([
  [{ low: 3, moderate: 2, high: 0, critical: 0, total: 5 }, false, '0 critical, 0 high, 2 moderate, 3 low'],
  [{ low: 0, moderate: 0, high: 1, critical: 0, total: 1 }, true, '1 high'],
  [{ low: 0, moderate: 0, high: 0, critical: 1, total: 1 }, true, '1 critical'],
])('an audit that counts %j fails: %s', (counts, isBad, said) => {
  expect(answerOf(counted(counts), now)).toEqual({
    at: now.toISOString(),
    line: expect.stringContaining(said),
    isBad,
  })
})

test.each([
  [JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405, error: {} }), '405 Method Not Allowed'],
  ['', 'npm gave no answer'],
])('what is no answer of npm counts nothing: %s', (output, reason) => {
  expect(answerOf(output, now)).toEqual({ unanswered: reason })
})

test('an audit that could not ask says so, with the age of the last answer', () => {
  const last = { at: '2026-11-20T09:00:00.000Z', line: 'Advisories: 0 critical.', isBad: false }
  expect(unanswered('405', last, now)).toMatch(/NOT AUDITED.*\(405\).*2026-11-20.*8 d ago.*0 critical/)
  expect(unanswered('405', undefined, now)).toContain('never an answer')
})

test.each([
  [[], 0],
  [['--release'], 1],
])('where npm does not answer, an audit with %j exits with %i', (options, code) => {
  const program = join(projectRoot, 'dist', 'dev', 'audit.js')
  // Nobody listens on this port.
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:9/' }
  const { status, stdout } = spawnSync(process.execPath, [program, ...options], { env, encoding: 'utf8' })
  expect(stdout).toContain('NOT AUDITED')
  expect(status).toBe(code)
})
