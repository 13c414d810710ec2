// Signing keys and grants.
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createGrants } from '../../activities/auth/grants.js'
import { connect } from '../../db/connect.js'
import { accountFinder } from '../../db/identity/accounts.js'
import { clientStore } from '../../db/identity/clients.js'
import { signingKeys } from '../../db/identity/signing-keys.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import { startIdentityDatabase } from '../support/identity-database.js'

let database: Awaited<ReturnType<typeof startIdentityDatabase>>
let db: Knex

beforeAll(async () => {
  database = await startIdentityDatabase()
  db = database.db
}, 60_000)
afterAll(() => database.stop(), 60_000)

describe('the signing key', () => {
  const seal = createSeal(Buffer.alloc(32, 7))

  it('is made once by processes that start together, and sealed', async () => {
    const pools = [1, 2, 3, 4].map(() => connect(database.url))
    const made = await Promise.all(pools.map(pool => signingKeys(pool, seal)))
    await Promise.all(pools.map(pool => pool.destroy()))
    expect(new Set(made.flat().map(key => key.kid)).size).toBe(1)
    const rows = await db('signing_keys')
    expect(rows).toHaveLength(1)
    expect(rows[0].sealed_private_jwk).not.toContain(made[0]?.[0]?.d)
  })

  it('under another ENCRYPTION_KEY fails with a clear message', async () => {
    const other = createSeal(Buffer.alloc(32, 8))
    await expect(signingKeys(db, other)).rejects.toThrow(
      'ENCRYPTION_KEY is not the key that sealed what the database holds',
    )
  })
})

describe('grants', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })
  const many = () => db('clients').where({ client_id: 'many' })

  it('are those of the platform: a revocation works within 5 s, without a new token', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1)
    const grants = createGrants({ clients: clientStore(db), accounts: accountFinder(db) })
    const before = await grants.for('demo', 'many')
    expect(before).toMatchObject({ tenantId: 1, limits: { a: 1 } })
    expect(before?.allows('List:Subject')).toBe(true)
    expect(before?.effective(['FrameApi', 'PlatformAdmin'])).toEqual(['FrameApi'])

    await many().update({ permissions: '["*:Group","Edit:Subject"]', scopes: '[]' })
    expect((await grants.for('demo', 'many'))?.allows('List:Subject'), 'not read for every request').toBe(true)
    now.mockReturnValue(5_001)
    const after = await grants.for('demo', 'many')
    const asked = ['List:Subject', 'Edit:Subject', 'Delete:Group', 'Edit:Group', 'Edit:SubjectLocation', 'Group', '']
    expect(asked.filter(permission => after?.allows(permission))).toEqual([
      'Edit:Subject',
      'Delete:Group',
      'Edit:Group',
    ])
    expect(after?.effective(['FrameApi'])).toEqual([])
  })

  it('do not exist for a client that is unknown, disabled or of another tenant', async () => {
    const grants = createGrants({ clients: clientStore(db), accounts: accountFinder(db), ttlMs: 0 })
    expect(await grants.for('demo', 'nobody')).toBeUndefined()
    expect(await grants.for('demo', 'off')).toBeUndefined()
    expect(await grants.for('other', 'many')).toBeUndefined()
    expect(await grants.for('demo', 'many')).toBeDefined()
  })

  it('are read once for callers that come together, and again after a failure', async () => {
    const queries: string[] = []
    db.on('query', ({ sql }: { sql: string }) => queries.push(sql))
    const grants = createGrants({ clients: clientStore(db), accounts: accountFinder(db) })
    await Promise.all(Array.from({ length: 100 }, () => grants.for('demo', 'one')))
    expect(queries).toHaveLength(1)

    const broken = connect('mysql://nobody:x@127.0.0.1:1/none')
    const failing = createGrants({ clients: clientStore(broken), accounts: accountFinder(broken) })
    await expect(failing.for('demo', 'one')).rejects.toThrow('ECONNREFUSED')
    await expect(failing.for('demo', 'one')).rejects.toThrow('ECONNREFUSED')
    await broken.destroy()
  })
})
