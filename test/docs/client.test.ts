// The program of docs/client.md: its types, and what it prints.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test, vi } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'

const page = readFileSync(join(projectRoot, 'docs', 'client.md'), 'utf8')
const program = [...page.matchAll(/^```ts session\n(.*?)^```/gms)].map(([, block = '']) => block).join('')
const folder = join(projectRoot, '.data', 'client-guide')
const file = join(folder, 'session.ts')

test('the program has the types of the client, and prints what the page says', async () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, program)
  const compilerOptions = { noEmit: true, incremental: false, rootDir: '../..', noUnusedLocals: false }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: '../../tsconfig.json', compilerOptions, files: ['session.ts'], include: [] }),
  )
  const compiler = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc')
  execFileSync(process.execPath, [compiler, '--project', folder], { encoding: 'utf8' })

  vi.stubEnv('PORT', new URL(inject('baseUrl')).port)
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((...given) => {
    printed.push(given.flat().join(' '))
  })
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await import(file)
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  const promises = [...program.matchAll(/^\/\/ => (.*)$/gm)].map(([, text = '']) => text)
  expect(promises.length).toBeGreaterThan(5)
  let from = 0
  for (const promise of promises) {
    const at = printed.findIndex((line, n) => n >= from && line.includes(promise))
    expect(at, `${promise}, of ${JSON.stringify(printed)}`).toBeGreaterThanOrEqual(from)
    from = at + 1
  }
})
