// Outages of the database.
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { newTenant, type Reply, type Tenant } from '../../support/api.js'
import { acceptBulk, ended, placesOf, progressed, signal } from '../../support/faults.js'
import { type HierarchyModel, hierarchyModel, place, placeType } from '../../support/hierarchy-model.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

// With DATABASE_URL the server is somebody else's, and not ours to kill.
const ours = !process.env.DATABASE_URL

describe.skipIf(!ours)('the database goes away (skipped with DATABASE_URL, whose server tests must not kill)', () => {
  const stack = sharedStack()
  let db: Knex
  let tenant: Tenant
  let model: HierarchyModel

  beforeAll(async () => {
    db = connect(stack.databaseUrl, { poolSize: 2 })
  })
  afterAll(async () => {
    await db?.destroy()
  })
  beforeEach(async () => {
    tenant = await newTenant(stack.baseUrl)
    await tenant.put('/api/v1/structureType', placeType)
    model = hierarchyModel()
  })

  const database = () => {
    if (!stack.database) throw new Error('No database of our own')
    return stack.database
  }
  /** Reads until the first answer that is 200. @returns the others. */
  async function readsUntilBack(): Promise<Reply[]> {
    const refused: Reply[] = []
    await until('the API answers again', async () => {
      const answer = await tenant.get('/api/v1/structuralEntity')
      if (answer.status !== 200) refused.push(answer)
      return answer.status === 200
    })
    return refused
  }

  const problem503 = {
    status: 503,
    body: {
      type: '/problems/unavailable',
      title: 'Temporarily not available',
      status: 503,
      detail: expect.stringContaining('The database cannot be reached'),
      instance: '/api/v1/structuralEntity',
      traceId: expect.any(String),
    },
  }

  function expectProblems(refused: readonly Reply[]) {
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expect(answer).toMatchObject(problem503)
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  }

  test.each([
    ['killed', 'SIGKILL'],
    ['shut down and started again', 'SIGTERM'],
  ] as const)(
    'a database that is %s in the middle of a bulk: requests get 503, every row is written once',
    async (_, how) => {
      const batch = placesOf(60_000, 5)
      model.apply(batch)
      const { jobId } = await acceptBulk(tenant, batch)
      const processes = { api: stack.api.pid, worker: stack.worker.pid }
      expect(await progressed(db, tenant.tenantKey, 0.2)).toBe(true)
      const killed = signal(database(), how)
      await until('the server is gone', async () => database().pid !== killed)

      expectProblems(await readsUntilBack())
      expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 60_000 } })
      await until('the database answers the test', () =>
        db('tenants')
          .first('id')
          .catch(() => undefined),
      )
      expect(await model.differences(db, tenant.tenantKey)).toEqual([])
      expect({ api: stack.api.pid, worker: stack.worker.pid }, 'the processes live on').toEqual(processes)
      await stack.ready()
    },
  )

  test('a database that hangs: reads and writes get 503 instead of waiting for ever, and it all recovers', async () => {
    const first = [place('a'), place('b', 'a')]
    model.apply(first)
    expect((await tenant.put('/api/v1/structuralEntity/bulk', first)).status).toBe(204)
    const process = stack.api.pid
    signal(database(), 'SIGSTOP')
    let answers: Reply[]
    try {
      answers = await Promise.all([
        tenant.get('/api/v1/structuralEntity'),
        tenant.put('/api/v1/structuralEntity', place('c')),
        tenant.put('/api/v1/structuralEntity/bulk', [place('d')]),
      ])
    } finally {
      signal(database(), 'SIGCONT')
    }
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, body: { type: '/problems/unavailable', status: 503 } })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    await stack.ready()
    expect(stack.api.pid).toBe(process)

    const after = [place('c', 'b'), place('d', 'c')]
    model.apply(after)
    expect((await tenant.put('/api/v1/structuralEntity/bulk', after)).status).toBe(204)
    expect(await model.differences(db, tenant.tenantKey)).toEqual([])
  })
})
