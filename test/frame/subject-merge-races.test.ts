// Merges beside other writes of the same subjects.
import { expect, test } from 'vitest'
import type { Reply } from '../support/api.js'
import { addPerson, aNote, formsTenant, openDatabase, plantWards } from '../support/factories.js'
import { aRequest, createPath, patientOf } from '../support/instances.js'
import { mergesOf } from '../support/merges.js'
import {
  patch,
  person,
  readPerson,
  type SubjectBody,
  subjectsPath,
  texts,
  type WrittenSubject,
} from '../support/subjects.js'

const db = openDatabase()

const tenant = await formsTenant()
await tenant.publish(aNote())
await plantWards(tenant, 'a', 'b')

const rounds = Array.from({ length: 4 }, (_, n) => `r${n}`)

/** Repeats a call while others hold its rows for longer than it waits. */
async function insisted<Body>(call: () => Promise<Reply<Body>>): Promise<Reply<Body>> {
  for (;;) {
    const answer = await call()
    if (answer.status !== 503) return answer
  }
}

test('a merge during upserts, changes, assignments and forms of both subjects loses nothing and leaves nobody twice', async () => {
  const { merge, ids } = mergesOf(tenant)
  for (const name of rounds) {
    const [stays, goes] = [await addPerson(tenant, `${name}-1`), await addPerson(tenant, `${name}-2`)]
    const upsert = (nationalId: string, more: Record<string, string>) =>
      tenant.post<WrittenSubject>(subjectsPath, person(nationalId, more))
    const createForm = () => tenant.forms.post<{ instanceGuid: string }>(createPath, aRequest(goes))
    const place = (id: string, key: string) => tenant.put(`/api/v1/subject/${id}/structuralEntities`, { keys: [key] })
    const [form, ...answers] = await Promise.all([
      insisted(createForm),
      insisted(() => merge(stays, goes)),
      insisted(() => upsert(`${name}-1`, { phone: '+33 1' })),
      insisted(() => upsert(`${name}-2`, { email: 'mine' })),
      insisted(() => patch(tenant, goes, texts({ languages: ['fr'] }))),
      insisted(() => place(stays, 'a')),
      insisted(() => place(goes, 'b')),
    ])
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200, 204, 204])
    expect(await readPerson(tenant, stays)).toMatchObject({
      nationalId: `${name}-1`,
      phone: '+33 1',
      email: 'mine',
      languages: ['fr'],
      places: ['a', 'b'],
    })
    const { body } = await patientOf({ subjectId: stays, forms: tenant.forms }).list()
    expect(body.map(({ instanceGuid }) => instanceGuid)).toEqual([form.body.instanceGuid])
    expect(await ids({ SearchTerm: 'mine' })).not.toContain(goes)
  }
  const people = await ids()
  expect(people).toHaveLength(rounds.length + 1)
})

test('one of two simultaneous opposite merges is done, and a merge beside its undo ends as one or the other', async () => {
  const { merge, unmerge, ids } = mergesOf(tenant)
  const total = (await ids()).length
  for (const [n, name] of rounds.entries()) {
    const [a, b] = [await addPerson(tenant, `x${name}-1`), await addPerson(tenant, `x${name}-2`)]
    const answers = await Promise.all([insisted(() => merge(a, b)), insisted(() => merge(b, a))])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    const into = answers.find(({ status }) => status === 200)?.body.Id
    const gone = into === a ? b : a
    const again = await Promise.all([insisted(() => unmerge(gone)), insisted(() => merge(into ?? '', gone))])
    expect(again.map(({ status }) => status)).toEqual([200, 200])
    await unmerge(gone)
    for (const id of [a, b]) expect((await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body.Id).toBe(id)
    expect((await ids()).length).toBe(total + 2 * (n + 1))
  }
})

test('an erasure beside a merge erases both subjects, or one that is not merged', async () => {
  const { merge } = mergesOf(tenant)
  for (const name of rounds) {
    const [stays, goes] = [await addPerson(tenant, `e${name}-1`), await addPerson(tenant, `e${name}-2`)]
    const [erased, answer] = await Promise.all([
      tenant.post<{ jobId: string }>(`${subjectsPath}/${goes}/erase`),
      insisted(() => merge(stays, goes)),
    ])
    expect(erased.status).toBe(202)
    expect([200, 410]).toContain(answer.status)
    const tombstones = await db('subject_tombstones').whereIn('subject_id', [stays, goes]).pluck('subject_id')
    expect(tombstones.sort()).toEqual(answer.status === 200 ? [stays, goes].sort() : [goes])
  }
})
