// Lists of forms.
import { describe, expect, test } from 'vitest'
import type { Problem } from '../support/api.js'
import { aSmallTemplate, formsTenant } from '../support/factories.js'
import { problem } from '../support/http.js'

const note = [{ id: 'note', label: 'Note' }]
const form = (key: string, version: number, more: object = {}) =>
  aSmallTemplate(note, { key, version, title: `${key} ${version}`, classification: `of ${version}`, ...more })
const flags = {
  allowAmend: false,
  allowSaveDraft: false,
  autoSaveIntervalSeconds: 45,
  allowDiscard: false,
  allowRevoke: false,
}

const tenant = await formsTenant()
await tenant.publish(
  form('wounds', 2, flags),
  form('wounds', 10),
  form('wounds', 11, { status: 'Development' }),
  form('Plan', 1, { classification: undefined }),
  form('draft', 3, { status: 'Development' }),
  form('draft', 4, { status: 'Development' }),
)

const available = '/api/clinicianforms/availableForms'
const all = '/api/clinicianforms/allAvailableForms'

describe('the forms of which instances can be created', () => {
  const plan = { key: 'Plan', title: 'Plan 1', classification: 'Uncategorised' }
  const published = { key: 'wounds', title: 'wounds 10', classification: 'of 10' }

  test.each([
    ['', [plan, published]],
    ['?publicationStatus=Production', [plan, published]],
    ['?publicationStatus=Development', []],
    ['?publicationStatus=Production&publicationStatus=Development', [plan, published]],
    ['?PUBLICATIONSTATUS=production', [plan, published]],
  ])('are those of their latest versions, by key: availableForms%s', async (query, forms) => {
    const { status, body } = await tenant.forms.get(`${available}${query}`)
    expect([status, body]).toEqual([200, forms])
  })
})

describe('every version of every form', () => {
  const standard = {
    allowAmend: true,
    allowSaveDraft: true,
    autoSaveIntervalSeconds: 30,
    allowDiscard: true,
    allowRevoke: true,
  }
  const version = (key: string, versionNumber: number, more: object = {}) => ({
    ...standard,
    key,
    versionNumber,
    formTitle: `${key} ${versionNumber}`,
    classification: `of ${versionNumber}`,
    ...more,
  })
  const plan = version('Plan', 1, { classification: 'Uncategorised' })
  const published = [version('wounds', 2, flags), version('wounds', 10)]
  const drafts = [version('draft', 3), version('draft', 4)]

  test.each([
    ['', [plan, ...published]],
    ['?publicationStatus=Development', [...drafts, version('wounds', 11)]],
    [
      '?publicationStatus=Development&publicationStatus=Production',
      [plan, ...drafts, ...published, version('wounds', 11)],
    ],
  ])('is listed by key and version, with what may be done: allAvailableForms%s', async (query, forms) => {
    const { status, body } = await tenant.forms.get(`${all}${query}`)
    expect([status, body]).toEqual([200, forms])
  })
})

test.each([
  ['publicationStatus=Draft', '/query/publicationStatus/0', 'unknown-value'],
  ['publicationStatus=', '/query/publicationStatus/0', 'unknown-value'],
  ['publicationStatus=Production&publicationStatus=All', '/query/publicationStatus/1', 'unknown-value'],
  ['status=Production', '/query/status', 'unknown-parameter'],
])('%s is 400 in both lists: a filter is never ignored', async (query, pointer, code) => {
  for (const path of [available, all]) {
    const { status, body } = await tenant.forms.get<Problem>(`${path}?${query}`)
    expect([status, body]).toEqual([
      400,
      problem(400, 'validation', path, { errors: [{ pointer, code, detail: expect.any(String) }] }),
    ])
  }
})
