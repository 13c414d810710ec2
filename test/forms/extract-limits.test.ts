import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { copied, submittedAt } from '../support/extract-rows.js'
import { blockAsked, extract, extractedIds, formAsked } from '../support/extracts.js'
import { type FormsTenant, formsTenant } from '../support/forms.js'
import { aNote, patientOf } from '../support/instances.js'
import { addPerson } from '../support/subjects.js'

const db = connect(inject('databaseUrl'), { poolSize: 1 })
afterAll(() => db.destroy())

const [{ buildingBlocks: [small] = [] }] = [aNote() as { buildingBlocks?: object[] }]
const extra = { key: 'extra', sections: [{ id: 'more', controls: [{ id: 'more', label: 'More' }] }] }

let tenant: FormsTenant
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
  tenant = await formsTenant()
  await tenant.publish(aNote(), aNote({ key: 'both', buildingBlocks: [small, extra] }))
  subjects.ada = tenant.subjectId
  subjects.bob = await addPerson(tenant, 'bob')
  subjects.eve = await addPerson(tenant, 'eve')
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

describe('limits', () => {
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

  test('what has no data in a building block is none of its results and uses no limit up', async () => {
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

  test('a subject with more of the same moment than are read at once hides nobody behind it', async () => {
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
