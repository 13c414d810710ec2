// Multi extracts.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { copied, extract, extractedIds, likePerson, submittedAt } from '../support/extracts.js'
import {
  addPerson,
  aNote,
  blockAsked,
  type FormsTenant,
  formAsked,
  type NotesForm,
  noteBlock,
  notesForm,
  notesTenant,
  openDatabase,
  whole,
} from '../support/factories.js'
import { type Patient, patientOf } from '../support/instances.js'
import { type SubjectBody, subjectsPath } from '../support/subjects.js'

const db = openDatabase()

/** Each part has forms of its own. */
let tenant: FormsTenant
let patient: Patient
let [bobId, eveId]: [string, string] = ['', '']
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
  bobId = await addPerson(tenant, 'bob')
  eveId = await addPerson(tenant, 'eve')
})

test('submissions are extracted with their subject and submitter, the most recent first', async () => {
  const form = await notesForm(tenant, 'whole')
  const before = Date.now()
  const [first, second] = [await form.submitted(), await form.submitted({ correlationId: 'visit 7' })]
  const { status, headers, body } = await extract(tenant.forms, { definitions: form.definitions })
  expect(status).toBe(200)
  const instant = headers.get('extract-instant') ?? ''
  expect(Date.parse(instant)).toBeGreaterThan(before)
  const values = (value: string) => [{ type: 'single-value', repeatIterationIndex: null, value }]
  const controls = [
    { id: 'note', label: 'Note', dataType: 'string', values: values('a') },
    { id: 'must', label: 'Must', dataType: 'string', values: values('b') },
  ]
  const resultOf = (instanceGuid: string, more: object) => ({
    instanceGuid,
    subjectIdentifier: tenant.subjectId,
    submittedByUserIdentifier: expect.any(String),
    submissionDateTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    ...more,
  })
  const heads = [resultOf(second, { correlationId: 'visit 7' }), resultOf(first, {})]
  expect(body).toEqual({
    results: [
      {
        identifier: 'whole',
        type: 'form',
        results: heads.map(head => ({ ...head, buildingBlocks: [{ key: 'whole', controls }] })),
      },
      { identifier: 'block', type: 'building-block', results: heads.map(head => ({ ...head, controls })) },
    ],
  })
})

test('a withdrawn form is in no extract until it is reinstated', async () => {
  const form = await notesForm(tenant, 'withdrawn')
  const id = await form.submitted()
  const found = async () => (await extractedIds(tenant.forms, { definitions: [formAsked('withdrawn')] }))[0]
  expect(await found()).toContain(id)
  await patient.withdraw(id)
  expect(await found()).not.toContain(id)
  await patient.reinstate(id)
  expect(await found()).toContain(id)
})

describe('subjects', () => {
  interface Person {
    id: string
    externalId: string
    /** What was submitted of them, the most recent first. */
    submitted: string[]
  }

  let form: NotesForm
  let ada: Person
  let bob: Person
  let eve: Person

  async function aPerson(id: string, submissions: number): Promise<Person> {
    const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)
    const of = patientOf({ ...tenant, subjectId: id })
    const submitted: string[] = []
    for (let n = 0; n < submissions; n++) submitted.unshift(await form.submitted({}, whole, of))
    return { id, externalId: body.ExternalId, submitted }
  }

  beforeAll(async () => {
    form = await notesForm(tenant, 'of-whom')
    ada = await aPerson(tenant.subjectId, 2)
    bob = await aPerson(bobId, 1)
    eve = await aPerson(eveId, 3)
  })

  const found = (subjectIdentifiers: string[], more: object = {}) =>
    extractedIds(tenant.forms, { subjectIdentifiers, definitions: form.definitions, ...more })
  const twice = (list: string[]) => [list, list]

  test('a subject is named by its Id or ExternalId, in any letter case; twice is once', async () => {
    for (const named of [[ada.id], [ada.externalId], [ada.id.toUpperCase()], [ada.externalId.toUpperCase(), ada.id]])
      expect(await found(named)).toEqual(twice(ada.submitted))
    expect(await found([ada.id, eve.externalId])).toEqual(twice([...eve.submitted, ...ada.submitted]))
  })

  test('a subject who does not exist has no results', async () => {
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
  })

  test('limits take the most recent results, also with more subjects than an index is used for', async () => {
    const known = await likePerson(db, bob.id, 1_500)
    const named = [...known, ada.externalId, randomUUID(), eve.id]
    const one = { maxResultsPerDefinitionPerSubject: 1, maxResults: 3 }
    const [latestOfEve = '', latestOfAda = ''] = [eve.submitted[0], ada.submitted[0]]
    expect(await found(named, one)).toEqual([[latestOfEve, latestOfAda], [latestOfEve]])
    // However few are wanted: what is read first may be of others.
    await copied(db, bob.submitted[0] ?? '', 30)
    const few = { maxResults: 4, definitions: [formAsked('of-whom')] }
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
          Key: 'of-whom',
          Version: 1,
          BuildingBlocks: [{ KEY: 'of-whom', controlids: ['must'] }],
        },
        { identifier: 'b', type: 'Building-Block', key: 'of-whom', version: 1, ControlIds: ['note'], colour: 'red' },
      ],
      results: [],
      page: { size: 7 },
    }
    const { status, body } = await extract(tenant.forms, asked)
    expect(status).toBe(200)
    const [form, block] = body.results
    expect(form?.results[0]?.buildingBlocks?.map(({ key, controls }) => [key, controls.map(({ id }) => id)])).toEqual([
      ['of-whom', ['must']],
    ])
    expect(block?.results[0]?.controls?.map(({ id }) => id)).toEqual(['note'])
  })
})

