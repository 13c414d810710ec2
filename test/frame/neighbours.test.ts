// Writers of one tenant beside others.
import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { newTenant, type Problem, type Reply, type Tenant } from '../support/api.js'
import { isVitess } from '../support/database-servers.js'
import { anEntity, aType, openDatabase } from '../support/factories.js'
import { paths, put } from '../support/frame.js'
import { until } from '../support/until.js'

const db = openDatabase()
const reader = await newTenant(inject('baseUrl'))
const writers = await Promise.all(Array.from({ length: 4 }, () => newTenant(inject('baseUrl'))))
for (const each of [reader, ...writers]) {
  await put(each, paths.types, aType('unit'))
  await put(each, paths.entities, anEntity('ward'))
}

/** Holds the hierarchies of tenants, so that all who write them wait inside the database, until the work is done. */
async function whileHeld<T>(tenants: readonly Tenant[], work: () => Promise<T>): Promise<T> {
  return db.transaction(async trx => {
    const ids = trx('tenants')
      .whereIn(
        'tenant_key',
        tenants.map(({ tenantKey }) => tenantKey),
      )
      .select('id')
    await trx('hierarchies')
      .whereIn('tenant_id', await ids.pluck('id'))
      .forUpdate()
      .select('tenant_id')
    return work()
  })
}

/** Statements that wait for a hierarchy. */
async function waiting(): Promise<number> {
  const [[row]] = await db.raw(
    "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info LIKE '%hierarchies%for update' AND command = 'Query'",
  )
  return Number(row.n)
}

const write = (tenant: Tenant, n: number): Promise<Reply> => tenant.put(paths.entities, anEntity(`leaf-${n}`))

test('while the writers of four tenants wait inside the database, a fifth tenant reads, and the API is ready', async () => {
  const written = await whileHeld(writers, async () => {
    const answers = writers.flatMap(tenant => Array.from({ length: 8 }, (_, n) => write(tenant, n)))
    await until('writers wait in the database', async () => (await waiting()) >= 13, 10_000)
    // A writer gives up the lock, and with it its connection, after 4 s.
    const signal = AbortSignal.timeout(3_000)
    const headers = { authorization: `Bearer ${reader.token}` }
    const both = [`${paths.entities}/ward`, '/health/ready'].map(path =>
      fetch(new URL(path, inject('baseUrl')), { headers, signal }),
    )
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    return answers
  })
  for (const { status } of await Promise.all(written)) expect(status).toBeLessThan(300)
})

test('a tenant that floods its hierarchy is answered 429 with Retry-After beyond 200 writes that wait, and others write on', async () => {
  const [flood, other] = writers
  if (!flood || !other) throw new Error('There are no tenants')
  const refused: Reply[] = []
  const written = await whileHeld([flood], async () => {
    const answers = Array.from({ length: 226 }, async (_, n) => {
      const answer = await write(flood, 100 + n)
      if (answer.status === 429) refused.push(answer)
      return answer.status
    })
    await until('the queue is full', async () => refused.length >= 20, 10_000)
    expect((await write(other, 100)).status).toBeLessThan(300)
    return answers
  })
  // Who waited is written, or was behind too many when its time was over.
  const statuses = await Promise.all(written)
  expect(new Set(statuses.filter(status => status >= 300 && status !== 503))).toEqual(new Set([429]))
  expect(refused).toHaveLength(20)
  for (const { headers, body } of refused) {
    expect(headers.get('retry-after')).toBe('5')
    expect((body as Problem).type).toBe('/problems/too-many-writes')
  }
})

test.skipIf(isVitess)(
  'a statement that waits for a locked table is given up with 503 busy, and leaves nothing waiting in the server',
  async () => {
    const impatient = connect(inject('databaseUrl'), { poolSize: 1, lockWaitSeconds: 1 })
    const table = `held_${randomBytes(4).toString('hex')}`
    await db.raw('CREATE TABLE ?? (id INT)', [table])
    const holder = await db.client.acquireConnection()
    try {
      await db.raw('LOCK TABLES ?? WRITE', [table]).connection(holder)
      const read = transaction(impatient, 'unqueued', trx => trx(table).first())
      await expect(read).rejects.toMatchObject({ status: 503, code: 'busy', headers: { 'Retry-After': '1' } })
      const [[left]] = await db.raw(
        "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE info LIKE ? AND info NOT LIKE '%processlist%'",
        [`%${table}%`],
      )
      expect(Number(left.n)).toBe(0)
    } finally {
      await db.raw('UNLOCK TABLES').connection(holder)
      db.client.releaseConnection(holder)
      await db.raw('DROP TABLE ??', [table])
      await impatient.destroy()
    }
  },
)
