// The sessions of the documentation, and then `npm run demo`, on the data of one `npm start`.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../dev/ports.js'
import { projectRoot } from '../../runtime/process/version.js'
import { npmStart, type Start } from '../dev/npm-start.js'
import { readmeSession, runSession } from '../support/readme-session.js'

const dataDir = mkdtempSync(join(tmpdir(), 'armature-docs-'))
const env: Record<string, string> = { DATA_DIR: dataDir }
let start: Start

/** The pages with a session to paste into a shell. */
const sessionPages = ['README.md', ...readdirSync('docs').map(name => `docs/${name}`)].filter(
  page => page.endsWith('.md') && readFileSync(page, 'utf8').includes('```bash session'),
)

beforeAll(async () => {
  // The Temporal program is downloaded once for the project.
  const binDir = join(projectRoot, '.data', 'bin')
  mkdirSync(binDir, { recursive: true })
  symlinkSync(binDir, join(dataDir, 'bin'))
  for (const name of ['PORT', 'METRICS_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'PROVIDER_PORT'])
    env[name] = String(await freePort())
  start = npmStart(env)
  await start.prints('Armature is running.')
})
afterAll(async () => {
  start.process.kill('SIGTERM')
  await start.ended
  rmSync(dataDir, { recursive: true, force: true })
})

test('the demo is right after every session of the documentation', { timeout: 900_000 }, async () => {
  for (const page of sessionPages) {
    const { exitCode, broken, output } = await runSession(readmeSession(readFileSync(page, 'utf8')), env)
    expect([page, exitCode, broken], output).toEqual([page, 0, []])
  }
  const demo = await promisify(execFile)(process.execPath, ['dist/dev/demo.js'], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
  })
  expect(demo.stdout).toContain('That was all')
})