describe('times', () => {
  let form: NotesForm
  beforeAll(async () => {
    form = await notesForm(tenant, 'times')
  })
  const found = (body: object = {}) => extractedIds(tenant.forms, { definitions: form.definitions, ...body })

  describe('from is inclusive and to exclusive', () => {
    let id: string
    beforeAll(async () => {
      id = await form.submitted()
      await submittedAt(db, id, '2026-03-29T12:00:00.123Z')
    })

    const day = '2026-03-29T'
    // How each spelling of a time is read: test/forms/extract-moments.unit.test.ts.
    test.each([
      ['to the millisecond', `${day}12:00:00.123Z`, `${day}12:00:00.124Z`, true],
      ['a millisecond later', `${day}12:00:00.124Z`, undefined, false],
      ['a millisecond earlier', undefined, `${day}12:00:00.123Z`, false],
      ['a nanosecond before the end', undefined, `${day}12:00:00.123000001Z`, true],
      ['east of Greenwich', `${day}14:00:00.123+02:00`, `${day}14:00:00.124+02:00`, true],
      ['an interval of no length', `${day}12:00:00.123Z`, `${day}12:00:00.123Z`, false],
      ['the earliest and the latest time', '0000-01-01T00:00:00+14:00', '9999-12-31T23:59:59.999999999-14:00', true],
    ])('%s', async (_, from, to, isFound) => {
      const expected = isFound ? [id] : []
      expect(await found({ from, to })).toEqual([expected, expected])
    })
  })

  describe('an amended instance', () => {
    test('shows its latest submission, with the time of that, until the next one', async () => {
      const id = await form.submitted()
      await submittedAt(db, id, '2026-05-01T00:00:00Z')
      const mine = async (body: object = {}) => {
        const from = '2026-05-01T00:00:00Z'
        const reply = await extract(tenant.forms, { from, definitions: form.definitions, ...body })
        return reply.body.results.map(({ results }) =>
          results.map(({ instanceGuid, submissionDateTime, controls, buildingBlocks }) => [
            instanceGuid,
            submissionDateTime,
            (controls ?? buildingBlocks?.[0]?.controls)?.map(({ values }) => values[0]?.value),
          ]),
        )
      }
      const first = [[id, '2026-05-01T00:00:00.000Z', ['a', 'b']]]
      expect(await mine()).toEqual([first, first])

      await patient.amend(id)
      await patient.save(id, { note: 'draft' }, await patient.etag(id))
      expect(await mine()).toEqual([first, first])

      await patient.submit(id, { ...whole, note: 'amended' }, await patient.etag(id))
      const second = [[id, expect.not.stringMatching(/^2026-05-01/), ['amended', 'b']]]
      expect(await mine()).toEqual([second, second])
      // Once: the first submission does not come up again where the second is out of the interval.
      expect(await mine({ to: '2026-05-02T00:00:00Z' })).toEqual([[], []])
      // Nor beside another one of that very moment.
      const other = await form.submitted()
      await submittedAt(db, other, '2026-05-01T00:00:00Z')
      const both = [...second, [other, '2026-05-01T00:00:00.000Z', ['a', 'b']]]
      expect(await mine()).toEqual([both, both])
    })

    test('whose new draft is discarded shows what it showed before', async () => {
      const id = await form.submitted()
      await patient.amend(id)
      const before = await found()
      expect(before[0]).toContain(id)
      expect(await patient.discard(id, await patient.etag(id))).toMatchObject({ status: 200 })
      expect(await found()).toEqual(before)
    })
  })
})

