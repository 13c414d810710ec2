import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { copied, likePerson } from '../support/extract-rows.js'
import { blockAsked, extract, extractedIds, formAsked } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { notesTenant, patientOf, whole } from '../support/instances.js'
import { addPerson, type SubjectBody, subjectsPath } from '../support/subjects.js'

const db = connect(inject('databaseUrl'), { poolSize: 1 })
afterAll(() => db.destroy())

interface Person {
  id: string
  externalId: string
  /** What was submitted of them, the most recent first. */
  submitted: string[]
}

let tenant: FormsTenant
let ada: Person
let bob: Person
let eve: Person

async function aPerson(id: string, submissions: number): Promise<Person> {
  const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)
  const patient = patientOf({ ...tenant, subjectId: id })
  const submitted: string[] = []
  for (let n = 0; n < submissions; n++) {
    const guid = await patient.created()
    expect(await patient.submit(guid, whole)).toMatchObject({ status: 200 })
    submitted.unshift(guid)
  }
  return { id, externalId: body.ExternalId, submitted }
}

beforeAll(async () => {
  ;({ tenant } = await notesTenant())
  ada = await aPerson(tenant.subjectId, 2)
  bob = await aPerson(await addPerson(tenant, 'bob'), 1)
  eve = await aPerson(await addPerson(tenant, 'eve'), 3)
})

const definitions = [formAsked('small'), blockAsked('small', { identifier: 'block' })]
const found = (subjectIdentifiers: string[], more: object = {}) =>
  extractedIds(tenant.forms, { subjectIdentifiers, definitions, ...more })
const twice = (list: string[]) => [list, list]

test('a subject is named by its Id or ExternalId, in any letter case; twice is once', async () => {
  for (const named of [[ada.id], [ada.externalId], [ada.id.toUpperCase()], [ada.externalId.toUpperCase(), ada.id]])
    expect(await found(named)).toEqual(twice(ada.submitted))
  expect(await found([ada.id, eve.externalId])).toEqual(twice([...eve.submitted, ...ada.submitted]))
})

test('who does not exist has no results', async () => {
  const nobody = [randomUUID(), 'é', '', ' ', `${ada.id} `, 'null']
  expect(await found(nobody)).toEqual(twice([]))
  expect(await found([...nobody, bob.id])).toEqual(twice(bob.submitted))
})

test('100,000 subjects may be named at once, known and unknown ones', async () => {
  const known = await likePerson(db, bob.id, 1_500)
  const named = Array.from({ length: 100_000 - known.length - 2 }, (): string => randomUUID())
  // Here and there among the others.
  known.forEach((id, n) => {
    named.splice(n * 60, 0, id)
  })
  named.splice(50_000, 0, ada.externalId)
  named.push(eve.id)
  expect(named).toHaveLength(100_000)
  expect(await found(named)).toEqual(twice([...eve.submitted, ...ada.submitted]))
  const one = { maxResultsPerDefinitionPerSubject: 1, maxResults: 3 }
  const [latestOfEve = '', latestOfAda = ''] = [eve.submitted[0], ada.submitted[0]]
  expect(await found(named, one)).toEqual([[latestOfEve, latestOfAda], [latestOfEve]])
  // However few are wanted: what is read first may be of others.
  await copied(db, bob.submitted[0] ?? '', 30)
  const few = { maxResults: 4, definitions: [formAsked('small')] }
  expect(await found([...known, ada.id, eve.id], few)).toEqual([[...eve.submitted, latestOfAda]])
})

test('members are named in any letter case, and what is not known is ignored', async () => {
  const asked = {
    SubjectIdentifiers: [bob.id],
    MAXRESULTS: 5,
    maxresultsperdefinitionpersubject: 1,
    From: '2020-01-01T00:00:00Z',
    DEFINITIONS: [
      {
        Identifier: 'a',
        TYPE: 'Form',
        Key: 'small',
        Version: 1,
        BuildingBlocks: [{ KEY: 'small', controlids: ['must'] }],
      },
      { identifier: 'b', type: 'Building-Block', key: 'small', version: 1, ControlIds: ['note'], colour: 'red' },
    ],
    results: [],
    page: { size: 7 },
  }
  const { status, body } = await extract(tenant.forms, asked)
  expect(status).toBe(200)
  const [form, block] = body.results
  expect(form?.results[0]?.buildingBlocks?.map(({ key, controls }) => [key, controls.map(({ id }) => id)])).toEqual([
    ['small', ['must']],
  ])
  expect(block?.results[0]?.controls?.map(({ id }) => id)).toEqual(['note'])
})
