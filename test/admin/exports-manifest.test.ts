// Exports in a manifest.
import { expect, inject, test } from 'vitest'
import { aKey, api } from '../support/api.js'
import { aSmallTemplate, blockAsked, formAsked } from '../support/factories.js'
import { putForm } from '../support/forms.js'
import { problem } from '../support/http.js'
import { type Applied, manifestOf } from '../support/manifest.js'
import { startOwnApp } from '../support/own-app.js'

/** Without any form. */
const tenant = await manifestOf()
/** With the form `small` in production. */
const published = await manifestOf()
await published.put({})
await putForm(published.platform, published.tenantKey, aSmallTemplate([{ id: 'note', label: 'Note' }]))

const small = formAsked('small')
const anExport = (more: object = {}) => ({
  key: 'a',
  every: 60,
  destination: 'directory',
  definitions: [small],
  ...more,
})
const daily = (more: object) => anExport({ every: undefined, dailyAt: '02:30', ...more })
const exportsOf = (...exports: object[]) => ({ forms: { exports } })

test('exports are read back as applied, with their default mode, and changes name them by key', async () => {
  const exports = [
    anExport({
      mode: 'incremental',
      definitions: [
        formAsked('small', { buildingBlocks: [{ key: 'small', controlIds: ['note'] }] }),
        blockAsked('small', { identifier: 'block', controlIds: ['note'] }),
      ],
    }),
    daily({ key: 'b', timeZone: 'Asia/Kolkata', destination: 's3' }),
  ]
  expect(await published.put(exportsOf(...exports))).toMatchObject({ status: 200, body: { warnings: [] } })
  const [a, b] = exports
  const { body } = await published.get<{ forms: object }>()
  expect(body.forms).toMatchObject({ exports: [a, { ...JSON.parse(JSON.stringify(b)), mode: 'full' }] })
  expect((await published.plan(body)).body.changes).toEqual([])
  const { changes } = (await published.plan(exportsOf({ ...a, every: 120 }))).body
  expect(changes.map(({ change, path }) => `${change} ${path}`)).toEqual([
    'updated /forms/exports/a/every',
    'deleted /forms/exports/b',
  ])
  await published.put({})
})

