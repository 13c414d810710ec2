// Merges of subjects: what becomes of everything, and of the old ids.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { settleWords } from '../../db/frame/search/word-settling.js'
import type { Problem, Reply } from '../support/api.js'
import { type ExtractBody, extract, instanceExtractPath } from '../support/extracts.js'
import {
  addPerson,
  aNote,
  formAsked,
  formsTenant,
  openDatabase,
  plantWards,
  subjectTenant,
  value,
  whole,
} from '../support/factories.js'
import { ended } from '../support/faults.js'
import { invalid, list, refusal } from '../support/frame.js'
import { patientOf } from '../support/instances.js'
import { mergesOf, wholeData } from '../support/merges.js'
import { invite, invitedTo, uninvite } from '../support/portal.js'
import { effectiveDate, file, formOf, formType, title } from '../support/records.js'
import { tablesWithColumn } from '../support/schema.js'
import { patch, peopleOf, readPerson, type SubjectBody, subjectsPath, texts } from '../support/subjects.js'

const db = openDatabase()

const tenant = await formsTenant()
const partly = await tenant.clients([
  ['View:Subject', 'Edit:Subject'],
  ['View:Subject', 'Delete:Subject'],
])
const tenant_id = await tenantIdOf(db, tenant.tenantKey)
const calls = mergesOf(tenant)
await tenant.publish(aNote({ allowRevoke: true, allowAmend: true }))
await plantWards(tenant, 'a', 'b', 'c')
await tenant.put('/api/v1/group', { Key: 'g', DisplayName: 'G', StructuralEntityKeys: ['b'] })

const places = (id: string) => `/api/v1/subject/${id}/structuralEntities`
const files = (id: string) => `/api/v1/subjects/${id}/file`

async function uploaded(id: string, name: string): Promise<string> {
  const form = formOf([title(name), effectiveDate(), file(`%PDF-1.7 ${name}`)]).toString()
  const headers = { 'content-type': formType }
  const { status, body } = await tenant.post<{ id: string }>(`${files(id)}/upload`, form, headers)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.id
}

interface Person {
  id: string
  externalId: string
  forms: string[]
  document: string
}

/** A person with something of everything. */
async function everything(name: string, values: Record<string, string | string[]>, wards: string[]): Promise<Person> {
  const id = await addPerson(tenant, name, values, wards)
  await patch(tenant, id, [value('dateOfBirth', 'Date', '1980-01-31')])
  const patient = patientOf({ subjectId: id, forms: tenant.forms })
  const [complete, draft, withdrawn] = [await patient.created(), await patient.created(), await patient.created()]
  await patient.submit(complete, whole)
  await patient.save(draft, { note: name })
  await patient.submit(withdrawn, whole)
  await patient.withdraw(withdrawn)
  expect((await tenant.post(invite(id))).status).toBe(200)
  const invited = await tenant.post(invite(id), [`${name}@family.example`, 'both@family.example'])
  expect(invited.status).toBe(200)
  // Its mails change while they are sent.
  await ended(tenant, invited.headers.get('location')?.split('/').at(-1) ?? '')
  const point = { tenant_id, extract_key: 'x', subject_id: id, subject_identifier: name }
  await db('data_points').insert({ ...point, snapshot: 1, point_id: '1', items: '[]' })
  const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)
  return { id, externalId: body.ExternalId, forms: [complete, draft, withdrawn], document: await uploaded(id, name) }
}

const documentsOf = async (id: string) => {
  const { body } = await tenant.get<{ edges: { node: { title: string } }[] }>(files(id))
  return body.edges.map(({ node }) => node.title).sort()
}
const formsOf = async (id: string) => {
  const { body } = await patientOf({ subjectId: id, forms: tenant.forms }).list('?includeWithdrawn=true')
  return body.map(({ instanceGuid }) => instanceGuid).sort()
}

