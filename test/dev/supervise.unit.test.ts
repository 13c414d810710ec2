// The supervisor of `npm start`, with programs of Node itself.
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import { type Program, type Supervised, supervise } from '../../dev/supervise.js'

const logDir = mkdtempSync(join(tmpdir(), 'armature-supervise-'))
const started: Supervised[] = []
const log = vi.fn<(line: string) => void>()

afterAll(async () => {
  await Promise.all(started.map(program => program.stop(1_000)))
  rmSync(logDir, { recursive: true, force: true })
})

const node = (name: string, script: string): Program => ({ name, command: process.execPath, args: ['-e', script] })

function run(program: Program): Supervised {
  const one = supervise(program, { logDir, log })
  started.push(one)
  return one
}

it('waits for a program that lives, however long its first answer takes, and says that it waits', async () => {
  const slow = run(node('slow', 'setInterval(() => {}, 1000)'))
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    let probes = 0
    await slow.ready(async () => {
      vi.advanceTimersByTime(40_000)
      if (++probes < 4) throw new Error('nobody listens')
    })
    expect(log.mock.calls.map(([line]) => line)).toContainEqual(
      expect.stringMatching(/^slow runs but has not answered for 40 s \(nobody listens\)\. Still waiting; its log: /),
    )
  } finally {
    vi.useRealTimers()
  }
})

it('shows what the program logged since this start, not the log of the run before', async () => {
  appendFileSync(join(logDir, 'broken.log'), 'of the run before\n')
  const broken = run(node('broken', 'console.log("the port is taken"); process.exit(1)'))
  const failure = broken.ready(async () => {
    throw new Error('fetch failed')
  })
  await expect(failure).rejects.toThrow(/^broken does not start \(fetch failed\)/)
  await expect(failure).rejects.toThrow('the port is taken')
  await expect(failure).rejects.not.toThrow('of the run before')
}, 20_000)
