// The session and the codes of docs/frame.md.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { readmeSession, runSession } from '../support/readme-session.js'

const page = readFileSync('docs/frame.md', 'utf8')

test('the session on the page works when pasted', async () => {
  const result = await runSession(readmeSession(page), { PORT: new URL(inject('baseUrl')).port })
  expect(result.broken, result.output).toEqual([])
  expect(result.exitCode, result.output).toBe(0)
})

test('every problem code on the page exists, and every path is in the description', async () => {
  const source = execFileSync('git', ['grep', '-hoE', "'[a-z]+(-[a-z]+)*'", '--', 'server', 'db', 'runtime'], {
    encoding: 'utf8',
  })
  const known = new Set(source.split('\n').map(text => text.slice(1, -1)))
  const errors = page.slice(page.indexOf('## Errors'), page.indexOf('## Limits'))
  const codes = [...errors.matchAll(/`([a-z]+(?:-[a-z]+)*)`(?=[^|]*\(\d{3}\))/g)].map(([, code = '']) => code)
  expect(codes.length).toBeGreaterThan(10)
  expect(codes.filter(code => !known.has(code))).toEqual([])

  const { paths }: { paths: object } = JSON.parse(await (await fetch(`${inject('baseUrl')}/openapi.json`)).text())
  const described = Object.keys(paths).map(path => path.replace(/\{\w+\}/g, '{}'))
  const named = [...page.matchAll(/`(?:GET|PUT|POST|DELETE|PATCH) (\/api\/[^\s`?]+)`/g)].map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter(path => !described.includes(path.replace(/\{\w+\}/g, '{}')))).toEqual([])
})