describe('limits', () => {
  const extra = { key: 'extra', sections: [{ id: 'more', controls: [{ id: 'more', label: 'More' }] }] }

  /** Names of instances by their ids, and the other way. */
  const names = new Map<string, string>()
  const ids = new Map<string, string>()
  const subjects: Record<string, string> = {}

  /** Submits an instance of a subject at a second of one minute, and gives it a name. */
  async function submitted(name: string, subject: string, formKey: string, time: string, values: object = {}) {
    const patient = patientOf({ subjectId: subjects[subject] ?? '', forms: tenant.forms })
    const id = await patient.created({ formKey })
    const { status, body } = await patient.submit(id, { must: name, ...values })
    if (status !== 200) throw new Error(JSON.stringify(body))
    await submittedAt(db, id, `2026-01-01T00:00:${time}Z`)
    names.set(id, name)
    ids.set(name, id)
  }

  const nameOf = (id: string) => names.get(id) ?? id
  /** The names of what an extract finds, a list for each definition. */
  const found = async (body: object) => (await extractedIds(tenant.forms, body)).map(each => each.map(nameOf))

  beforeAll(async () => {
    await tenant.publish(aNote({ key: 'both', buildingBlocks: [noteBlock('small'), extra] }))
    subjects.ada = tenant.subjectId
    subjects.bob = bobId
    subjects.eve = eveId
    await submitted('a1', 'ada', 'small', '01')
    await submitted('b1', 'bob', 'small', '02')
    await submitted('a2', 'ada', 'both', '04')
    // Of the same moment, and made in this order: so are their ids.
    await submitted('a3', 'ada', 'small', '05')
    await submitted('b2', 'bob', 'small', '05')
    await submitted('b3', 'bob', 'both', '06', { more: 'x' })
    await submitted('a4', 'ada', 'small', '07')
    await submitted('a5', 'ada', 'small', '08')
  })

  const both = [formAsked('small'), formAsked('both')]
  const smallOnes = ['a5', 'a4', 'a3', 'b2', 'b1', 'a1']

  test.each([
    ['none: everything, the most recent first, at the same moment the smaller id', {}, [smallOnes, ['b3', 'a2']]],
    [
      'one of each definition and subject',
      { maxResultsPerDefinitionPerSubject: 1 },
      [
        ['a5', 'b2'],
        ['b3', 'a2'],
      ],
    ],
    [
      'two of each',
      { maxResultsPerDefinitionPerSubject: 2 },
      [
        ['a5', 'a4', 'b2', 'b1'],
        ['b3', 'a2'],
      ],
    ],
    ['more than there are', { maxResultsPerDefinitionPerSubject: 100, maxResults: 100 }, [smallOnes, ['b3', 'a2']]],
    ['the most recent two of all', { maxResults: 2 }, [['a5', 'a4'], []]],
    ['three', { maxResults: 3 }, [['a5', 'a4'], ['b3']]],
    ['a cut between two of the same moment', { maxResults: 4 }, [['a5', 'a4', 'a3'], ['b3']]],
    ['and behind them', { maxResults: 5 }, [['a5', 'a4', 'a3', 'b2'], ['b3']]],
    ['as many as there are', { maxResults: 8 }, [smallOnes, ['b3', 'a2']]],
    ['one less', { maxResults: 7 }, [smallOnes.slice(0, 5), ['b3', 'a2']]],
    [
      'first of each subject, then of all: the other way, a4 would take the place of b3',
      { maxResultsPerDefinitionPerSubject: 1, maxResults: 2 },
      [['a5'], ['b3']],
    ],
    ['both, cut later', { maxResultsPerDefinitionPerSubject: 2, maxResults: 4 }, [['a5', 'a4', 'b2'], ['b3']]],
    ['none of all', { maxResults: 0 }, [[], []]],
    ['none of each subject', { maxResultsPerDefinitionPerSubject: 0 }, [[], []]],
  ])('%s', async (_, limits, expected) => {
    expect(await found({ ...limits, definitions: both })).toEqual(expected)
  })

  test('the same form asked for twice counts twice; of one instance, the earlier definition comes first', async () => {
    const definitions = [formAsked('small', { identifier: 'x' }), formAsked('small', { identifier: 'y' })]
    expect(await found({ definitions })).toEqual([smallOnes, smallOnes])
    expect(await found({ maxResults: 1, definitions })).toEqual([['a5'], []])
    expect(await found({ maxResults: 3, definitions })).toEqual([['a5', 'a4'], ['a5']])
    expect(await found({ maxResults: 7, definitions })).toEqual([
      ['a5', 'a4', 'a3', 'b2'],
      ['a5', 'a4', 'a3'],
    ])
  })

  test('a building block collects from every form that has it', async () => {
    const definitions = [blockAsked('small')]
    expect(await found({ definitions })).toEqual([['a5', 'a4', 'b3', 'a3', 'b2', 'a2', 'b1', 'a1']])
    const perSubject = { maxResultsPerDefinitionPerSubject: 2 }
    expect(await found({ ...perSubject, definitions })).toEqual([['a5', 'a4', 'b3', 'b2']])
  })

  test('a form without data in a building block is no result of it and does not count against a limit', async () => {
    await submitted('e1', 'eve', 'both', '20', { more: 'x' })
    await submitted('e2', 'eve', 'both', '21', { more: 'y' })
    await submitted('e3', 'eve', 'both', '22')
    const asked = { subjectIdentifiers: [subjects.eve], definitions: [blockAsked('extra'), formAsked('both')] }
    expect(await found(asked)).toEqual([
      ['e2', 'e1'],
      ['e3', 'e2', 'e1'],
    ])
    expect(await found({ ...asked, maxResultsPerDefinitionPerSubject: 1 })).toEqual([['e2'], ['e3']])
    expect(await found({ ...asked, maxResults: 2 })).toEqual([['e2'], ['e3']])
    expect(await found({ ...asked, maxResults: 1, definitions: [blockAsked('extra')] })).toEqual([['e2']])
    for (const name of ['e1', 'e2', 'e3']) {
      const { status } = await patientOf({ subjectId: subjects.eve ?? '', forms: tenant.forms }).withdraw(
        ids.get(name) ?? '',
      )
      expect(status).toBe(200)
    }
  })

  test('a result of a form is the whole instance, with the building blocks that have no data', async () => {
    const { body } = await extract(tenant.forms, { maxResults: 1, to: '2026-01-01T00:00:05Z', definitions: both })
    const blocks = body.results[1]?.results.flatMap(({ buildingBlocks = [] }) => buildingBlocks)
    expect(blocks).toEqual([
      { key: 'small', controls: [expect.objectContaining({ id: 'note' }), expect.objectContaining({ id: 'must' })] },
      { key: 'extra', controls: [{ id: 'more', label: 'More', dataType: 'string', values: [expect.any(Object)] }] },
    ])
  })

  test('a subject with more submissions in one millisecond than a page holds hides no other subject', async () => {
    await submitted('many', 'eve', 'small', '30')
    const all = [...(await copied(db, ids.get('many') ?? '', 60)), ids.get('many') ?? ''].sort()
    const definitions = [formAsked('small')]
    const first = nameOf(all[0] ?? '')
    const one = { maxResultsPerDefinitionPerSubject: 1, definitions }
    expect(await found({ ...one, maxResults: 3 })).toEqual([[first, 'a5', 'b2']])
    expect(await found({ maxResults: 25, definitions })).toEqual([all.slice(0, 25).map(nameOf)])
    expect(await found({ maxResults: 62, definitions })).toEqual([[...all.map(nameOf), 'a5']])
    // Nor others of that moment, once each: one is the last that is read at first, the other comes with the next rows.
    const others = [all[19] ?? '', all[60] ?? '']
    await db('form_reports').whereIn('instance_id', others).update({ subject_id: subjects.bob })
    const two = { maxResultsPerDefinitionPerSubject: 2, definitions }
    expect(await found({ ...two, maxResults: 4 })).toEqual([[first, nameOf(all[1] ?? ''), ...others]])
  })
})
