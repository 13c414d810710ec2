// The section `subjects` of a manifest.
import type { Knex } from 'knex'
import { beforeEach, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { StoredValues } from '../../db/frame/fields/custom-fields.js'
import { subjectSettings } from '../../db/frame/fields/subject-settings.js'
import { newId } from '../../runtime/ids.js'
import { waiting } from '../support/extracts.js'
import { openDatabase, storeSubject } from '../support/factories.js'
import { problem } from '../support/http.js'
import { demoSubjects, manifestOf } from '../support/manifest.js'

const db = openDatabase()

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

const field = (key: string, type = 'Text', more: object = {}) => ({ key, name: `Field ${key}`, type, ...more })
const withFields = (...fields: object[]) => ({ subjects: { fields } })
const paths = (changes: { path: string; change: string }[]) => changes.map(({ path, change }) => `${change} ${path}`)
const readSubjects = async () => (await tenant.get<{ subjects: unknown }>()).body.subjects

test('the section is read back as it was applied', async () => {
  expect((await tenant.put({ subjects: demoSubjects })).status).toBe(200)
  expect(await readSubjects()).toEqual(demoSubjects)
  expect((await tenant.put({ subjects: demoSubjects })).body.changes).toEqual([])
})

test('what the section leaves out is read back with its default', async () => {
  await tenant.put({ subjects: { fields: [field('a')], portal: { thirdParty: true } } })
  expect(await readSubjects()).toEqual({
    fields: [{ ...field('a'), required: false, isArray: false }],
    matchingFields: [],
    upsert: false,
    portal: { selfAccess: false, thirdParty: true, matchingFields: [], displayNameFields: [] },
  })
})

test('the changes name fields by their keys, and a plan tells them before', async () => {
  await tenant.put({
    subjects: { ...demoSubjects, fields: [...demoSubjects.fields, field('gone'), field('__proto__')] },
  })
  const [first, ...others] = demoSubjects.fields
  const after = {
    subjects: {
      ...demoSubjects,
      fields: [{ ...first, name: 'First name' }, field('new', 'Boolean'), ...others],
      portal: { ...demoSubjects.portal, thirdParty: false },
    },
  }
  const planned = (await tenant.plan(after)).body.changes
  expect(planned).toEqual([
    { path: '/subjects/portal/thirdParty', change: 'updated', before: true, after: false },
    { path: `/subjects/fields/${first?.key}/name`, change: 'updated', before: first?.name, after: 'First name' },
    ...['gone', '__proto__'].map(key => ({
      path: `/subjects/fields/${key}`,
      change: 'deleted',
      before: { name: `Field ${key}`, type: 'Text', required: false, isArray: false },
    })),
    {
      path: '/subjects/fields/new',
      change: 'created',
      after: { name: 'Field new', type: 'Boolean', required: false, isArray: false },
    },
  ])
  expect((await tenant.put(after)).body.changes).toEqual(planned)
  expect((await tenant.plan(after)).body.changes).toEqual([])
})

test('a new order of the fields is a change, and is kept', async () => {
  await tenant.put(withFields(field('a'), field('b'), field('c')))
  const after = withFields(field('c'), field('d'), field('a'), field('b'))
  expect((await tenant.put(after)).body.changes).toEqual([
    expect.objectContaining({ path: '/subjects/fields/d', change: 'created' }),
    { path: '/subjects/fields', change: 'updated', before: ['a', 'b', 'c'], after: ['c', 'a', 'b'] },
  ])
  expect(await readSubjects()).toMatchObject({ fields: [{ key: 'c' }, { key: 'd' }, { key: 'a' }, { key: 'b' }] })
})

test('a manifest without the section takes everything of it away', async () => {
  await tenant.put({ subjects: demoSubjects })
  const { body } = await tenant.put({})
  expect(paths(body.changes)).toEqual(
    expect.arrayContaining([
      ...demoSubjects.fields.map(({ key }) => `deleted /subjects/fields/${key}`),
      'updated /subjects/upsert',
      'updated /subjects/matchingFields',
      'deleted /subjects/portal/emailField',
    ]),
  )
  expect(await readSubjects()).toMatchObject({ fields: [], upsert: false })
})

describe('a field that subjects hold values of', () => {
  const fields = [
    field('one'),
    field('many', 'Text', { isArray: true }),
    field('kept', 'Number'),
    field('odd "key":[\\'),
    field('free'),
  ]
  const values: StoredValues[] = [
    { one: ['String', 'x'], kept: ['Integer', '1'] },
    {
      kept: ['Integer', '1'],
      one: ['String', 'y'],
      many: [
        ['String', 'a'],
        ['String', 'b'],
      ],
    },
    { many: [['String', 'c']], kept: ['Integer', '1'], 'odd "key":[\\': ['String', ''] },
    // Texts that look like members.
    { kept: ['Decimal', '1'], one: ['String', '{"free":["String","x"],"free":['] },
    {},
  ]
  const inUse = (...errors: [pointer: string, detail: string][]) =>
    problem(409, 'custom-field-in-use', tenant.path, {
      errors: errors.map(([pointer, detail]) => ({ pointer, code: 'custom-field-in-use', detail })),
    })
  const refusedWith = async (manifest: object, ...errors: [string, string][]) => {
    const before = (await tenant.get()).body
    for (const answer of [await tenant.put(manifest), await tenant.plan(manifest)]) {
      expect(answer.body).toEqual(inUse(...errors))
    }
    expect((await tenant.get()).body).toEqual(before)
  }
  beforeEach(async () => {
    await tenant.put(withFields(...fields))
    for (const each of values) await storeSubject(db, tenant.tenantKey, each)
  })

  test('cannot be removed: 409 names each such field and how many subjects have it, for a plan too', async () => {
    const all: [string, string][] = [
      ['/subjects/fields', "The subject field 'one' cannot be removed: 3 subjects hold values."],
      ['/subjects/fields', "The subject field 'many' cannot be removed: 2 subjects hold values."],
      ['/subjects/fields', "The subject field 'kept' cannot be removed: 4 subjects hold values."],
      ['/subjects/fields', 'The subject field \'odd "key":[\\\' cannot be removed: 1 subject holds a value.'],
    ]
    await refusedWith({}, ...all)
    await refusedWith(
      { name: 'Other', ...withFields(field('new'), field('kept', 'Number')) },
      ...all.filter((_, n) => n !== 2),
    )
  })

  test('cannot change its type or isArray', async () => {
    await refusedWith(
      withFields(
        field('new'),
        field('many'),
        field('one', 'Date'),
        field('kept', 'Boolean', { isArray: true }),
        ...fields.slice(3),
      ),
      ['/subjects/fields/2', "The subject field 'one' cannot change from Text to Date: 3 subjects hold values."],
      [
        '/subjects/fields/1',
        "The subject field 'many' cannot change from an array of Text to Text: 2 subjects hold values.",
      ],
      [
        '/subjects/fields/3',
        "The subject field 'kept' cannot change from Number to an array of Boolean: 4 subjects hold values.",
      ],
    )
  })

  test('may change its name, its place and whether it is required', async () => {
    const after = withFields(field('new'), ...fields.toReversed().map(each => ({ ...each, name: 'N', required: true })))
    expect((await tenant.put(after)).status).toBe(200)
  })

  test('is protected in its own tenant only; a field without values may be removed or changed', async () => {
    const other = await manifestOf()
    await other.put(withFields(...fields))
    expect((await other.put({})).status).toBe(200)
    expect((await tenant.put(withFields(...fields.slice(0, 4), field('free', 'Date')))).status).toBe(200)
    expect((await tenant.put(withFields(...fields.slice(0, 4)))).status).toBe(200)
  })
})

describe('while a subject is written', () => {
  /** As writers of subjects do: the settings are held in share mode until all is written. */
  const writing = (work: (trx: Knex.Transaction, tenant_id: number) => Promise<void>) =>
    db.transaction(async trx => {
      const tenantId = await tenantIdOf(db, tenant.tenantKey)
      await subjectSettings(trx, tenantId, 'share')
      await work(trx, tenantId)
    })

  test('a change of the fields waits, and counts the value that the subject gets', async () => {
    await tenant.put(withFields(field('a')))
    let change: ReturnType<typeof tenant.put> | undefined
    await writing(async (trx, tenant_id) => {
      change = tenant.put({ name: 'No fields' })
      await waiting(db, tenant_id, /subject_settings.* for update$/)
      const ids = { tenant_id, id: newId(), external_id: newId() }
      const stamps = { created_at: new Date(), updated_at: new Date() }
      await trx('subjects').insert({ ...ids, ...stamps, custom_values: '{"a":["String","x"]}' })
    })
    expect(await change).toMatchObject({
      status: 409,
      body: { errors: [{ detail: "The subject field 'a' cannot be removed: 1 subject holds a value." }] },
    })
    expect((await tenant.get()).body).toMatchObject({ name: tenant.tenantKey, subjects: { fields: [{ key: 'a' }] } })
  })

  test('a change of anything else does not wait', async () => {
    await tenant.put(withFields(field('a')))
    await writing(async () => {
      const { body } = await tenant.put({
        name: 'Other',
        users: [{ id: 'u', displayName: 'U' }],
        ...withFields(field('a')),
      })
      expect(paths(body.changes)).toEqual(['updated /name', 'created /users/u'])
    })
  })
})
