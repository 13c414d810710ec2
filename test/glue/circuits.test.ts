// Circuit breakers of providers.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createCircuits } from '../../activities/providers/circuits.js'
import { ProviderFailed } from '../../activities/providers/provider-failed.js'
import { connect } from '../../db/connect.js'
import { aKey } from '../support/api.js'
import { recordingProvider } from '../support/endpoints.js'
import { oneEndpoint } from '../support/factories.js'
import { unreliableProvider } from '../support/provider.js'

let provider: Awaited<ReturnType<typeof unreliableProvider>>
beforeEach(async () => {
  provider = await unreliableProvider()
})
afterEach(async () => {
  vi.useRealTimers()
  await provider.stop()
})

describe('a circuit', () => {
  test('opens after five failures in a row: the provider is called no more, and the failure says for how long', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await provider.failsTimes(5)
    const before = provider.site.asked.length
    vi.setSystemTime(Date.now() + 4_000)
    expect(await provider.fails()).toMatchObject({
      reason: 'circuit-open',
      retryable: true,
      retryAfterMs: 6_000,
      message: "The provider 'one' has failed (status 503) and is not called for a while",
    })
    expect(provider.site.asked).toHaveLength(before)
  })

  test('opens only when more than half of the calls fail', async () => {
    for (let round = 0; round < 5; round++) {
      provider.answers(200)
      expect((await provider.call()).status).toBe(200)
      await provider.failsTimes(1)
    }
    await provider.failsTimes(1)
    expect(await provider.fails()).toMatchObject({ reason: 'circuit-open' })
  })

  test.each([404, 408, 429, 500, 501])('stays closed whatever the number of answers with %i', async answer => {
    provider.answers(answer)
    const before = provider.site.asked.length
    for (let n = 0; n < 8; n++) await provider.call().catch(() => undefined)
    expect(provider.site.asked).toHaveLength(before + 8)
  })

  test.each([502, 503, 504])('opens after answers with %i', async answer => {
    provider.answers(answer)
    for (let n = 0; n < 5; n++) expect(await provider.fails()).toMatchObject({ status: answer })
    expect(await provider.fails()).toMatchObject({ reason: 'circuit-open' })
  })

  test('counts the failures of a run once, and still lets the run that opened it call', async () => {
    provider.answers(503)
    const failed = (run: string) => expect(provider.fails('one', { run })).resolves
    for (let n = 0; n < 8; n++) await failed('a').toMatchObject({ status: 503 })
    for (const run of ['b', 'c', 'd']) await failed(run).toMatchObject({ status: 503 })
    provider.answers(200)
    expect((await provider.call()).status).toBe(200)
    provider.answers(503)
    await failed('e').toMatchObject({ status: 503 })
    await failed('f').toMatchObject({ reason: 'circuit-open' })
    await failed('a').toMatchObject({ reason: 'circuit-open' })
    await failed('e').toMatchObject({ status: 503 })
    provider.answers(200)
    expect((await provider.call('one', { run: 'e' })).status).toBe(200)
  })

  test('counts for one provider alone', async () => {
    await provider.failsTimes(5)
    expect(await provider.fails()).toMatchObject({ reason: 'circuit-open' })
    provider.answers(200)
    expect((await provider.call('two')).status).toBe(200)
  })

  test('lets a single trial call through after 10 s, and waits longer after each failed trial, up to a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await provider.failsTimes(5)
    for (const rest of [10, 20, 40, 60, 60]) {
      vi.setSystemTime(Date.now() + rest * 1_000 - 1)
      expect(await provider.fails()).toMatchObject({ reason: 'circuit-open', retryAfterMs: 1 })
      vi.setSystemTime(Date.now() + 1)
      expect(await provider.fails()).toMatchObject({ reason: 'status' })
    }
    vi.setSystemTime(Date.now() + 60_000)
    provider.answers(200)
    expect((await provider.call()).status).toBe(200)
    await provider.failsTimes(4)
    expect(await provider.fails()).toMatchObject({ reason: 'circuit-open', retryAfterMs: 10_000 })
  })

  test('lets no other call through during a trial call, and all of them once the trial has succeeded', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await provider.failsTimes(5)
    vi.setSystemTime(Date.now() + 10_000)
    provider.answers(200)
    const release = provider.hold()
    const trial = provider.call()
    await vi.waitUntil(() => provider.lines.some(line => line.includes('half-open')))
    expect(await provider.fails()).toMatchObject({ reason: 'circuit-open', retryable: true, retryAfterMs: 1_000 })
    release()
    expect((await trial).status).toBe(200)
    expect((await Promise.all([provider.call(), provider.call()])).map(answer => answer.status)).toEqual([200, 200])
  })

  test('stays open when the trial call is cancelled', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    await provider.failsTimes(5)
    vi.setSystemTime(Date.now() + 10_000)
    provider.hold()
    const stop = new AbortController()
    const trial = provider.call('one', { signal: stop.signal })
    stop.abort(new Error('cancelled'))
    await expect(trial).rejects.toThrow('cancelled')
    expect(await provider.fails()).toMatchObject({ reason: 'circuit-open' })
  })
})

test('one record that always answers 500 holds up nobody else', async () => {
  let oddStatus = 500
  const register = await recordingProvider(({ path }) => ({ status: path === '/odd' ? oddStatus : 200 }))
  try {
    const step = { name: 'ask', httpRequest: { provider: 'p', url: '{{ request.query.id }}' } }
    const tenant = await oneEndpoint(register, [step])
    const ask = (id: string) => tenant.get(`${tenant.path('e')}?id=${id}`)
    const odd = [1, 2, 3].map(() => ask('odd'))
    await vi.waitUntil(() => register.seen.length >= 12, { timeout: 20_000 })
    for (let n = 0; n < 5; n++) expect((await ask('other')).status).toBe(200)
    oddStatus = 200
    for (const answer of await Promise.all(odd)) expect(answer.status).toBe(200)
  } finally {
    await register.stop()
  }
})

test('a circuit belongs to one tenant; while the database is away no call is delayed, and the outage is logged', async () => {
  const lines: object[] = []
  const write = (fields: object) => void lines.push(fields)
  const away = connect('mysql://nobody:nothing@127.0.0.1:1/nowhere', { poolSize: 1 })
  const log = { warn: write, info: write }
  const circuits = createCircuits({ db: away, log, process: aKey('process') })
  const work = async () => {
    throw new ProviderFailed('network', 'x', { retryable: true })
  }
  const run = (tenant = 1) => circuits.run({ tenant, provider: 'x' }, work)
  for (let n = 0; n < 5; n++) await expect(run()).rejects.toMatchObject({ reason: 'network' })
  await expect(run()).rejects.toMatchObject({ reason: 'circuit-open' })
  await expect(run(2)).rejects.toMatchObject({ reason: 'network' })
  await expect
    .poll(() => lines, { timeout: 20_000 })
    .toContainEqual({ tenant: 1, provider: 'x', err: expect.any(Error) })
  await away.destroy()
})