test('an export of a form that is not published is applied with a warning', async () => {
  const definitions = [formAsked('later'), blockAsked('later', { identifier: 'block' }), small]
  for (const [of, more] of [
    [published, []],
    [tenant, ['not-published /forms/exports/0/definitions/2/version']],
  ] as const) {
    const { status, body } = await of.put(exportsOf(anExport({ definitions })))
    expect(status).toBe(200)
    expect(body.warnings.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual([
      'not-published /forms/exports/0/definitions/0/version',
      'not-published /forms/exports/0/definitions/1/version',
      ...more,
    ])
    expect(body.warnings[0]?.detail).toMatch(
      /no version 1 of a form 'later' in production\. The export fails until it is published/,
    )
  }
})

test('an export to a destination that the installation lacks is applied with a warning that names the setting', async () => {
  const own = await startOwnApp(inject('databaseUrl'), { EXPORT_BUCKET: 'exports' })
  try {
    const token = await own.issuer.token({ tenant_key: 'demo', client_id: 'platform-admin', scope: 'PlatformAdmin' })
    const exports = exportsOf(anExport({ key: 'a', destination: 's3' }), anExport({ key: 'b' }))
    const { status, body } = await api(own.baseUrl, token).put<Applied>(`/admin/v1/tenants/${aKey()}`, exports)
    expect(status).toBe(200)
    expect(body.warnings.filter(({ code }) => code !== 'not-published')).toEqual([
      {
        pointer: '/forms/exports/1/destination',
        code: 'no-destination',
        detail: 'The API has no EXPORT_DIRECTORY. Set it for the API and the workers: without it the export fails.',
      },
    ])
  } finally {
    await own.stop()
  }
})

const inDefinitions = (...definitions: object[]) => [anExport({ definitions })]

test.each<[name: string, exports: object[], ...faults: string[]]>([
  ['a key that is given twice', [anExport(), daily({})], 'duplicate-key /1/key'],
  ['keys that differ in large and small letters alone', [anExport(), daily({ key: 'A' })], 'duplicate-key /1/key'],
  ['an export at no time', [anExport({ every: undefined })], 'one-of /0'],
  ['an export at two times', [anExport({ dailyAt: '02:30' })], 'one-of /0'],
  ['a zone of no time of day', [anExport({ timeZone: 'UTC' })], 'unknown-member /0/timeZone'],
  ['a time zone that there is not', [daily({ timeZone: 'Europe/Atlantis' })], 'unknown-time-zone /0/timeZone'],
  ['a time zone in other letters', [daily({ timeZone: 'europe/vienna' })], 'unknown-time-zone /0/timeZone'],
  ['an offset for a time zone', [daily({ timeZone: '+02:00' })], 'unknown-time-zone /0/timeZone'],
  [
    'identifiers that are given twice or are of another file',
    inDefinitions(small, { ...small, version: 1 }, formAsked('small', { identifier: 'removed' })),
    'duplicate-key /0/definitions/1/identifier',
    'reserved /0/definitions/2/identifier',
  ],
  [
    'identifiers that differ in large and small letters alone from each other or from another file',
    inDefinitions(small, formAsked('small', { identifier: 'Small' }), formAsked('small', { identifier: 'Removed' })),
    'duplicate-key /0/definitions/1/identifier',
    'reserved /0/definitions/2/identifier',
  ],
  [
    'members of the other type',
    inDefinitions(
      formAsked('small', { controlIds: ['note'] }),
      blockAsked('small', { identifier: 'block', buildingBlocks: [{ key: 'small' }] }),
    ),
    'unknown-member /0/definitions/0/controlIds',
    'unknown-member /0/definitions/1/buildingBlocks',
  ],
  [
    'building blocks and controls that a published form has not',
    inDefinitions(
      formAsked('small', { buildingBlocks: [{ key: 'other' }, { key: 'small', controlIds: ['note', 'other'] }] }),
      blockAsked('small', { identifier: 'block', controlIds: ['other'] }),
    ),
    'unknown-building-block /0/definitions/0/buildingBlocks/0/key',
    'unknown-control /0/definitions/0/buildingBlocks/1/controlIds/1',
    'unknown-control /0/definitions/1/controlIds/0',
  ],
])('%s is refused, each fault with its place', async (_, exports, ...expected) => {
  const { status, body } = await published.put(exportsOf(...exports))
  expect({ status, body }).toMatchObject({ status: 400, body: problem(400, 'validation', published.path) })
  const { errors }: { errors: { pointer: string; code: string }[] } = JSON.parse(JSON.stringify(body))
  expect(errors.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(
    expected.map(fault => fault.replace(' ', ' /forms/exports')),
  )
})

test.each<[name: string, given: object, pointer: string]>([
  ['a key that leads elsewhere', { key: '..' }, '/key'],
  ['a key with a path in it', { key: 'a/b' }, '/key'],
  ['a hidden key', { key: '.a' }, '/key'],
  [
    'an identifier that leads elsewhere',
    { definitions: [{ ...small, identifier: '../b' }] },
    '/definitions/0/identifier',
  ],
  [
    'an identifier that reads as an option',
    { definitions: [{ ...small, identifier: '-b' }] },
    '/definitions/0/identifier',
  ],
  ['more often than each minute', { every: 59 }, '/every'],
  ['a time that is none of a day', { dailyAt: '24:00' }, '/dailyAt'],
  ['a mode that there is not', { mode: 'changes' }, '/mode'],
  ['a destination that there is not', { destination: 'ftp' }, '/destination'],
  ['no definition', { definitions: [] }, '/definitions'],
  ['a member that there is not', { format: 'csv' }, '/format'],
  ['a member that a definition has not', { definitions: [{ ...small, from: 'x' }] }, '/definitions/0/from'],
])('%s does not fit the schema', async (_, given, pointer) => {
  const { status, body } = await tenant.put(exportsOf(anExport(given)))
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain(`"/forms/exports/0${pointer}"`)
})