describe('a merge', () => {
  let stays: Person
  let goes: Person
  let before: Awaited<ReturnType<typeof wholeData>>
  let earlier: ExtractBody
  let answer: Reply<SubjectBody>
  let changes: Awaited<ReturnType<typeof calls.changesOf>>
  const asked = { definitions: [formAsked('small')] }
  beforeAll(async () => {
    const common = { languages: ['fr', 'pl'] }
    stays = await everything('stays', { ...common, email: 'stays@example.org', givenName: 'Zoe' }, ['a', 'b'])
    goes = await everything(
      'goes',
      { languages: ['de', 'pl '], email: 'goes@example.org', phone: '+33 6 39', familyName: 'Kowalczyk' },
      ['b', 'c'],
    )
    await calls.ids({ OrderBy: 'familyName' })
    before = await wholeData(db, tenant_id)
    earlier = (await extract(tenant.forms, asked)).body
    changes = await calls.changesOf(async () => {
      answer = await calls.merge(stays.id, goes.id, { PreferredFields: ['familyName', 'weight'] })
    })
  })

  test('answers the survivor with its values, filled gaps, preferred fields, and all values of arrays', async () => {
    expect([answer.status, answer.body.Id, answer.body.ExternalId]).toEqual([200, stays.id, stays.externalId])
    const { places: _, ...values } = await readPerson(tenant, stays.id)
    expect(values).toEqual({
      nationalId: 'stays',
      givenName: 'Zoe',
      familyName: 'Kowalczyk',
      email: 'stays@example.org',
      phone: '+33 6 39',
      dateOfBirth: '1980-01-31',
      languages: ['fr', 'pl', 'de'],
    })
  })

  test('leaves one subject in lists, at the places of both, which is found by its present values only', async () => {
    const found = async (query: Record<string, string>) =>
      (await calls.ids(query)).filter(id => id === stays.id || id === goes.id)
    expect(await found({})).toEqual([stays.id])
    expect(await found({ IncludeDeactivated: 'true', OrderBy: 'UpdatedAt' })).toEqual([stays.id])
    expect(await found({ OrderBy: 'familyName' })).toEqual([stays.id])
    for (const ward of ['a', 'b', 'c']) expect(await found({ StructuralEntityKeys: ward })).toEqual([stays.id])
    await settleWords(db)
    expect(await found({ SearchTerm: 'zoe kowalczyk' })).toEqual([stays.id])
    expect(await found({ SearchTerm: 'goes' })).toEqual([])
    expect(await found({ 'customFieldValueFilter.values[phone]': '+33 6 39' })).toEqual([stays.id])
    expect(await found({ 'customFieldValueFilter.values[nationalId]': 'goes' })).toEqual([])
  })

  test("is in the feed with the id of the survivor, and in the survivor's list of merges", async () => {
    expect(changes).toEqual([
      { SubjectId: goes.id, Change: 'merged', IntoSubjectId: stays.id },
      { SubjectId: stays.id, Change: 'updated' },
      { SubjectId: stays.id, Change: 'moved' },
    ])
    for (const id of [stays.id, goes.id]) {
      const { body } = await calls.merges(id)
      expect(body).toEqual([
        {
          SubjectId: goes.id,
          IntoSubjectId: stays.id,
          MergedAt: expect.any(String),
          MergedBy: expect.stringContaining(tenant.tenantKey),
        },
      ])
    }
  })

  test('may be repeated: nothing changes', async () => {
    const data = await wholeData(db, tenant_id)
    expect(await calls.changesOf(() => calls.merge(stays.id, goes.id))).toEqual([])
    expect((await calls.merge(stays.id, goes.id)).body.Id).toBe(stays.id)
    expect(await wholeData(db, tenant_id)).toEqual(data)
  })

  test('makes the old ids lead to the survivor in every read', async () => {
    expect((await tenant.get<SubjectBody>(`${subjectsPath}/${goes.id}`)).body).toEqual(
      (await tenant.get<SubjectBody>(`${subjectsPath}/${stays.id}`)).body,
    )
    const all = [...stays.forms, ...goes.forms].sort()
    for (const id of [stays.id, stays.externalId, goes.id, goes.externalId]) expect(await formsOf(id)).toEqual(all)
    for (const id of [stays.id, goes.id]) {
      expect(await documentsOf(id)).toEqual(['goes', 'stays'])
      expect((await tenant.get(`${files(id)}/${goes.document}`)).status).toBe(200)
      expect((await invitedTo(tenant, id)).sort()).toEqual([
        'both@family.example',
        'goes@family.example',
        'self',
        'stays@family.example',
      ])
      const users = await tenant.get<{ Id: string }[]>(list('/api/v1/users', { withAccessToSubjectId: id }))
      expect(users.status).toBe(200)
      for (const form of all.filter(each => each !== stays.forms[2] && each !== goes.forms[2]))
        expect((await patientOf({ subjectId: id, forms: tenant.forms }).read(form)).status).toBe(200)
      const one = await tenant.forms.get<{ subjectIdentifier: string }>(instanceExtractPath(id, goes.forms[0] ?? ''))
      expect([one.status, one.body.subjectIdentifier]).toEqual([200, stays.id])
    }
  })

  test('gives extracts each form once under the survivor, also if they name an old id', async () => {
    const of = (body: ExtractBody) =>
      body.results.flatMap(each => each.results.map(one => [one.instanceGuid, one.subjectIdentifier])).sort()
    const expected = [stays.forms[0], goes.forms[0]].map(id => [id, stays.id]).sort()
    for (const subjectIdentifiers of [undefined, [goes.id], [stays.externalId, goes.externalId]])
      expect(of((await extract(tenant.forms, { ...asked, subjectIdentifiers })).body)).toEqual(expected)
    expect(of(earlier).map(([id]) => id)).toEqual(expected.map(([id]) => id))
  })

  test('leaves the old id in no table that readers see', async () => {
    const found: string[] = []
    for (const table of await tablesWithColumn(db, 'subject_id'))
      if (await db(table).where({ tenant_id, subject_id: goes.id }).first('subject_id')) found.push(table)
    // Its link, its data points, which are shown as of the other one, and an invitation that both have.
    expect(found).toEqual([
      'data_points',
      'merged_subject_rows',
      'merged_subject_values',
      'merged_subjects',
      'subject_access_users',
    ])
    expect(await db('subjects').where({ tenant_id, id: goes.id })).toEqual([])
    expect(await db('subject_access_users').where({ tenant_id, subject_id: goes.id }).pluck('holder')).toEqual([
      '',
      'both@family.example',
    ])
  })

  test('undone, it leaves everything as it was', async () => {
    const undone = await calls.changesOf(async () => {
      expect(await calls.unmerge(goes.id)).toMatchObject({ status: 200, body: { Id: goes.id } })
    })
    expect(await wholeData(db, tenant_id)).toEqual(before)
    expect(undone).toEqual([
      { SubjectId: goes.id, Change: 'unmerged', IntoSubjectId: stays.id },
      { SubjectId: stays.id, Change: 'updated' },
      { SubjectId: stays.id, Change: 'moved' },
    ])
    expect(await calls.changesOf(() => calls.unmerge(goes.id))).toEqual([])
    expect((await calls.unmerge(goes.id)).body.Id).toBe(goes.id)
    expect((await calls.merges(stays.id)).body).toEqual([])
    const { results } = (await extract(tenant.forms, { ...asked, subjectIdentifiers: [goes.id] })).body
    expect(results.flatMap(each => each.results)).toMatchObject([
      { instanceGuid: goes.forms[0], subjectIdentifier: goes.id },
    ])
  })
})

