// Bulk upserts of subjects.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { matchingHashes, type ValueHash } from '../../db/frame/fields/matching.js'
import { lockMatching } from '../../db/frame/subjects/subject-plan.js'
import type { Reply, Tenant } from '../support/api.js'
import { addPerson, aField, openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { invalid, readAll, refusal } from '../support/frame.js'
import { mergesOf } from '../support/merges.js'
import { randomOf } from '../support/random.js'
import {
  bulkPath,
  patch,
  peopleOf,
  person,
  readPerson,
  type SubjectBody,
  subjectsPath,
  texts,
  upsertPaths,
  type WrittenSubject,
} from '../support/subjects.js'
import { until } from '../support/until.js'

const db = openDatabase()
afterAll(() => db.destroy())

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

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
  const ids = (prefix: string, count: number) => times(count, n => `${path.length} ${prefix} ${n}`)

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
      const single = await tenant.post(path.replace('/bulk', ''), batch[n])
      expect([single.status, single.body]).toEqual([200, { ...each, outcome: 'updated' }])
    }
    for (const [n, { outcome }] of body.entries()) {
      expect(outcome).toBe(n === 10 ? 'updated' : 'created')
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

  test('21 items of which one is bad get only the fault that they are too many', async () => {
    const batch = [...ids('more', 20).map(id => person(id)), { CustomFieldValues: texts({ nationalId: 7 as never }) }]
    expect(refusal(await tenant.post(path, batch))).toEqual(invalid('too-many'))
  })

  test('a repeated Idempotency-Key answers the same subjects and writes nothing again', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const batch = ids('key', 3).map(id => person(id))
    const first = await tenant.post<WrittenSubject[]>(path, batch, key)
    expect(first.status).toBe(200)
    const again = await tenant.post(path, batch, key)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect(refusal(await tenant.post(path, batch.slice(1), key))).toMatchObject({ status: 422 })
    const other = await tenant.post(path, batch, { 'idempotency-key': randomUUID() })
    expect(other.body).toEqual(first.body.map(each => ({ ...each, outcome: 'updated' })))
  })

  test('a repeated Idempotency-Key answers a merged subject as its survivor, and 410 for one that was erased', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const batch = ids('led', 3).map(id => person(id))
    const first = await tenant.post<WrittenSubject[]>(path, batch, key)
    const [a = '', b = '', c = ''] = first.body.map(({ internalId }) => internalId)
    expect((await mergesOf(tenant).merge(c, b)).status).toBe(200)
    const again = await tenant.post<WrittenSubject[]>(path, batch, key)
    expect(again.body.map(({ internalId }) => internalId)).toEqual([a, c, c])
    const erasure = await tenant.post<JobBody>(`${subjectsPath}/${a}/erase`)
    await ended(tenant, erasure.body.jobId)
    expect(refusal(await tenant.post(path, batch, key))).toMatchObject({ status: 410 })
  })

  test('five requests with one key at the same moment are answered alike', async () => {
    const key = { 'idempotency-key': randomUUID() }
    const batch = ids('at once', 4).map(id => person(id))
    const answers = await Promise.all(times(5, () => tenant.post<WrittenSubject[]>(path, batch, key)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  })

  test('Prefer: respond-async is answered with the subjects, because they are written', async () => {
    const batch = ids('async', 2).map(id => person(id))
    const answer = await tenant.post<WrittenSubject[]>(path, batch, { prefer: 'respond-async' })
    expect([answer.status, idsOf(answer.body)]).toEqual([200, ids('async', 2)])
    expect([answer.headers.get('location'), answer.headers.get('preference-applied')]).toEqual([null, null])
  })
})

