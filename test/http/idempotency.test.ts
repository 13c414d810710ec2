// Idempotency keys.
import { beforeEach, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { transaction } from '../../db/errors.js'
import { forgetAnswers } from '../../db/jobs/idempotent-answers.js'
import { newTenant, type Problem, type Reply, type Tenant } from '../support/api.js'
import { gate } from '../support/data-sets.js'
import { anEntity, aType, openDatabase } from '../support/factories.js'
import { problem } from '../support/http.js'

const group = '/api/v1/group'
const bulk = `${group}/bulk`
const items = (...keys: string[]) => keys.map(Key => ({ Key, Name: `Group ${Key}` }))
const withKey = (key: string, more: Record<string, string> = {}) => ({ 'idempotency-key': key, ...more })

let tenant: Tenant
beforeEach(async () => {
  tenant = await newTenant(inject('baseUrl'))
})

const entities = '/api/v1/structuralEntity/bulk'
const jobs = async () =>
  (await tenant.get<{ Edges: { Node: { jobId: string } }[] }>('/api/v1/jobs')).body.Edges.map(edge => edge.Node.jobId)
const keys = async () =>
  (await tenant.get<{ Edges: { Node: { Key: string } }[] }>(group)).body.Edges.map(edge => edge.Node.Key)
const told = ({ status, headers, body }: Reply) => ({ status, location: headers.get('location'), body })

test('the same request again is answered the same, and done once', async () => {
  const first = await tenant.put(bulk, items('a'), withKey('k'))
  expect(told(first)).toEqual({ status: 204, location: null, body: '' })
  await tenant.delete(`${group}/a`)
  expect(told(await tenant.put(bulk, items('a'), withKey('k')))).toEqual(told(first))
  expect(await keys()).toEqual([])
})

test('without a key, the same request again is done again', async () => {
  await tenant.put(bulk, items('a'))
  await tenant.delete(`${group}/a`)
  await tenant.put(bulk, items('a'))
  expect(await keys()).toEqual(['a'])
})

test.each([
  ['another body', bulk, JSON.stringify(items('b'))],
  ['the same meaning in other letters', bulk, ` ${JSON.stringify(items('a'))}`],
  ['another path', '/api/v1/structureType/bulk', JSON.stringify([{ Key: 'a', Name: 'A', SubjectAssignable: true }])],
  ['a path whose work is a job', entities, JSON.stringify([anEntity('a')])],
])('the key with %s is 422, and nothing is written', async (_, path, body) => {
  await tenant.put(bulk, JSON.stringify(items('a')), withKey('k'))
  const { body: answer } = await tenant.put(path, body, withKey('k'))
  expect(answer).toEqual(problem(422, 'idempotency-key-reused', path))
  expect([await keys(), await jobs()]).toEqual([['a'], []])
})

test('of ten identical requests at once, one is done and all are answered alike', async () => {
  const send = () => tenant.put(bulk, items('a', 'b'), withKey('k'))
  const [first, ...others] = (await Promise.all(Array.from({ length: 10 }, send))).map(told)
  expect(first).toMatchObject({ status: 204 })
  for (const other of others) expect(other).toEqual(first)
})

test('ten identical requests at once with the permission to create only are all answered alike', async () => {
  const client = await tenant.client(['Create:Group'])
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.put(bulk, items('a', 'b'), withKey('k'))))
  const [first, ...others] = answers.map(told)
  expect(first).toMatchObject({ status: 204 })
  for (const other of others) expect(other).toEqual(first)
})

test('of two different requests at once with one key, one is done and the other is 422', async () => {
  const answers = await Promise.all(['a', 'b'].map(key => tenant.put(bulk, items(key), withKey('k'))))
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 422])
  expect(await keys()).toEqual([answers[0]?.status === 204 ? 'a' : 'b'])
})

test('two clients may use the same key for different requests', async () => {
  const other = await tenant.client(['*'])
  const first = await tenant.put(bulk, items('a'), withKey('k'))
  const second = await other.put(bulk, items('b'), withKey('k'))
  expect([first.status, second.status]).toEqual([204, 204])
  expect(await keys()).toEqual(['a', 'b'])
})

test('upper and lower case make two keys', async () => {
  await tenant.put(bulk, items('a'), withKey('k'))
  expect((await tenant.put(bulk, items('b'), withKey('K'))).status).toBe(204)
  expect(await keys()).toEqual(['a', 'b'])
})

test.each(['a b', 'a'.repeat(256), 'é', '\u00a0x'])('the key %j is 400, and nothing is written', async key => {
  const { body } = await tenant.put<Problem>(bulk, items('a'), withKey(key))
  expect(body).toEqual(problem(400, 'idempotency-key', bulk))
  expect(await keys()).toEqual([])
})

test('a key of 255 signs is accepted', async () => {
  expect((await tenant.put(bulk, items('a'), withKey('!'.repeat(255)))).status).toBe(204)
})

