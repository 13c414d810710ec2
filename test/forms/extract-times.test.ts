import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { submittedAt } from '../support/extract-rows.js'
import { blockAsked, extract, extractedIds, formAsked } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { notesTenant, type Patient, whole } from '../support/instances.js'

const db = connect(inject('databaseUrl'), { poolSize: 1 })
afterAll(() => db.destroy())

let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
})

async function submitted(): Promise<string> {
  const id = await patient.created()
  expect(await patient.submit(id, whole)).toMatchObject({ status: 200 })
  return id
}

const definitions = [formAsked('small'), blockAsked('small', { identifier: 'block' })]
const found = (body: object = {}) => extractedIds(tenant.forms, { definitions, ...body })

describe('from is inclusive and to exclusive', () => {
  let id: string
  beforeAll(async () => {
    id = await submitted()
    await submittedAt(db, id, '2026-03-29T12:00:00.123Z')
  })

  const day = '2026-03-29T'
  test.each([
    ['to the millisecond', `${day}12:00:00.123Z`, `${day}12:00:00.124Z`, true],
    ['a millisecond later', `${day}12:00:00.124Z`, undefined, false],
    ['a millisecond earlier', undefined, `${day}12:00:00.123Z`, false],
    ['a nanosecond later', `${day}12:00:00.123000001Z`, undefined, false],
    ['a nanosecond before the end', undefined, `${day}12:00:00.123000001Z`, true],
    ['with digits that say nothing', `${day}12:00:00.123000000Z`, `${day}12:00:00.1240Z`, true],
    ['with digits that say nothing, at the end', undefined, `${day}12:00:00.123000Z`, false],
    ['between two nanoseconds of one millisecond', `${day}12:00:00.123000001Z`, `${day}12:00:00.123000002Z`, false],
    ['east of Greenwich', `${day}14:00:00.123+02:00`, `${day}14:00:00.124+02:00`, true],
    ['west of it, on the day before', '2026-03-28T23:00:00.124-13:00', undefined, false],
    ['without a zone: UTC', `${day}12:00:00.123`, `${day}12:00:00.124`, true],
    ['without seconds, in small letters', `${day.toLowerCase()}12:00z`, `${day}12:01`, true],
    ['an interval of no length', `${day}12:00:00.123Z`, `${day}12:00:00.123Z`, false],
    ['one that is written in more digits at first', `${day}12:00:00.123000Z`, `${day}12:00:00.123Z`, false],
    ['the ends of all times', '0000-01-01T00:00:00+14:00', '9999-12-31T23:59:59.999999999-14:00', true],
    ['after all times', '9999-12-31T23:59:59-14:00', undefined, false],
    ['before all times', undefined, '0000-01-01T00:00:00+14:00', false],
  ])('%s', async (_, from, to, isFound) => {
    const expected = isFound ? [id] : []
    expect(await found({ from, to })).toEqual([expected, expected])
  })
})

describe('an amended instance', () => {
  test('shows its latest submission, with the time of that, until the next one', async () => {
    const id = await submitted()
    await submittedAt(db, id, '2026-05-01T00:00:00Z')
    const mine = async (body: object = {}) => {
      const from = '2026-05-01T00:00:00Z'
      const reply = await extract(tenant.forms, { from, definitions, ...body })
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
    const other = await submitted()
    await submittedAt(db, other, '2026-05-01T00:00:00Z')
    const both = [...second, [other, '2026-05-01T00:00:00.000Z', ['a', 'b']]]
    expect(await mine()).toEqual([both, both])
  })

  test('whose new draft is discarded shows what it showed before', async () => {
    const id = await submitted()
    await patient.amend(id)
    const before = await found()
    expect(before[0]).toContain(id)
    expect(await patient.discard(id, await patient.etag(id))).toMatchObject({ status: 200 })
    expect(await found()).toEqual(before)
  })
})
