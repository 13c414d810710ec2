// Faults of conditions in form templates.
import { expect, test } from 'vitest'
import { aPicture } from '../support/factories.js'
import { a, faultsOfControls, options } from '../support/form-faults.js'
import { manifestOf } from '../support/manifest.js'

const tenant = await manifestOf()
await tenant.put({})

/** What a condition or a calculation can name: the last control is it, and behind it stands one more. */
const before = [
  a('text', { maxLength: 5, pattern: '[a-z]+' }),
  a('number', { dataType: 'integer', max: 10 }),
  a('fraction', { dataType: 'decimal' }),
  a('score', { options: options(0, 1) }),
  a('colour', { options: options('red', 'blue') }),
  a('colours', { options: options('1', '2'), couldHaveMultipleValues: true }),
  a('free', { options: options('1'), allowOther: true }),
  a('day', { dataType: 'date', partial: true }),
  a('clock', { dataType: 'time' }),
  a('yes', { dataType: 'boolean' }),
  a('place', { dataType: 'geolocation' }),
  a('pins', { dataType: 'annotated-image', image: aPicture }),
  a('read', { couldHaveValue: false, text: 'Read.' }),
]
const at = `/controls/${before.length}`
const repeats = [{ id: 'r', label: 'R', controls: [a('inside')] }]
const faultsBeside = (control: object) => faultsOfControls(tenant, [...before, control, a('later')], repeats)

test.each<[string, object, ...string[]]>([
  ['an empty one', {}, 'one-of '],
  ['no comparison', { control: 'text' }, 'one-of '],
  ['two comparisons', { control: 'number', atLeast: 1, atMost: 2 }, 'one-of '],
  ['a comparison of nothing', { equals: 'a' }, 'one-of '],
  ['a control and the context', { control: 'text', context: 'ward', equals: 'a' }, 'one-of '],
  ['all and any', { all: [{ control: 'yes', equals: true }], any: [{ control: 'yes', equals: true }] }, 'one-of '],
  ['a comparison beside not', { not: { control: 'yes', equals: true }, equals: 'a' }, 'one-of '],
  ['an empty list', { any: [] }, 'too-few /any'],
  ['an unknown member', { control: 'text', is: 'a' }, 'unknown-member /is'],
  ['an unknown control', { control: 'nothing', answered: true }, 'unknown-control /control'],
  ['a section', { control: 's', answered: true }, 'unknown-control /control'],
  ['a repeat', { control: 'r', answered: true }, 'unknown-control /control'],
  ['itself', { control: 'one', answered: true }, 'later-control /control'],
  ['a later control', { control: 'later', answered: true }, 'later-control /control'],
  ['a control that is only read', { control: 'read', answered: true }, 'no-value /control'],
  ['a number of a text', { control: 'text', atLeast: 1 }, 'not-a-number /control'],
  ['a number of several values', { control: 'colours', atMost: 1 }, 'not-a-number /control'],
  ['a number of what may be any text', { control: 'free', atMost: 1 }, 'not-a-number /control'],
  ['a place that equals', { control: 'place', equals: '1' }, 'wrong-comparison '],
  ['pins above', { control: 'pins', atLeast: 1 }, 'wrong-comparison '],
  ['no option', { control: 'colour', equals: 'green' }, 'never-equal /equals'],
  ['no option among several', { control: 'colours', in: ['1', '3'] }, 'never-equal /in/1'],
  ['a number beyond its most', { control: 'number', equals: 11 }, 'never-equal /equals'],
  ['a number written otherwise', { control: 'number', equals: '05' }, 'never-equal /equals'],
  ['a time written otherwise', { control: 'clock', equals: '09:30' }, 'never-equal /equals'],
  ['a text that does not fit the pattern', { control: 'text', in: ['ab', '12'] }, 'never-equal /in/1'],
  ['neither yes nor no', { control: 'yes', equals: 'yes' }, 'never-equal /equals'],
  [
    'faults at every level',
    { all: [{ any: [{ control: 'nothing', answered: true }, {}] }, { control: 'later', answered: false }] },
    'later-control /all/1/control',
    'one-of /all/0/any/1',
    'unknown-control /all/0/any/0/control',
  ],
  ['four levels', { not: { not: { not: { control: 'yes', equals: true } } } }, 'wrong-format /not/not/not'],
])('a condition: %s is refused', async (_, relevant, ...faults) => {
  expect(await faultsBeside(a('one', { relevant }))).toEqual(faults.map(each => each.replace(' ', ` ${at}/relevant`)))
})

