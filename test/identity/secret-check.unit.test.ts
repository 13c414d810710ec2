// Limits for wrong secrets.
import { afterEach, expect, test, vi } from 'vitest'
import { createSecretHasher, minHashCost, unmatchableHash } from '../../runtime/secrets/secrets.js'
import { createSecretCheck, type SecretCheck, SecretNotChecked } from '../../server/identity/secret-check.js'

const limit = 5
const secret = 'right'
const hash = await createSecretHasher(minHashCost).hash(secret)
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const asked = (
  check: SecretCheck,
  {
    hash: only = hash,
    ...more
  }: { address?: string; clientId?: string; secret?: string; hash?: string; hashes?: string[] } = {},
) =>
  check({ address: 'home', clientId: 'honest', secret, hashes: [only], ...more }).catch((error: unknown) => {
    if (!(error instanceof SecretNotChecked)) throw error
    return error.reason
  })

/** So many different wrong secrets, one after the other. */
async function guesses(check: SecretCheck, count: number, more: { address: string; clientId?: string }) {
  const answers: unknown[] = []
  for (let n = 0; n < count; n++) answers.push(await asked(check, { secret: `wrong ${n}`, ...more }))
  return answers
}

/** Moves the clocks only. */
function later(ms: number) {
  const now = Date.now()
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + ms)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now + ms)
}

test('wrong secrets of an address are refused above the limit, for whatever client', async () => {
  const check = createSecretCheck(limit)
  const answers = []
  for (let n = 0; n < limit + 1; n++) answers.push(...(await guesses(check, 1, { address: 'a', clientId: `c${n}` })))
  expect(answers).toEqual([...Array(limit).fill(false), 'too-many-wrong'])
  expect(await asked(check, { address: 'b' })).toBe(true)
})

test('wrong secrets of a client are refused above the limit, from wherever they come', async () => {
  const check = createSecretCheck(limit)
  const answers = []
  for (let n = 0; n < limit + 1; n++) answers.push(...(await guesses(check, 1, { address: `a${n}` })))
  expect(answers).toEqual([...Array(limit).fill(false), 'too-many-wrong'])
  // Whether there is such a client makes no difference.
  const unknown = []
  for (let n = 0; n < limit + 1; n++)
    unknown.push(await asked(check, { address: `b${n}`, clientId: 'nobody', hash: unmatchableHash(minHashCost) }))
  expect(unknown).toEqual(answers)
})

test('a client goes on while others guess at its secret, from its address too', async () => {
  const check = createSecretCheck(limit)
  expect(await asked(check)).toBe(true)
  expect((await guesses(check, limit + 1, { address: 'away' })).at(-1)).toBe('too-many-wrong')
  expect((await guesses(check, limit + 1, { address: 'home' })).at(-1)).toBe('too-many-wrong')
  // Its secret is remembered, anywhere.
  expect([await asked(check), await asked(check, { address: 'elsewhere' })]).toEqual([true, true])
})

test('a client that asks once an hour goes on while others guess elsewhere, and at other clients of its address', async () => {
  const check = createSecretCheck(limit)
  expect(await asked(check)).toBe(true)
  later(3_600_000)
  await guesses(check, limit + 1, { address: 'away' })
  await guesses(check, limit + 1, { address: 'home', clientId: 'another' })
  expect(await asked(check, { address: 'new', secret: 'guess' })).toBe('too-many-wrong')
  expect(await asked(check)).toBe(true)
})

test('a cached secret is no longer accepted when the stored one has changed', async () => {
  const check = createSecretCheck(limit)
  expect(await asked(check)).toBe(true)
  const changed = await createSecretHasher(minHashCost).hash('another')
  expect(await asked(check, { hash: changed })).toBe(false)
  expect(await asked(check, { hash: unmatchableHash(minHashCost) })).toBe(false)
})

test('a crowd at one client waits in a short line, and holds up neither other clients nor known ones', async () => {
  const check = createSecretCheck(1_000)
  expect(await asked(check)).toBe(true)
  later(61_000)
  const crowd = Array.from({ length: 60 }, (_, n) =>
    asked(check, { address: `a${n}`, clientId: 'honest', secret: `wrong ${n}` }),
  )
  const [known, another] = [asked(check), asked(check, { clientId: 'another' })]
  expect([await known, await another]).toEqual([true, true])
  const answers = await Promise.all(crowd)
  expect(answers.filter(answer => answer === 'busy')).toHaveLength(52)
  expect(answers.filter(answer => answer === false)).toHaveLength(8)
})

test('a crowd that names other clients each time waits in a line that is bounded', async () => {
  const check = createSecretCheck(1_000)
  const crowd = Array.from({ length: 60 }, (_, n) => asked(check, { address: `a${n}`, clientId: `c${n}`, secret: 'x' }))
  const answers = await Promise.all(crowd)
  expect(answers.filter(answer => answer === 'busy')).toHaveLength(60 - 41)
})

test('a client that asks a hundred times at once has its secret compared once', async () => {
  const check = createSecretCheck(limit)
  const answers = await Promise.all(Array.from({ length: 100 }, () => asked(check)))
  expect(new Set(answers)).toEqual(new Set([true]))
})