describe('writes by the old id', () => {
  let stays: string
  let goes: string
  let old: { form: string; document: string }
  beforeAll(async () => {
    stays = await addPerson(tenant, 'w-stays', { email: 'one@example.org', languages: ['fr'] }, ['a'])
    goes = await addPerson(tenant, 'w-goes', { phone: '+33 6 39', languages: ['de'] }, ['b'])
    const form = await patientOf({ subjectId: goes, forms: tenant.forms }).created()
    old = { form, document: await uploaded(goes, 'old') }
    await calls.merge(stays, goes)
  })

  test('go to the survivor', async () => {
    expect((await patch(tenant, goes, texts({ email: 'two@example.org', languages: ['it'] }))).body.Id).toBe(stays)
    expect((await tenant.put(places(goes), { keys: ['c'] })).status).toBe(204)
    expect((await tenant.delete(`${places(goes)}?keys=a`)).status).toBe(204)
    expect(await readPerson(tenant, stays)).toMatchObject({
      nationalId: 'w-stays',
      email: 'two@example.org',
      phone: '+33 6 39',
      languages: ['it'],
      places: ['b', 'c'],
    })
    await patch(tenant, stays, [value('dateOfBirth', 'Date', '1980-01-31')])
    expect((await tenant.post(invite(goes), ['new@family.example'])).status).toBe(200)
    expect((await tenant.post(invite(goes), ['gone@family.example'])).status).toBe(200)
    expect((await tenant.delete(uninvite(goes, 'gone@family.example'))).status).toBe(200)
    expect(await invitedTo(tenant, stays)).toEqual(['new@family.example'])
    const form = await patientOf({ subjectId: goes, forms: tenant.forms }).created()
    expect(await formsOf(stays)).toEqual([old.form, form].sort())
    await uploaded(goes, 'new')
    expect(await documentsOf(stays)).toEqual(['new', 'old'])
    for (const action of ['deactivate', 'reactivate'])
      expect((await tenant.post<SubjectBody>(`${subjectsPath}/${goes}/${action}`)).body.Id).toBe(stays)
  })

  test('a create of a form is the same when it is repeated after the merge', async () => {
    const [a, b] = [await addPerson(tenant, 'form-a'), await addPerson(tenant, 'form-b')]
    const patient = patientOf({ subjectId: b, forms: tenant.forms })
    const more = { instanceIdentifier: `${b}-form` }
    const instance = await patient.created(more)
    await calls.merge(a, b)
    expect(await patient.created(more)).toBe(instance)
  })

  test('stay with the survivor when the merge is undone, while what the other had goes back', async () => {
    const after = await formsOf(stays)
    expect((await calls.unmerge(goes)).status).toBe(200)
    expect(await readPerson(tenant, stays)).toMatchObject({
      email: 'two@example.org',
      languages: ['it'],
      places: ['c'],
    })
    expect(await readPerson(tenant, stays)).not.toHaveProperty('phone')
    expect(await readPerson(tenant, goes)).toMatchObject({ languages: ['de'], phone: '+33 6 39', places: ['b'] })
    expect([await formsOf(stays), await formsOf(goes)]).toEqual([after.filter(id => id !== old.form), [old.form]])
    expect([await documentsOf(stays), await documentsOf(goes)]).toEqual([['new'], ['old']])
    expect(await tenant.get(`${files(stays)}/${old.document}`)).toMatchObject({ status: 404 })
  })

  test('a place that was removed from the survivor and assigned again stays with it after the undo', async () => {
    const [a, b] = [await addPerson(tenant, 'place-a'), await addPerson(tenant, 'place-b', {}, ['a', 'b'])]
    await calls.merge(a, b)
    await tenant.delete(`${places(a)}?keys=a`)
    await db('subject_locations').where({ tenant_id, subject_id: a }).update({ assigned_at: '2026-01-01' })
    await tenant.put(places(a), { keys: ['a'] })
    await calls.unmerge(b)
    expect(await readPerson(tenant, a)).toMatchObject({ places: ['a', 'b'] })
    expect(await readPerson(tenant, b)).toMatchObject({ places: ['a', 'b'] })
  })
})

