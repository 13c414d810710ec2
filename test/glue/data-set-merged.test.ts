// Data sets of merged subjects.
import { afterAll, describe, expect, test } from 'vitest'
import {
  type ChangeAnswer,
  changePaths,
  points,
  type RowsBody,
  refreshed,
  rowsPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { dataTenant, point } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { list } from '../support/frame.js'
import { mergesOf } from '../support/merges.js'
import { patch, subjectsPath, texts } from '../support/subjects.js'

const provider = await scriptedProvider()
afterAll(() => provider.stop())

describe.each(['page', 'subject'] as const)('a source that answers by %s', by => {
  test('is asked for both identifiers, whose rows belong to the survivor', async () => {
    const tenant = await dataTenant(scriptedGlue(provider.url, { by: [by] }), ['one', 'two', 'other'])
    const { one, two, other } = tenant.subjects
    if (!one || !two || !other) throw new Error('Nobody was written')
    // Both have a row of the same Id.
    const all = [point('r', 'one', 'of one'), point('r', 'two', 'of two'), point('s', 'other')]
    const say = () =>
      provider.says(({ subjectIdentifier }) => ({
        dataPoints: all.filter(each => !subjectIdentifier || each.SubjectIdentifier === subjectIdentifier),
      }))
    say()
    await refreshed(tenant)
    const { merge, unmerge } = mergesOf(tenant)
    const shown = async (query: Record<string, string> = {}) => {
      const { body } = await tenant.get<RowsBody>(list(rowsPath(), query))
      return body.Edges.map(({ Node }) => `${Node.Id} ${Node.SubjectIdentifier} ${Node.SubjectId}`).sort()
    }
    const both = [`r one ${one.id}`, `r two ${one.id}`]
    await merge(one.id, two.id)
    for (const _ of ['as they were', 'fetched again']) {
      expect(await shown()).toEqual([...both, `s other ${other.id}`].sort())
      for (const SubjectIdentifier of ['one', 'two', one.id, two.id, one.externalId, two.externalId])
        expect(await shown({ SubjectIdentifier })).toEqual(both)
      await refreshed(tenant)
    }

    await unmerge(two.id)
    await refreshed(tenant)
    expect(await shown({ SubjectIdentifier: two.id })).toEqual([`r two ${two.id}`])
    expect(await points(tenant)).toHaveLength(all.length)
  })
})

test('a change that a provider announces for a merged subject shows in the rows of the survivor', async () => {
  const extracts = { register: { kind: 'x' } }
  const tenant = await dataTenant(scriptedGlue(provider.url, { by: ['subject'], extracts }), ['one', 'two'])
  const { one, two } = tenant.subjects
  if (!one || !two) throw new Error('Nobody was written')
  await mergesOf(tenant).merge(one.id, two.id)
  provider.says(({ subjectIdentifier = '' }) => ({ dataPoints: [point('r', subjectIdentifier, 'fetched')] }))
  const change = {
    SubjectIdentifier: 'two',
    DataExtractsOptionsValuesFilter: { kind: 'x' },
    NewOrUpdatedDataPoints: [point('r', 'two', 'pushed')],
  }
  const { body } = await tenant.provider.post<ChangeAnswer>(changePaths.created, change)
  await ended(tenant, body.JobId ?? '')
  const rows = await tenant.get<RowsBody>(list(rowsPath(), { SubjectIdentifier: one.id }))
  expect(rows.body.Edges.map(({ Node }) => [Node.SubjectId, Node.SubjectIdentifier])).toEqual([[one.id, 'two']])
  // Both have one identifier: the provider is asked once, and its rows are there once.
  await patch(tenant, one.id, texts({ nationalId: 'two' }))
  provider.questions.length = 0
  await refreshed(tenant)
  expect(provider.questions.map(({ subjectIdentifier }) => subjectIdentifier)).toEqual(['two'])
  expect((await tenant.get<RowsBody>(rowsPath())).body.Edges).toHaveLength(1)
  expect((await tenant.get(`${subjectsPath}/${two.id}`)).status).toBe(200)
})
