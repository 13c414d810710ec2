// Faults of controls in form templates.
import { expect, test } from 'vitest'
import { aPicture } from '../support/factories.js'
import { a, faultsOfControls, options } from '../support/form-faults.js'
import { manifestOf } from '../support/manifest.js'

const tenant = await manifestOf()
await tenant.put({})

const svg = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`
const picture = (image: unknown) => ({ dataType: 'annotated-image', image })
const large = svg(`<svg viewBox="0 0 1 1"><!--${'x'.repeat(2 ** 20)}--></svg>`)

test.each<[string, object, ...string[]]>([
  ['an id that is no XML name', { id: '1st' }, 'wrong-format /id'],
  ['an id with a dot', { id: 'a.b' }, 'wrong-format /id'],
  ['an id that XML keeps for itself', { id: 'XmlName' }, 'wrong-format /id'],
  ['an id of every object', { id: 'constructor' }, 'reserved-id /id'],
  ['an id of every object of old', { id: '__proto__' }, 'reserved-id /id'],
  ['the field of the buttons', { id: 'action' }, 'reserved-id /id'],
  ['an empty label', { label: ' ' }, 'wrong-format /label'],
  ['a label with a control character', { label: 'a\u0001' }, 'wrong-format /label'],
  ['a label that is missing', { label: undefined }, 'required /label'],
  ['a member that nobody knows', { requried: true }, 'unknown-member /requried'],
  ['an unknown data type', { dataType: 'number' }, 'unknown-value /dataType'],

  ['min of a boolean', { dataType: 'boolean', min: 1 }, 'not-for-data-type /min'],
  ['max of a text', { max: 3 }, 'not-for-data-type /max'],
  ['min of what is only chosen', { dataType: 'integer', min: 1, options: options(1, 2) }, 'not-for-data-type /min'],
  ['min that is no integer', { dataType: 'integer', min: 1.5 }, 'integer /min'],
  ['max that is no date', { dataType: 'date', max: '31.12.2026' }, 'date /max'],
  ['max of a partial date that is no day', { dataType: 'date', partial: true, max: '2026' }, 'date /max'],
  ['both of them', { dataType: 'time', min: 'noon', max: '25:00' }, 'time /max', 'time /min'],
  ['min above max', { dataType: 'decimal', min: '10.5', max: '9.5' }, 'crossed /min'],
  ['min after max', { dataType: 'date', min: '2027-01-01', max: '2026-12-31' }, 'crossed /min'],
  ['minLength above maxLength', { minLength: 5, maxLength: 4 }, 'crossed /minLength'],
  ['minLength of a number', { dataType: 'integer', minLength: 1 }, 'not-for-data-type /minLength'],
  ['maxLength of what is only chosen', { maxLength: 9, options: options('a') }, 'not-for-data-type /maxLength'],
  ['a pattern of a number', { dataType: 'integer', pattern: '\\d' }, 'not-for-data-type /pattern'],
  ['a pattern that is none', { pattern: '(' }, 'pattern /pattern'],
  ['a pattern that is none, and a value', { pattern: '(', initial: { value: 'x' } }, 'pattern /pattern'],
  ['several lines of options', { multiline: true, options: options('a') }, 'not-for-data-type /multiline'],
  ['a unit of a text', { unit: 'kg' }, 'not-for-data-type /unit'],
  ['a partial time', { dataType: 'time', partial: true }, 'not-for-data-type /partial'],
  ['media types of a text', { mediaTypes: ['image/*'] }, 'not-for-data-type /mediaTypes'],
  ['a media type that is none', { dataType: 'data-url', mediaTypes: ['image'] }, 'wrong-format /mediaTypes/0'],
  ['maxBytes of a url', { dataType: 'url', maxBytes: 9 }, 'not-for-data-type /maxBytes'],
  ['a language of what is not translated', { targetLanguage: 'de' }, 'not-for-data-type /targetLanguage'],
  [
    'a language by its name',
    { dataType: 'translatable-text-value', targetLanguage: 'de DE' },
    'wrong-format /targetLanguage',
  ],

  ['no picture', { dataType: 'annotated-image' }, 'required /image'],
  [
    'a picture of a text',
    { image: aPicture, imageDescription: 'x' },
    'not-for-data-type /image',
    'not-for-data-type /imageDescription',
  ],
  ['a picture elsewhere', picture('https://example.org/a.png'), 'data-url /image'],
  ['the name of a file', picture('./body.svg'), 'data-url /image'],
  ['a picture that is a document', picture('data:application/pdf;base64,JVBERi0='), 'media-type /image'],
  ['a picture that is none', picture('data:image/png;base64,AAAA'), 'no-picture /image'],
  ['a picture without a size', picture(svg('<svg/>')), 'no-picture /image'],
  ['a picture over 1 MB', picture(large), 'too-large /image'],

  ['no option', { options: [] }, 'too-few /options'],
  ['an option twice', { options: options('a', 'b', 'a') }, 'duplicate-key /options/2/value'],
  [
    'an option twice, written otherwise',
    { dataType: 'integer', options: options(1, '01') },
    'duplicate-key /options/1/value',
  ],
  ['an option of another type', { dataType: 'integer', options: options(1, 'two') }, 'integer /options/1/value'],
  ['an empty option', { options: options('') }, 'reserved /options/0/value'],
  ['the option of the page itself', { options: options('{other}') }, 'reserved /options/0/value'],
  ['an option with a blank at its end', { options: options('a ') }, 'blanks /options/0/value'],
  ['several values without options', { couldHaveMultipleValues: true }, 'not-for-data-type /couldHaveMultipleValues'],
  ['another value without options', { allowOther: true }, 'not-for-data-type /allowOther'],
  [
    'options of a partial date',
    { dataType: 'date', partial: true, options: options('2026-01-01') },
    'not-for-data-type /options',
  ],

  [
    'an initial value that is refused',
    { dataType: 'integer', max: 5, initial: { value: 6 } },
    'too-high /initial/value',
  ],
  [
    'an initial value that is no option',
    { options: options('a'), initial: { value: 'b' } },
    'unknown-option /initial/value',
  ],
  ['an initial value that is too long', { maxLength: 3, initial: { value: 'four' } }, 'too-long /initial/value'],
  ['an initial value of nothing', { initial: {} }, 'one-of /initial'],
  ['two initial values', { initial: { value: 'a', context: 'b' } }, 'one-of /initial'],
  ['an initial place', { dataType: 'geolocation', initial: { context: 'place' } }, 'not-for-data-type /initial'],

  ['no value and no text', { couldHaveValue: false }, 'required /text'],
  [
    'what has no value and yet is required',
    { couldHaveValue: false, text: 'Read.', dataType: 'date', required: true, min: '2026-01-01' },
    'not-for-texts /dataType',
    'not-for-texts /min',
    'not-for-texts /required',
  ],
  ['a text where a value stands', { text: 'Read.' }, 'not-for-values /text'],
])('%s is refused', async (_, more, ...faults) => {
  const found = await faultsOfControls(tenant, [a('one', more)])
  expect(found).toEqual(faults.map(fault => fault.replace(' ', ' /controls/0')).sort())
})

test.each(['geolocation', 'annotated-image', 'data-url', 'html', 'translatable-text-value'])(
  'a control of the data type %s cannot have options',
  async dataType => {
    const image = dataType === 'annotated-image' ? { image: aPicture } : {}
    const found = await faultsOfControls(tenant, [
      a('one', { dataType, ...image, options: options('a'), allowOther: true }),
    ])
    expect(found).toEqual(['not-for-data-type /controls/0/options'])
  },
)
