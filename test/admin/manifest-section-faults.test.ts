// Faults of single sections of a manifest.
import { Compile } from 'typebox/schema'
import { expect, inject, test } from 'vitest'
import { api, type Problem } from '../support/api.js'
import { problem } from '../support/http.js'
import { demoSubjects, manifestOf } from '../support/manifest.js'

const field = (key: string, more: object = {}) => ({ key, name: key, type: 'Text', ...more })
const fields = [
  field('id', { required: true }),
  field('optional'),
  field('many', { required: true, isArray: true }),
  field('mail'),
  field('born', { type: 'Date' }),
]
const subjects = (more: object) => ({ subjects: { fields, ...more } })
const portal = (more: object) => subjects({ portal: more })
const user = { id: 'u', displayName: 'U' }
const users = (...more: object[]) => ({ users: more.map(each => ({ ...user, ...each })) })

/** What the published schema refuses too. */
const bySchema: [name: string, manifest: object, ...faults: string[]][] = [
  ['an unknown member of subjects', subjects({ matching: [] }), 'unknown-member /subjects/matching'],
  [
    'a field without members',
    { subjects: { fields: [{}] } },
    ...['key', 'name', 'type'].map(name => `required /subjects/fields/0/${name}`),
  ],
  [
    'an unknown type',
    { subjects: { fields: [field('a', { type: 'String' })] } },
    'unknown-value /subjects/fields/0/type',
  ],
  ['a key with a blank at its end', { subjects: { fields: [field('a ')] } }, 'wrong-format /subjects/fields/0/key'],
  [
    'a field key too long',
    { subjects: { fields: [field('a'.repeat(256), { name: 'a' })] } },
    'too-long /subjects/fields/0/key',
  ],
  [
    '501 fields',
    { subjects: { fields: Array.from({ length: 501 }, (_, n) => field(`f${n}`)) } },
    'too-many /subjects/fields',
  ],
  [
    'required that is a text',
    { subjects: { fields: [field('a', { required: 'yes' })] } },
    'wrong-type /subjects/fields/0/required',
  ],
  ['a portal address that is none', portal({ url: 'portal' }), 'wrong-format /subjects/portal/url'],
  ['an unknown member of the portal', portal({ enabled: true }), 'unknown-member /subjects/portal/enabled'],
  ['a user without members', { users: [{}] }, 'required /users/0/id', 'required /users/0/displayName'],
  ['a user of no name', users({ displayName: ' ' }), 'wrong-format /users/0/displayName'],
  ['a user with a NUL in the name', users({ displayName: 'a\u0000b' }), 'wrong-format /users/0/displayName'],
  [
    'a field with a line break in the name',
    subjects({ fields: [field('a', { name: 'a\nb' })] }),
    'wrong-format /subjects/fields/0/name',
  ],
  ['a user id with a blank at its end', users({ id: 'u ' }), 'wrong-format /users/0/id'],
  ['groups that are no list', users({ groups: 'a' }), 'wrong-type /users/0/groups'],
  ['an unknown member of a user', users({ email: 'a@b' }), 'unknown-member /users/0/email'],
]