test.each<[string, object, ...string[]]>([
  ['neither of them', { calculate: {} }, 'one-of /calculate'],
  [
    'both of them',
    { calculate: { sum: ['number'], bands: { of: 'number', bands: [{ value: 'a' }] } } },
    'one-of /calculate',
  ],
  ['the sum of nothing', { calculate: { sum: [] } }, 'too-few /calculate/sum'],
  ['an unknown summand', { calculate: { sum: ['number', 'nothing'] } }, 'unknown-control /calculate/sum/1'],
  ['a later summand', { calculate: { sum: ['later'] } }, 'later-control /calculate/sum/0'],
  ['itself', { calculate: { sum: ['one'] } }, 'later-control /calculate/sum/0'],
  [
    'a text',
    { calculate: { sum: ['text', 'score', 'colours'] } },
    'not-a-number /calculate/sum/0',
    'not-a-number /calculate/sum/2',
  ],
  [
    'a fraction in a whole sum',
    { dataType: 'integer', calculate: { sum: ['number', 'score', 'fraction'] } },
    'not-whole /calculate/sum/2',
  ],
  ['a sum that is a date', { dataType: 'date', calculate: { sum: ['number'] } }, 'not-a-number /dataType'],
  [
    'a sum of pins',
    { dataType: 'geolocation', calculate: { sum: ['number'] } },
    'not-a-number /dataType',
    'not-for-data-type /calculate',
  ],
  [
    'bands of a text',
    { calculate: { bands: { of: 'colour', bands: [{ value: 'a' }] } } },
    'not-a-number /calculate/bands/of',
  ],
  [
    'bands of an unknown control',
    { calculate: { bands: { of: 'nothing', bands: [{ value: 'a' }] } } },
    'unknown-control /calculate/bands/of',
  ],
  ['no band', { calculate: { bands: { of: 'number', bands: [] } } }, 'too-few /calculate/bands/bands'],
  [
    'bands in disorder',
    {
      calculate: { bands: { of: 'number', bands: [{ upTo: 5, value: 'a' }, { upTo: 5, value: 'b' }, { value: 'c' }] } },
    },
    'not-ascending /calculate/bands/bands/1/upTo',
  ],
  [
    'an open band before others',
    { calculate: { bands: { of: 'number', bands: [{ value: 'a' }, { upTo: 5, value: 'b' }] } } },
    'required /calculate/bands/bands/0/upTo',
  ],
  [
    'a band of another type',
    { dataType: 'integer', calculate: { bands: { of: 'number', bands: [{ upTo: 5, value: 'low' }, { value: 9 }] } } },
    'integer /calculate/bands/bands/0/value',
  ],
  [
    'a pattern that is none',
    { pattern: '(', calculate: { bands: { of: 'number', bands: [{ value: 'a' }] } } },
    'pattern /pattern',
  ],
  [
    'one with an initial value',
    { calculate: { sum: ['number'] }, initial: { value: '1' } },
    'not-for-data-type /initial',
  ],
  [
    'one of several values',
    {
      calculate: { bands: { of: 'number', bands: [{ value: 'a' }] } },
      options: options('a'),
      couldHaveMultipleValues: true,
    },
    'not-for-data-type /couldHaveMultipleValues',
  ],
])('a calculation: %s is refused', async (_, more, ...faults) => {
  expect(await faultsBeside(a('one', more))).toEqual(faults.map(each => each.replace(' ', ` ${at}`)))
})

test('a control in a repeat is visible from inside that repeat only', async () => {
  const sees = (control: string) => ({ relevant: { control, answered: true } })
  const inner = {
    id: 'inner',
    label: 'Inner',
    ...sees('outerOne'),
    controls: [a('innerOne', sees('outerOne')), a('innerTwo', sees('top'))],
  }
  const outer = { id: 'outer', label: 'Outer', controls: [a('outerOne')], repeats: [inner] }
  const beside = { id: 'beside', label: 'Beside', ...sees('outerOne'), controls: [a('besideOne', sees('innerOne'))] }
  const own = { id: 'own', label: 'Own', ...sees('ownOne'), controls: [a('ownOne')] }
  expect(await faultsOfControls(tenant, [a('top')], [outer, beside, own])).toEqual([
    'later-control /repeats/2/relevant/control',
    'other-repeat /repeats/1/controls/0/relevant/control',
    'other-repeat /repeats/1/relevant/control',
  ])
})
