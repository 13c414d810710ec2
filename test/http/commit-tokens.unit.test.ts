// Tokens of commits.
import type { Context } from 'koa'
import pino from 'pino'
import { expect, test } from 'vitest'
import { createCommitTokens } from '../../server/commit-token.js'

const later = { tenantId: 1, clientId: 'a' }

/** A process with one replica, at a time of the primary. */
function process(now: () => Promise<number | undefined>) {
  const lines: string[] = []
  const log = pino({}, { write: line => lines.push(line) })
  const replica = { name: '1', state: 'used', lagMs: 0 } as const
  const tokens = createCommitTokens({ now, replicas: () => [replica], by: () => expect.unreachable() }, 2_000)
  /** The request of a client. */
  const request = (caller: { tenantId: number; clientId: string }, token = '') => {
    const sent = new Map<string, string>()
    const ctx = {
      state: { caller, log },
      get: () => token,
      set: (name: string, value: string) => sent.set(name, value),
    }
    return { ctx: ctx as unknown as Context, sent }
  }
  const write = async (caller: typeof later, work = async () => {}) => {
    const { ctx, sent } = request(caller)
    for (const tell of tokens.tell) await tell(ctx, work)
    return sent.get('Commit-Token')
  }
  const since = (caller: typeof later, token?: string) => tokens.since(request(caller, token).ctx)
  return { lines, write, since }
}

test('a client that sends no token sees what it wrote through this process', async () => {
  const { write, since } = process(async () => 7_000)
  expect(since(later)).toBeUndefined()
  expect(await write(later)).toBe('7000')
  expect(since(later)).toBe(7_000)
  expect([since({ ...later, tenantId: 2 }), since({ ...later, clientId: 'b' })]).toEqual([undefined, undefined])
})

test("a token that is sent counts instead of the client's last write", async () => {
  const { write, since } = process(async () => 7_000)
  await write(later)
  expect([since(later, '6000'), since(later, '8000'), since(later, 'other')]).toEqual([
    6_000,
    8_000,
    Number.POSITIVE_INFINITY,
  ])
})

test('a call that fails has a token, since some of it may be committed', async () => {
  const { write, since } = process(async () => 7_000)
  const failed = write(later, async () => Promise.reject(new Error('half of it')))
  await expect(failed).rejects.toThrow('half of it')
  expect(since(later)).toBe(7_000)
})

test('an answer has no token, and the log says why, if the primary has never answered', async () => {
  const { write, since, lines } = process(async () => Promise.reject(new Error('no primary')))
  expect([await write(later), since(later)]).toEqual([undefined, undefined])
  expect(lines.join()).toContain('no primary')
})
