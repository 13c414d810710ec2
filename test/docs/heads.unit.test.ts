// Every source file says at its top what it is for, and no page of the docs breaks off or has a link without an address.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'

const filesOf = (pattern: RegExp) =>
  execFileSync('git', ['ls-files'], { cwd: projectRoot, encoding: 'utf8' })
    .split('\n')
    .filter(file => pattern.test(file) && !file.startsWith('examples/'))
const read = (file: string) => readFileSync(join(projectRoot, file), 'utf8')

test('a file says in its first lines what it is for', () => {
  const sources = filesOf(/\.m?ts$|\.mjs$/).filter(file => !file.endsWith('.d.ts'))
  expect(sources.length).toBeGreaterThan(500)
  expect(sources.filter(file => !/^(?:#!.*\n)?(?:\/\/ |\/\*\*)/.test(read(file)))).toEqual([])
})

test.each(filesOf(/\.md$/))('no paragraph of %s breaks off, and none of its links lacks an address', page => {
  const prose = read(page).replace(/^```[\s\S]*?^```/gm, '')
  const brokenOff = prose
    .split(/\n\s*\n/)
    .filter(block => !/^\s*(?:[-*|]|\d+\.) ?/.test(block) && /[;,]\s*$/.test(block))
  const pointless = prose.replace(/`[^`]*`/g, '').match(/\[[^\]]+\](?!\()/g) ?? []
  expect([...brokenOff, ...pointless]).toEqual([])
})
