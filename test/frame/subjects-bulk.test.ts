import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { ended, type JobBody } from '../support/faults.js'
import { invalid, type Page, refusal } from '../support/frame.js'
import type { JobItemBody } from '../support/jobs.js'
import {
  addPerson,
  peopleOf,
  person,
  plantWards,
  readPerson,
  subjectTenant,
  texts,
  upsertPaths,
  type WrittenSubject,
} from '../support/subjects.js'

let tenant: Tenant
beforeAll(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, 'a', 'b')
})

/** The national ids of written subjects. */
const idsOf = (subjects: WrittenSubject[]) =>
  subjects.map(({ customFieldValues }) => {
    const held = customFieldValues.find(({ customField }) => customField.id === 'nationalId')
    return (held?.value as { valueText: string } | undefined)?.valueText
  })

describe.each(upsertPaths.map(path => `${path}/bulk`))('POST %s', path => {
  const ids = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${path.length} ${prefix} ${n}`)

  test('creates and updates up to 20, and answers each in the order of the request, as the single upsert does', async () => {
    const [first = '', ...others] = ids('order', 20).toReversed()
    const there = await addPerson(tenant, first, { email: 'kept@example.org' }, ['b'])
    const wanted = [...others.slice(0, 10), first, ...others.slice(10)]
    const batch = wanted.map(id => person(id, {}, ['a']))
    const { status, body } = await tenant.post<WrittenSubject[]>(path, batch)
    expect([status, idsOf(body)]).toEqual([200, wanted])
    expect(body[10]?.internalId).toBe(there)
    expect(await readPerson(tenant, there)).toMatchObject({ email: 'kept@example.org', places: ['a'] })
    for (const [n, each] of body.entries()) {
      expect((await tenant.post(path.replace('/bulk', ''), batch[n])).body).toEqual(each)
    }
  })

  test('is all or nothing: every fault of every item is named, and nobody is written', async () => {
    const [existing = '', ...news] = ids('nothing', 5)
    const there = await addPerson(tenant, existing)
    const batch = [
      person(existing, { givenName: 'Changed' }),
      person(news[0] ?? '', { phone: 'none' }, ['nowhere', 'a']),
      { CustomFieldValues: texts({ nationalId: news[1] ?? '' }) },
      person(news[2] ?? '', {}, ['attic']),
      { CustomFieldValues: texts({ colour: 'red' }) },
    ]
    expect(refusal(await tenant.post(path, batch))).toEqual(
      invalid(
        'phone-number /1/CustomFieldValues/3/Value/String/Value #1',
        'unknown-structural-entity /1/StructuralEntityKeys/0 #1',
        'required-custom-field /2/CustomFieldValues #2',
        'required-custom-field /2/CustomFieldValues #2',
        'not-assignable /3/StructuralEntityKeys/0 #3',
        'unknown-custom-field /4/CustomFieldValues/0/Key #4',
        'required-matching-field /4/CustomFieldValues #4',
      ),
    )
    expect(await readPerson(tenant, there)).toMatchObject({ givenName: 'Ada' })
    for (const id of news) expect(await peopleOf(tenant)).not.toContain(id)
  })

  test('refuses the same match twice, new or there, and names each but the first', async () => {
    const [there = '', fresh = ''] = ids('twice', 2)
    await addPerson(tenant, there)
    const batch = [person(fresh), person(there), person(fresh, { givenName: 'B' }), person(there), person(fresh)]
    expect(refusal(await tenant.post(path, batch))).toEqual(
      invalid(...[2, 3, 4].map(n => `duplicate-subject /${n}/CustomFieldValues #${n}`)),
    )
    expect(await peopleOf(tenant)).not.toContain(fresh)
  })

  test.each([
    ['an empty batch', () => [], 'too-few'],
    ['21 items', () => ids('many', 21).map(id => person(id)), 'too-many'],
    ['one subject that is no batch', () => person(`${path.length} alone`), 'wrong-type'],
  ])('refuses %s', async (_, batch, code) => {
    const before = await peopleOf(tenant)
    expect(refusal(await tenant.post(path, batch()))).toEqual(invalid(code))
    expect(await peopleOf(tenant)).toEqual(before)
  })

  test('21 items, one of them bad: both are named', async () => {
    const batch = [...ids('more', 20).map(id => person(id)), { CustomFieldValues: texts({ nationalId: 7 as never }) }]
    expect(refusal(await tenant.post(path, batch)).errors).toEqual(
      expect.arrayContaining(['too-many', 'wrong-type /20/CustomFieldValues/0/Value/String/Value #20']),
    )
  })

  test('a repeated Idempotency-Key answers the same subjects and writes nothing again', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const batch = ids('key', 3).map(id => person(id))
    const first = await tenant.post<WrittenSubject[]>(path, batch, key)
    expect(first.status).toBe(200)
    const again = await tenant.post(path, batch, key)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(refusal(await tenant.post(path, batch.slice(1), key))).toMatchObject({ status: 422 })
    const other = await tenant.post(path, batch, { 'idempotency-key': randomUUID() })
    expect(other.headers.get('location')).not.toBe(first.headers.get('location'))
    expect(other.body).toEqual(first.body)
  })

  test('five requests with one key at the same moment are one job', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const batch = ids('at once', 4).map(id => person(id))
    const answers = await Promise.all(Array.from({ length: 5 }, () => tenant.post<WrittenSubject[]>(path, batch, key)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ headers }) => headers.get('location'))).size).toBe(1)
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test('Prefer: respond-async answers 202 with the job; the same key answers the subjects when it is done', async () => {
    const [there = '', ...news] = ids('async', 3)
    await addPerson(tenant, there)
    const batch = [...news, there].map(id => person(id))
    const key = { 'idempotency-key': randomUUID() }
    const answer = await tenant.post<JobBody>(path, batch, { prefer: 'respond-async', ...key })
    expect([answer.status, answer.body]).toMatchObject([
      202,
      {
        kind: 'subjectBulkUpsert',
        status: expect.stringMatching(/^(Accepted|Running|Completed)$/),
        progress: { total: 3 },
      },
    ])
    expect(answer.headers.get('preference-applied')).toBe('respond-async')
    expect(answer.headers.get('location')).toBe(answer.body.links.self)
    const job = await ended(tenant, answer.body.jobId)
    expect(job).toMatchObject({
      status: 'Completed',
      counts: { created: 2, updated: 1 },
      progress: { done: 3, total: 3 },
    })
    const { body: items } = await tenant.get<Page<JobItemBody>>(job.links.items)
    const done = await tenant.post<WrittenSubject[]>(path, batch, key)
    expect([done.status, idsOf(done.body)]).toEqual([200, [...news, there]])
    expect(items.Edges.map(({ Node }) => [Node.index, Node.key, Node.outcome])).toEqual(
      done.body.map(({ internalId }, n) => [n, internalId, n < 2 ? 'created' : 'updated']),
    )
  })

  test('does not make a bad batch a job', async () => {
    const own = await subjectTenant()
    const bad = [{ CustomFieldValues: texts({ nationalId: '1' }) }]
    expect((await own.post(path, bad, { prefer: 'respond-async' })).status).toBe(400)
    expect(await own.get('/api/v1/jobs')).toMatchObject({ body: { Edges: [] } })
  })
})
