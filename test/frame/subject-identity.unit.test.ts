// Display names of subjects.
import { expect, test } from 'vitest'
import { noSubjectSettings } from '../../db/frame/fields/subject-settings.js'
import { identityIn } from '../../db/frame/subjects/subject-names.js'

const field = (key: string, typeKey: 'Text' | 'Date' | 'Number' = 'Text') => ({
  key,
  name: `Field ${key}`,
  typeKey,
  required: true,
  isArray: false,
})
const settings = (fields: ReturnType<typeof field>[], more: object = {}) => ({
  ...noSubjectSettings,
  fields,
  ...more,
})
const portal = (...displayNameFields: string[]) => ({ portal: { ...noSubjectSettings.portal, displayNameFields } })
const all = {
  surname: 'Byron',
  First_Name: 'Ada',
  'middle-names': 'King',
  name: 'Countess',
  DOB: '1815-12-10',
  no: '7',
  b: 'x',
}
const values = Object.fromEntries(
  Object.entries(all).map(([key, text]): [string, ['String' | 'Date', string]] => [
    key,
    [key === 'DOB' ? 'Date' : 'String', text],
  ]),
)
const nobody = { displayName: '', dateOfBirth: undefined, identifiers: [{ label: 'Identifier', text: 'the-id' }] }

test.each([
  [
    'the parts of a name come in the order of a name',
    settings([field('surname'), field('First_Name'), field('middle-names'), field('name')]),
    { displayName: 'Ada King Byron' },
  ],
  [
    'a field of the whole name counts without parts',
    settings([field('name'), field('b')]),
    { displayName: 'Countess' },
  ],
  [
    'fields that the tenant names come before all others',
    settings([field('surname'), field('b')], portal('b')),
    { displayName: 'x' },
  ],
  ['no other text is taken for a name', settings([field('b'), field('no')]), { displayName: '' }],
  [
    'a date of birth is a Date',
    settings([field('DOB', 'Date')]),
    { dateOfBirth: { label: 'Field DOB', day: '1815-12-10' } },
  ],
  ['a text is no date of birth', settings([field('DOB')]), { dateOfBirth: undefined }],
  [
    'the tenant may name the date of birth',
    settings([field('dob', 'Date'), field('DOB', 'Date')], { dateOfBirthField: 'DOB' }),
    { dateOfBirth: { label: 'Field DOB', day: '1815-12-10' } },
  ],
  [
    'the identifier that the tenant names',
    settings([field('no'), field('b')], { identifierField: 'b', matchingFields: ['no'] }),
    { identifiers: [{ label: 'Field b', text: 'x' }] },
  ],
  [
    'without it the matching fields',
    settings([field('no'), field('b')], { matchingFields: ['no', 'b'] }),
    {
      identifiers: [
        { label: 'Field no', text: '7' },
        { label: 'Field b', text: 'x' },
      ],
    },
  ],
  [
    'a matching field that is part of the name is no identifier besides',
    settings([field('surname'), field('DOB', 'Date')], { matchingFields: ['surname', 'DOB'] }),
    { identifiers: nobody.identifiers },
  ],
  [
    'a field without a value identifies nobody',
    settings([field('gone')], { identifierField: 'gone' }),
    { identifiers: nobody.identifiers },
  ],
])('%s', (_, of, expected) => {
  expect(identityIn(of, 'the-id', values)).toMatchObject(expected)
})

test('a subject that is not known has its id alone', () => {
  expect(identityIn(settings([field('surname'), field('DOB', 'Date')]), 'the-id', undefined)).toEqual(nobody)
})
