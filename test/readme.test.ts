// The session of the README.
import { readFile } from 'node:fs/promises'
import { expect, inject, test } from 'vitest'
import { readmeSession, runSession } from './support/readme-session.js'

test('the session in the README works when pasted', async () => {
  const session = readmeSession(await readFile('README.md', 'utf8'))
  expect(session.promises).not.toEqual([])
  const result = await runSession(session, { PORT: new URL(inject('baseUrl')).port })
  expect(result.broken, result.output).toEqual([])
  expect(result.exitCode, result.output).toBe(0)
})

test('a session reports promises that the output breaks or never reaches', async () => {
  const session = readmeSession(
    [
      '```bash session',
      'echo one $PORT',
      '# => one 7',
      '# => two',
      'text=three',
      '```',
      'In another block:',
      '```bash session',
      'echo $text',
      '# => three',
      'false',
      '# => four',
      '```',
    ].join('\n'),
  )
  const { exitCode, broken } = await runSession(session, { PORT: '7' })
  expect(exitCode).toBe(1)
  expect(broken).toEqual([
    { promise: 'two', printed: 'one 7\n' },
    { promise: 'four', printed: '(not reached)' },
  ])
})