test('an invalid request does not use up its key', async () => {
  const unknown = [{ Key: 'a', Name: 'A', StructuralEntityKeys: ['nowhere'] }]
  for (const body of ['[{', '[]', JSON.stringify(unknown)]) {
    expect((await tenant.put(bulk, body, withKey('k'))).status).toBe(400)
  }
  expect((await tenant.put(bulk, items('a'), withKey('k'))).status).toBe(204)
  expect(await keys()).toEqual(['a'])
})

test('Prefer: respond-async changes nothing, because the request is done when it is answered', async () => {
  const answer = await tenant.put(bulk, items('a'), { prefer: 'respond-async' })
  expect(told(answer)).toEqual({ status: 204, location: null, body: '' })
  expect([await keys(), await jobs()]).toEqual([['a'], []])
})

test('an answer is forgotten after two days, and the key does the request again', async () => {
  const db = openDatabase()
  try {
    await tenant.put(bulk, items('a'), withKey('old'))
    await tenant.put(bulk, items('b'), withKey('young'))
    const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
    const own = () => db('idempotent_answers').where({ tenant_id: id })
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000 - 60_000)
    await own().where({ idempotency_key: 'old' }).update({ created_at: twoDaysAgo })
    await forgetAnswers(db)
    expect(await own().pluck('idempotency_key')).toEqual(['young'])
    expect((await tenant.put(bulk, items('c'), withKey('old'))).status).toBe(204)
  } finally {
    await db.destroy()
  }
})

test('the answers of a tenant are forgotten although its writers take all turns', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 3, turnMs: 50 })
  try {
    await tenant.put(bulk, items('a'), withKey('old'))
    const { id } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
    const own = () => db('idempotent_answers').where({ tenant_id: id })
    await own().update({ created_at: new Date(0) })
    const { arrive, reached, open, passed } = gate()
    const writer = transaction(db, id, () => {
      arrive()
      return passed
    })
    await reached
    await forgetAnswers(db).finally(open)
    await writer
    expect(await own()).toEqual([])
  } finally {
    await db.destroy()
  }
})

describe('where the work is a job', () => {
  beforeEach(async () => {
    await tenant.put('/api/v1/structureType', aType('unit'))
  })
  const prefer = (value: string) => ({ prefer: value })
  const batch = (key: string) => [anEntity(key)]

  test('the same request again is answered the same, with the job of the first', async () => {
    const first = await tenant.put(entities, batch('a'), withKey('k'))
    expect(told(first)).toEqual({ status: 204, location: expect.stringMatching(/^\/api\/v1\/jobs\//), body: '' })
    expect(told(await tenant.put(entities, batch('a'), withKey('k')))).toEqual(told(first))
    expect(await jobs()).toEqual([first.headers.get('location')?.split('/').at(-1)])
  })

  test('without a key, the same request again is another job', async () => {
    await tenant.put(entities, batch('a'))
    await tenant.put(entities, batch('a'))
    expect(await jobs()).toHaveLength(2)
  })

  test('of ten identical requests at once, one makes a job and all are answered alike', async () => {
    const send = () => tenant.put(entities, batch('a'), withKey('k'))
    const [first, ...others] = (await Promise.all(Array.from({ length: 10 }, send))).map(told)
    expect(first).toMatchObject({ status: 204, location: expect.any(String) })
    for (const other of others) expect(other).toEqual(first)
    expect(await jobs()).toHaveLength(1)
  })

  test('the key of a job with another path is 422', async () => {
    await tenant.put(entities, batch('a'), withKey('k'))
    const { body } = await tenant.put(bulk, items('a'), withKey('k'))
    expect(body).toEqual(problem(422, 'idempotency-key-reused', bulk))
    expect(await keys()).toEqual([])
  })

  test.each(['respond-async', 'Respond-Async', 'wait=10, respond-async', 'respond-async; x=1'])(
    'Prefer: "%s" is answered 202 with the job, which then completes',
    async value => {
      const answer = await tenant.put<{ jobId: string; links: object }>(entities, batch('a'), prefer(value))
      const self = `/api/v1/jobs/${answer.body.jobId}`
      expect([answer.status, answer.headers.get('location')]).toEqual([202, self])
      expect(answer.body).toMatchObject({
        kind: 'structuralEntityBulkUpsert',
        progress: { total: 1 },
        links: { self },
      })
      await expect.poll(async () => (await tenant.get(self)).body).toMatchObject({ status: 'Completed' })
    },
  )

  test.each(['', 'wait=10', 'respond-asynchronously', 'not-respond-async'])('Prefer: "%s" waits', async value => {
    expect((await tenant.put(entities, batch('a'), prefer(value))).status).toBe(204)
  })

  test('a waiting request with the key of an accepted job waits for that job', async () => {
    const first = await tenant.put<{ jobId: string }>(entities, batch('a'), withKey('k', prefer('respond-async')))
    const second = await tenant.put(entities, batch('a'), withKey('k'))
    expect(told(second)).toEqual({ status: 204, location: `/api/v1/jobs/${first.body.jobId}`, body: '' })
    expect(await jobs()).toHaveLength(1)
  })
})