describe('a bulk that another request overtakes', () => {
  let tenant: Tenant
  beforeEach(async () => {
    tenant = await subjectTenant()
    await plantWards(tenant, 'a')
  })

  const hashOf = (nationalId: string): ValueHash =>
    matchingHashes(['nationalId'], { nationalId: ['String', nationalId] })?.together ?? ''

  /** A bulk that waits for somebody else's lock, and goes on with `release`. */
  async function heldBulk(batch: object[]): Promise<{ release(): Promise<Reply<WrittenSubject[]>> }> {
    // Locks are taken in the order of the hashes: the bulk waits for this one and has none yet.
    const first = times(1000, n => `held ${n}`).sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))[0]
    const trx = await db.transaction()
    await lockMatching(trx, await tenantIdOf(db, tenant.tenantKey), [hashOf(first ?? '')])
    const answer = tenant.post<WrittenSubject[]>(bulkPath, [...batch, person(first ?? '')])
    await until('the bulk waits for the lock', async () => {
      const [threads = []]: { Info: string | null }[][] = await db.raw('SHOW FULL PROCESSLIST')
      return threads.some(({ Info }) => /^insert into `?subject_matching_keys/i.test(Info ?? ''))
    })
    return {
      async release() {
        await trx.commit()
        return answer
      },
    }
  }

  test('updates a subject that another request creates while it waits', async () => {
    const bulk = await heldBulk([person('1', { familyName: 'Bulk' }, ['a'])])
    const id = await addPerson(tenant, '1', { email: 'kept' })
    const { status, body } = await bulk.release()
    expect([status, body[0]?.internalId]).toEqual([200, id])
    expect(body.map(({ outcome }) => outcome)).toEqual(['updated', 'created'])
    expect((await peopleOf(tenant)).filter(each => each === '1')).toHaveLength(1)
    expect(await readPerson(tenant, id)).toMatchObject({ familyName: 'Bulk', email: 'kept', places: ['a'] })
  })

  test('creates a new subject if the one it meant gets other matching values while it waits', async () => {
    const id = await addPerson(tenant, '1', { email: 'kept' })
    const bulk = await heldBulk([person('1', { familyName: 'Bulk' }, ['a'])])
    expect((await patch(tenant, id, texts({ nationalId: '2' }))).status).toBe(200)
    expect((await bulk.release()).status).toBe(200)
    expect(await readPerson(tenant, id)).toMatchObject({
      nationalId: '2',
      familyName: 'Byron',
      email: 'kept',
      places: [],
    })
    expect((await peopleOf(tenant)).slice(0, 1)).toEqual(['2'])
    const [made] = await peopleOf(tenant, { 'customFieldValueFilter.values[nationalId]': '1' }, 'familyName')
    expect(made).toBe('Bulk')
  })

  test('is refused, without a write or a job, if a change makes an item invalid while it waits', async () => {
    const id = await addPerson(tenant, '1')
    // The item is all that there is for one who exists, and too little for somebody new.
    const bulk = await heldBulk([{ CustomFieldValues: texts({ nationalId: '1', email: 'x' }) }])
    expect((await patch(tenant, id, texts({ nationalId: '2' }))).status).toBe(200)
    const missing = 'required-custom-field /0/CustomFieldValues #0'
    expect(refusal(await bulk.release())).toEqual(invalid(missing, missing))
    expect(await peopleOf(tenant)).toEqual(['2'])
    expect(await readPerson(tenant, id)).not.toHaveProperty('email')
    expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { Edges: [] } })
  })
})

describe('at the same moment', () => {
  const seed = Number(process.env.SUBJECTS_SEED ?? 20_261_205)
  const statuses = (answers: Reply[]) => [...new Set(answers.map(({ status }) => status))]

  test.each([2, 12])('%i upserts of one new person, spelled in four ways, make one subject', async count => {
    const tenant = await subjectTenant()
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        times(count, n => {
          const spelling = [`né ${round}`, `ne\u0301 ${round}`, ` né ${round}`, `né ${round}\u00a0`][n % 4]
          const body = person(spelling ?? '', { email: `${n}@example.org` })
          const path = upsertPaths[n % 2] ?? subjectsPath
          return n % 3 === 2
            ? tenant
                .post<WrittenSubject[]>(`${path}/bulk`, [body])
                .then(({ body: [one], ...rest }) => ({ ...rest, body: one }))
            : tenant.post<WrittenSubject>(path, body)
        }),
      )
      // The one that created the person may be a bulk.
      expect(statuses(answers).filter(status => status !== 201)).toEqual([200])
      expect(answers.filter(({ body }) => body?.outcome === 'created')).toHaveLength(1)
      const ids = new Set(answers.map(({ body }) => `${body?.internalId} ${body?.externalId}`))
      expect(ids.size).toBe(1)
      expect(await peopleOf(tenant)).toHaveLength(round + 1)
    }
  })

  test('ten bulks of the same twenty people in different orders make twenty subjects, each with the values of one bulk', async () => {
    const tenant = await subjectTenant()
    await plantWards(tenant, ...times(10, n => `w${n}`))
    const random = randomOf(seed)
    const answers = await Promise.all(
      times(10, n => {
        const batch = times(20, m => person(`p${m}`, { givenName: `by ${n}`, email: `by ${n}` }, [`w${n}`]))
        return tenant.post<WrittenSubject[]>(bulkPath, random.shuffled(batch))
      }),
    )
    expect(statuses(answers)).toEqual([200])
    expect((await peopleOf(tenant)).sort()).toEqual(times(20, n => `p${n}`).sort())
    const everybody = await readAll<SubjectBody>(tenant, subjectsPath)
    const read = await Promise.all(everybody.map(({ Id }) => readPerson(tenant, Id)))
    // All or nothing: the bulk that was the last wrote all of everybody.
    const last = read[0]?.email
    for (const each of read)
      expect(each).toMatchObject({ givenName: last, email: last, places: [`${last}`.replace('by ', 'w')] })
  })

  test('twenty existing subjects are given different places at once, and each has its own', async () => {
    const tenant = await subjectTenant()
    await plantWards(tenant, ...times(20, n => `w${n}`))
    const ids = await Promise.all(times(20, n => addPerson(tenant, `p${n}`, {}, [`w${(n + 1) % 20}`])))
    const answers = await Promise.all(times(20, n => tenant.post(subjectsPath, person(`p${n}`, {}, [`w${n}`]))))
    expect(statuses(answers)).toEqual([200])
    for (const [n, id] of ids.entries()) expect(await readPerson(tenant, id)).toMatchObject({ places: [`w${n}`] })
  })

  /**
   * Each writer writes its number into some fields of some people: whoever writes a person writes `familyName`, so what it holds
   * says who was the last, and what only single writers write must be one of theirs.
   */
  test(`upserts, bulks, changes and assignments of the same people in any order end as some order explains (SUBJECTS_SEED=${seed})`, async () => {
    const random = randomOf(seed)
    const tenant = await subjectTenant()
    await plantWards(tenant, 'a', 'b', 'c')
    const ids = await Promise.all(times(8, n => addPerson(tenant, `p${n}`, {}, ['a'])))
    const some = () => random.shuffled(times(12, n => n)).slice(0, random.between(2, 9))
    const writers: ((n: number) => Promise<Reply>)[] = [
      n => tenant.post(subjectsPath, person(`p${random.between(0, 12)}`, { familyName: `${n}`, email: `${n}` })),
      n =>
        tenant.post(
          bulkPath,
          some().map(m => person(`p${m}`, { familyName: `${n}`, email: `${n}` }, [['a', 'b', 'c'][n % 3] ?? ''])),
        ),
      n => patch(tenant, ids[random.between(0, 8)] ?? '', texts({ familyName: `${n}`, email: `${n}` })),
      () => tenant.put(`/api/v1/subject/${ids[random.between(0, 8)]}/structuralEntities`, { keys: ['b', 'c'] }),
      () => tenant.delete(`/api/v1/subject/${ids[random.between(0, 8)]}/structuralEntities?keys=a&keys=c`),
    ]
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(times(16, n => writers[random.between(0, writers.length)]?.(round * 100 + n)))
      expect(
        answers.filter(answer => answer && ![200, 201, 204].includes(answer.status)).map(answer => answer?.body),
      ).toEqual([])
    }
    const people = await peopleOf(tenant)
    expect(people.toSorted()).toEqual([...new Set(people)].sort())
    expect(people.slice(0, 8).toSorted()).toEqual(times(8, n => `p${n}`))
    for (const { Id } of await readAll<SubjectBody>(tenant, subjectsPath)) {
      const { familyName, email, places } = await readPerson(tenant, Id)
      // One transaction writes both, so nobody has one from the one and one from the other.
      expect(familyName === 'Byron' ? undefined : familyName).toBe(email)
      expect(places).toEqual([...new Set(places as string[])])
    }
    await expectIndexed(tenant)
  })

  test('changes of different fields of one subject at the same moment are all kept', async () => {
    const keys = times(20, n => `f${n}`)
    const fields = [aField('id', 'Text', { required: true }), ...keys.map(key => aField(key))]
    const tenant = await subjectTenant({ fields, matchingFields: ['id'], portal: {} })
    const created = await tenant.post<WrittenSubject>(subjectsPath, { CustomFieldValues: texts({ id: '1' }) })
    const id = created.body.internalId
    const answers = await Promise.all(
      keys.map((key, n): Promise<Reply> => {
        if (n % 3 === 0) return patch(tenant, id, texts({ [key]: key }))
        const body = { CustomFieldValues: texts({ id: '1', [key]: key }) }
        return n % 3 === 1 ? tenant.post(subjectsPath, body) : tenant.post(bulkPath, [body])
      }),
    )
    expect(statuses(answers)).toEqual([200])
    expect(await readPerson(tenant, id)).toEqual({
      ...{ id: '1', places: [] },
      ...Object.fromEntries(keys.map(key => [key, key])),
    })
  })

  test('subjects that exchange matching values at once leave each value with one subject', async () => {
    const tenant = await subjectTenant()
    for (let round = 0; round < 3; round++) {
      const id = await addPerson(tenant, `from ${round}`)
      const [changed, upserted, bulk] = await Promise.all([
        patch(tenant, id, texts({ nationalId: `to ${round}` })),
        tenant.post<WrittenSubject>(subjectsPath, person(`to ${round}`, { email: 'single' })),
        tenant.post<WrittenSubject[]>(bulkPath, [person(`from ${round}`, { email: 'bulk' })]),
      ])
      expect([upserted.status, bulk.status]).toEqual([upserted.body.internalId === id ? 200 : 201, 200])
      if (changed.status === 200) expect(upserted.body.internalId).toBe(id)
      else expect(refusal(changed)).toEqual({ status: 409, code: 'matching-values-taken', errors: [] })
      const people = (await peopleOf(tenant)).filter(each => each.endsWith(` ${round}`))
      expect(people.sort()).toEqual([...new Set(people)])
      expect(people).toContain(`to ${round}`)
    }
    await expectIndexed(tenant)
  })

  /** Every subject is found by exactly the values that it holds. */
  async function expectIndexed(tenant: Tenant) {
    for (const subject of await readAll<SubjectBody>(tenant, subjectsPath)) {
      for (const { Field, Value } of subject.CustomFieldValues) {
        if (Array.isArray(Value)) continue
        const query = { [`customFieldValueFilter.values[${Field.Key}]`]: Value.ValueText }
        const found = await readAll<SubjectBody>(tenant, subjectsPath, query)
        const holders = found.map(each => each.CustomFieldValues.find(held => held.Field.Key === Field.Key)?.Value)
        expect(found.map(({ Id }) => Id)).toContain(subject.Id)
        for (const held of holders) expect(held).toEqual(Value)
      }
    }
  }
})
