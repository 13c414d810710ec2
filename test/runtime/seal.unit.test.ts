// Secrets at rest.
import { stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createSeal, type SealedFor } from '../../runtime/secrets/seal.js'
import {
  createSecretHasher,
  minHashCost,
  standardHashCost,
  unmatchableHash,
  verifySecret,
} from '../../runtime/secrets/secrets.js'

describe('a seal', () => {
  const what: SealedFor = { purpose: 'secret', tenantKey: 'demo', name: 'key' }
  const { seal, open, mark } = createSeal(Buffer.alloc(32, 1))

  it('opens what it sealed, and shows nothing of it', () => {
    const sealed = seal(what, 'grün')
    expect(open(what, sealed)).toBe('grün')
    expect(sealed).not.toContain(Buffer.from('grün').toString('base64url'))
    expect(seal(what, 'grün')).not.toBe(sealed)
  })

  const others: SealedFor[] = [
    { ...what, purpose: 'form delivery' },
    { ...what, tenantKey: 'other' },
    { ...what, tenantKey: '' },
    { ...what, name: 'key2' },
  ]

  it.each(others)('is bound to its purpose, tenant and name: not opened or marked for %j', other => {
    const sealed = seal(what, 'grün')
    expect(() => open(other, sealed)).toThrow(
      /^The sealed .* does not open: it was changed, moved from elsewhere, or is damaged\. Restore it, or create it again\.$/,
    )
    expect(mark(other, 'grün')).not.toBe(mark(what, 'grün'))
  })

  it('needs a name', () => {
    expect(() => seal({ ...what, name: '' }, 'x')).toThrow('needs a name')
  })

  it('says in a sentence that the key is another one, or the text is damaged', () => {
    const other = createSeal(Buffer.alloc(32, 2)).seal(what, 'x')
    expect(() => open(what, other)).toThrow(
      /^ENCRYPTION_KEY is not the key that sealed .* key [0-9a-f]{16}, this process has key [0-9a-f]{16}\.$/,
    )
    const sealed = seal(what, 'x'.repeat(50))
    const changed = `${sealed.slice(0, 40)}${sealed[40] === 'A' ? 'B' : 'A'}${sealed.slice(41)}`
    for (const damaged of ['', 'x', sealed.slice(0, -5), sealed.slice(0, 30), `${sealed}.x`, `x${sealed}`, changed]) {
      expect(() => open(what, damaged)).toThrow('does not open')
    }
  })

  it('opens what an old key has sealed, and seals with the new one', () => {
    const [old, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
    const rotated = createSeal(current, [old])
    expect(rotated.open(what, seal(what, 'grün'))).toBe('grün')
    const fresh = rotated.seal(what, 'grün')
    expect(createSeal(current).open(what, fresh)).toBe('grün')
    expect(() => open(what, fresh)).toThrow('ENCRYPTION_KEY is not the key')
    const third = createSeal(Buffer.alloc(32, 3)).seal(what, 'x')
    expect(() => rotated.open(what, third)).toThrow(/this process has key [0-9a-f]{16}, [0-9a-f]{16}\.$/)
  })

  it('needs 32 bytes', () => {
    expect(() => createSeal(Buffer.alloc(31))).toThrow('ENCRYPTION_KEY must be 32 bytes; it has 31.')
    expect(() => createSeal(Buffer.alloc(32), [Buffer.alloc(33)])).toThrow(
      'ENCRYPTION_KEY must be 32 bytes; it has 33.',
    )
  })
})

describe('the hash of a secret', () => {
  const { hash: hashOf } = createSecretHasher(standardHashCost)

  it('is salted, fits its column and matches that secret only', async () => {
    const hash = await hashOf('s')
    expect(hash).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    expect(await hashOf('s')).not.toBe(hash)
    expect([await verifySecret('s', hash), await verifySecret('S', hash), await verifySecret('', hash)]).toEqual([
      true,
      false,
      false,
    ])
  })

  it.each([minHashCost, standardHashCost, 2 * standardHashCost])(
    'carries its cost, %i, so that one of another cost matches too',
    async cost => {
      const hash = await createSecretHasher(cost).hash('s')
      expect(hash).toMatch(new RegExp(`^scrypt\\$${cost}\\$8\\$1\\$[\\w-]{22}\\$[\\w-]{43}$`))
      expect([await verifySecret('s', hash), await verifySecret('S', hash)]).toEqual([true, false])
    },
  )

  it('that matches no secret takes as long to compare as others', async () => {
    for (const cost of [minHashCost, standardHashCost]) {
      expect(unmatchableHash(cost)).toMatch(new RegExp(`^scrypt\\$${cost}\\$8\\$1\\$A{22}\\$A{43}$`))
      expect(await verifySecret('', unmatchableHash(cost))).toBe(false)
    }
  })

  it.each(['', 'x', 'bcrypt$1$2$3$4$5', 'scrypt$16384$8$1$salt'])(
    'that is damaged (%s) is an error, not a match',
    async hash => {
      await expect(verifySecret('s', hash)).rejects.toThrow('damaged')
    },
  )

  it('of many clients leaves threads for files, DNS and tokens', async () => {
    const compared = await hashOf('s')
    let done = 0
    const many = Array.from({ length: 20 }, () => hashOf('s').then(() => done++))
    await stat(new URL(import.meta.url))
    expect(done).toBeLessThan(10)
    await verifySecret('s', compared)
    expect(done).toBeLessThan(20)
    await Promise.all(many)
  })
})