describe('merges of merges', () => {
  test('lead to the last one, and are undone in reverse', async () => {
    const ids = await Promise.all(['chain-a', 'chain-b', 'chain-c', 'chain-d'].map(each => addPerson(tenant, each)))
    const [a = '', b = '', c = '', d = ''] = ids
    const before = await wholeData(db, tenant_id)
    await calls.merge(b, a)
    await calls.merge(c, b)
    await calls.merge(c, d)
    for (const id of ids) expect((await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body.Id).toBe(c)
    expect((await calls.merges(a)).body.map(each => each.SubjectId)).toEqual([d, b, a])
    expect((await peopleOf(tenant)).filter(each => each.startsWith('chain'))).toEqual(['chain-c'])
    const refused = { status: 409, code: 'later-merge' }
    for (const [id, first] of [
      [a, b],
      [b, d],
    ] as const) {
      const answer = await calls.unmerge(id)
      expect(refusal(answer)).toMatchObject(refused)
      expect((answer.body as unknown as Problem).detail).toContain(first)
    }
    await calls.unmerge(d)
    await calls.unmerge(b)
    expect((await tenant.get<SubjectBody>(`${subjectsPath}/${a}`)).body.Id).toBe(b)
    await calls.unmerge(a)
    expect(await wholeData(db, tenant_id)).toEqual(before)
  })

  test('that name an old id merge the subject to which it leads', async () => {
    const [a, b, c] = [
      await addPerson(tenant, 'by-a'),
      await addPerson(tenant, 'by-b'),
      await addPerson(tenant, 'by-c'),
    ]
    await calls.merge(a, b)
    expect((await calls.merge(b, c)).body.Id).toBe(a)
    const d = await addPerson(tenant, 'by-d')
    expect((await calls.merge(d, c)).body.Id).toBe(d)
    for (const id of [a, b, c]) expect((await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body.Id).toBe(d)
  })
})

describe('deactivation', () => {
  const deactivated = async (name: string) => {
    const id = await addPerson(tenant, name)
    await tenant.post(`${subjectsPath}/${id}/deactivate`)
    return id
  }
  const isListed = async (id: string) => (await calls.ids()).includes(id)

  test('a survivor is active if either subject was, and as before when the merge is undone', async () => {
    const [a, b] = [await deactivated('inactive-a'), await addPerson(tenant, 'active-b')]
    const before = await wholeData(db, tenant_id)
    await calls.merge(a, b)
    expect(await isListed(a)).toBe(true)
    await calls.unmerge(b)
    expect(await wholeData(db, tenant_id)).toEqual(before)
    await calls.merge(b, a)
    expect([await isListed(a), await isListed(b)]).toEqual([false, true])
    await calls.unmerge(a)
    expect(await wholeData(db, tenant_id)).toEqual(before)
  })

  test('two deactivated subjects stay so', async () => {
    const [a, b] = [await deactivated('inactive-c'), await deactivated('inactive-d')]
    const total = (await calls.ids({ IncludeDeactivated: 'true' })).length
    await calls.merge(a, b)
    expect(await isListed(a)).toBe(false)
    expect(await calls.ids({ IncludeDeactivated: 'true' })).toHaveLength(total - 1)
  })
})

describe('a refusal', () => {
  let a: string
  let b: string
  let c: string
  let before: Awaited<ReturnType<typeof wholeData>>
  beforeAll(async () => {
    ;[a, b] = [await addPerson(tenant, 'refused-a'), await addPerson(tenant, 'refused-b')]
    c = await addPerson(tenant, 'refused-c')
    await calls.merge(a, c)
    before = await wholeData(db, tenant_id)
  })
  const refused = async (answer: Promise<Reply>) => refusal(await answer)
  afterAll(async () => expect(await wholeData(db, tenant_id)).toEqual(before))

  test('of the same subject twice is 400, by whatever ids', async () => {
    const same = { status: 400, code: 'same-subject' }
    expect(await refused(calls.merge(a, a.toUpperCase()))).toMatchObject(same)
    expect(await refused(calls.merge(c, a))).toMatchObject(same)
  })

  test('of a subject that is not there is 404 in the path and 400 in the body, and so is one of another tenant', async () => {
    const ofOther = await addPerson(await subjectTenant(), 'of another')
    for (const id of [crypto.randomUUID(), ofOther]) {
      expect(await refused(calls.merge(id, b))).toMatchObject({ status: 404, code: 'not-found' })
      expect(await refused(calls.merge(a, id))).toEqual(invalid('unknown-subject /SubjectId'))
      expect(await refused(calls.unmerge(id))).toMatchObject({ status: 404, code: 'not-found' })
      expect(await refused(calls.merges(id))).toMatchObject({ status: 404, code: 'not-found' })
    }
    expect(await refused(calls.merge(a, 'no id'))).toMatchObject({ status: 400, code: 'validation' })
  })

  test('of preferred fields names each that is unknown or a matching field', async () => {
    const PreferredFields = ['nothing', 'email', 'nationalId']
    expect(await refused(calls.merge(a, b, { PreferredFields }))).toEqual(
      invalid('unknown-custom-field /PreferredFields/0', 'matching-field /PreferredFields/2'),
    )
  })

  test('of a client without both permissions is 403', async () => {
    for (const client of partly) {
      expect(await refused(mergesOf(client).merge(a, b))).toMatchObject({ status: 403, code: 'forbidden' })
      expect(await refused(mergesOf(client).unmerge(a))).toMatchObject({ status: 403, code: 'forbidden' })
      expect((await mergesOf(client).merges(a)).status).toBe(200)
    }
  })
})
