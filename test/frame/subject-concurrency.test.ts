import { expect, test } from 'vitest'
import type { Reply, Tenant } from '../support/api.js'
import { readAll, refusal } from '../support/frame.js'
import { randomOf } from '../support/random.js'
import {
  addPerson,
  aField,
  bulkPath,
  patch,
  peopleOf,
  person,
  plantWards,
  readPerson,
  type SubjectBody,
  subjectsPath,
  subjectTenant,
  texts,
  upsertPaths,
  type WrittenSubject,
} from '../support/subjects.js'

const seed = Number(process.env.SUBJECTS_SEED ?? 20_261_205)
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const statuses = (answers: Reply[]) => [...new Set(answers.map(({ status }) => status))]

test.each([2, 20])('%i upserts of one new person, spelled in four ways, make one subject', async count => {
  const tenant = await subjectTenant()
  for (let round = 0; round < 5; round++) {
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
    expect(statuses(answers)).toEqual([200])
    const ids = new Set(answers.map(({ body }) => `${body?.internalId} ${body?.externalId}`))
    expect(ids.size).toBe(1)
    expect(await peopleOf(tenant)).toHaveLength(round + 1)
  }
})

test('twenty bulks of the same twenty, each in another order, make twenty subjects; each has all values of one of them', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, ...times(20, n => `w${n}`))
  const random = randomOf(seed)
  const answers = await Promise.all(
    times(20, n => {
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

test('twenty who exist are given other places at the same moment, and each has its own', async () => {
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
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(times(24, n => writers[random.between(0, writers.length)]?.(round * 100 + n)))
    expect(answers.filter(answer => answer && ![200, 204].includes(answer.status)).map(answer => answer?.body)).toEqual(
      [],
    )
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

test('matching values that go from one to another at the same moment end with each value on one subject', async () => {
  const tenant = await subjectTenant()
  for (let round = 0; round < 6; round++) {
    const id = await addPerson(tenant, `from ${round}`)
    const [changed, upserted, bulk] = await Promise.all([
      patch(tenant, id, texts({ nationalId: `to ${round}` })),
      tenant.post<WrittenSubject>(subjectsPath, person(`to ${round}`, { email: 'single' })),
      tenant.post<WrittenSubject[]>(bulkPath, [person(`from ${round}`, { email: 'bulk' })]),
    ])
    expect([upserted.status, bulk.status]).toEqual([200, 200])
    if (changed.status === 200) expect(upserted.body.internalId).toBe(id)
    else expect(refusal(changed)).toEqual({ status: 409, code: 'matching-values-taken', errors: [] })
    const people = (await peopleOf(tenant)).filter(each => each.endsWith(` ${round}`))
    expect(people.sort()).toEqual([...new Set(people)])
    expect(people).toContain(`to ${round}`)
    await expectIndexed(tenant)
  }
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