const betweenParts: [name: string, manifest: object, ...faults: string[]][] = [
  [
    'a field key given twice',
    subjects({ fields: [...fields, field('id'), field('mail')] }),
    'duplicate-key /subjects/fields/5/key',
    'duplicate-key /subjects/fields/6/key',
  ],
  [
    'an unknown matching field',
    subjects({ matchingFields: ['id', 'ID', 'x'] }),
    'unknown-custom-field /subjects/matchingFields/1',
    'unknown-custom-field /subjects/matchingFields/2',
  ],
  [
    'a matching field given twice',
    subjects({ matchingFields: ['id', 'id'] }),
    'duplicate-key /subjects/matchingFields/1',
  ],
  [
    'a matching field that is an array',
    subjects({ matchingFields: ['many'] }),
    'matching-array /subjects/matchingFields/0',
  ],
  [
    'a matching field that is not required',
    subjects({ matchingFields: ['id', 'optional'] }),
    'matching-optional /subjects/matchingFields/1',
  ],
  ['upsert without matching fields', subjects({ upsert: true }), 'required /subjects/matchingFields'],
  ['upsert without anything', { subjects: { upsert: true } }, 'required /subjects/matchingFields'],
  [
    'unknown fields of the portal',
    portal({ matchingFields: ['x'], displayNameFields: ['id', 'y'], emailField: 'z' }),
    'unknown-custom-field /subjects/portal/matchingFields/0',
    'unknown-custom-field /subjects/portal/displayNameFields/1',
    'unknown-custom-field /subjects/portal/emailField',
  ],
  [
    'fields of the portal given twice',
    portal({ matchingFields: ['id', 'id'], displayNameFields: ['id', 'id'] }),
    'duplicate-key /subjects/portal/matchingFields/1',
    'duplicate-key /subjects/portal/displayNameFields/1',
  ],
  [
    'self access without the field of the address',
    portal({ selfAccess: true }),
    'required /subjects/portal/emailField',
  ],
  [
    'a date of birth in a field that there is not',
    subjects({ dateOfBirthField: 'x' }),
    'unknown-custom-field /subjects/dateOfBirthField',
  ],
  ['a date of birth that is a text', subjects({ dateOfBirthField: 'id' }), 'wrong-field /subjects/dateOfBirthField'],
  [
    'maps of imports with one key, to a field that there is not',
    subjects({
      importMaps: ['x', 'id'].map(Nr => ({
        key: 'hr',
        columns: { 'Nr/1': Nr, Ward: 'StructuralEntityKeys', Note: '' },
      })),
    }),
    'duplicate-key /subjects/importMaps/1/key',
    'unknown-custom-field /subjects/importMaps/0/columns/Nr~11',
  ],
  [
    'forms of columns that their fields do not have',
    subjects({
      importMaps: [
        {
          key: 'de',
          columns: { Nr: { field: 'id', format: 'dd.MM.yyyy' }, Born: { field: 'born', decimal: ',' } },
        },
      ],
    }),
    'wrong-field /subjects/importMaps/0/columns/Nr',
    'wrong-field /subjects/importMaps/0/columns/Born',
  ],
  [
    'maps of imports of entities with one key',
    { structuralEntities: { importMaps: ['Key', 'any'].map(Nr => ({ key: 'sap', columns: { Nr } })) } },
    'duplicate-key /structuralEntities/importMaps/1/key',
  ],
  ['an address in an array', portal({ emailField: 'many' }), 'wrong-field /subjects/portal/emailField'],
  ['an address that is a date', portal({ emailField: 'born' }), 'wrong-field /subjects/portal/emailField'],
  ['a user id given twice', users({}, { displayName: 'Other' }, { id: 'U' }), 'duplicate-key /users/1/id'],
  [
    'unknown groups',
    users({ groups: ['x', 'y'] }, { id: 'v', groups: ['x'] }),
    'unknown-group /users/0/groups/0',
    'unknown-group /users/0/groups/1',
    'unknown-group /users/1/groups/0',
  ],
  [
    'all of these together',
    {
      ...subjects({ fields: [field('a'), field('a')], upsert: true, portal: { selfAccess: true } }),
      ...users({}, { groups: ['x'] }),
      key: 'k',
      clients: [],
    },
    'other-key /key',
    'duplicate-key /subjects/fields/1/key',
    'required /subjects/matchingFields',
    'required /subjects/portal/emailField',
    'duplicate-key /users/1/id',
    'unknown-group /users/1/groups/0',
  ],
]

test.each([...bySchema, ...betweenParts])(
  '%s is 400 with its pointer, for a plan too, and nothing is written, be the tenant new or old',
  async (_, manifest, ...faults) => {
    const tenant = await manifestOf()
    for (const written of [undefined, { subjects: demoSubjects }]) {
      if (written) await tenant.put(written)
      const before = await tenant.get()
      for (const answer of [await tenant.put(manifest), await tenant.plan(manifest)]) {
        const body = answer.body as unknown as Problem
        expect(body).toEqual(problem(400, 'validation', tenant.path, { errors: expect.anything() }))
        expect(body.errors?.map(({ code, pointer }) => `${code} ${pointer}`)).toEqual(faults)
      }
      const after = await tenant.get<Partial<Problem>>()
      expect([after.status, { ...after.body, traceId: '' }]).toEqual([
        before.status,
        { ...(before.body as object), traceId: '' },
      ])
    }
  },
)

test('the published JSON Schema refuses the same, except for contradictions between several places', async () => {
  const { body } = await api(inject('baseUrl'), '').get<object>('/admin/v1/manifest.schema.json')
  const schema = Compile(body)
  expect(schema.Check({ subjects: demoSubjects, users: [{ ...user, active: false, groups: ['a'] }] })).toBe(true)
  for (const [name, manifest] of bySchema) expect(schema.Check(manifest), name).toBe(false)
  for (const [name, manifest] of betweenParts) expect(schema.Check(manifest), name).toBe(true)
})
