// Values of posted forms.
import { expect, test } from 'vitest'
import { fieldName, givenOf, markerName } from '../../forms/posted.js'
import type { Control, DataType } from '../../forms/template.js'
import { aControl, aForm, aRepeat, aSection, formOf, optionsOf } from '../support/form-values.js'
import { pairs } from '../support/http.js'

const dressing = aRepeat('dressing', [aControl('material')])
const wound = aRepeat('wound', [aControl('site')], { repeats: [dressing] })
const form = aForm(aSection('wounds', [], { repeats: [wound] }))

test('a field is named by control, iterations and part', () => {
  expect(fieldName('depth', [])).toBe('depth')
  expect(fieldName('depth', [0, 2])).toBe('depth[0][2]')
  expect(fieldName('place', [0], 'latitude')).toBe('place[0].latitude')
  expect(fieldName('depth', ['{wound}'])).toBe('depth[{wound}]')
  expect(markerName('wound', [0])).toBe('repeat:wound[0]')
})

const kinds: [Partial<Control>, [string, string][], unknown][] = [
  [{}, [['one', ' text ']], ' text '],
  [{}, [['one', '']], ''],
  [{ dataType: 'boolean' }, pairs('one', 'false', 'one', 'true'), 'true'],
  [{ dataType: 'boolean' }, pairs('one', 'true', 'one', ''), 'true'],
  [{ options: optionsOf('a') }, [['one', 'a']], 'a'],
  [{ options: optionsOf('a') }, [['one', '']], ''],
  [{ options: optionsOf('a'), allowOther: true }, pairs('one', '', 'one.other', 'mine'), 'mine'],
  [{ options: optionsOf('a'), allowOther: true }, pairs('one', 'a', 'one.other', ' '), 'a'],
  [{ options: optionsOf('a'), allowOther: true }, pairs('one.other', 'mine', 'one', 'a'), ['a', 'mine']],
  [{ options: optionsOf('a'), couldHaveMultipleValues: true }, [['one', 'a']], ['a']],
  [{ options: optionsOf('a'), couldHaveMultipleValues: true }, [['one', '']], []],
  [
    { options: optionsOf('a', 'b'), couldHaveMultipleValues: true, allowOther: true },
    pairs('one', 'b', 'one', 'a', 'one', '', 'one.other', 'mine'),
    ['b', 'a', 'mine'],
  ],
  [{ dataType: 'date' }, [['one', '2026-03-31']], '2026-03-31'],
  [{ dataType: 'date', partial: true }, pairs('one.day', '', 'one.month', '3', 'one.year', '2026 '), '2026-03'],
  [{ dataType: 'date', partial: true }, pairs('one.year', '2026', 'one.month', '12', 'one.day', '1'), '2026-12-01'],
  [{ dataType: 'date', partial: true }, pairs('one.year', '2026', 'one.month', '', 'one.day', '7'), '2026--07'],
  [{ dataType: 'date', partial: true }, pairs('one.year', '', 'one.month', '', 'one.day', ''), ''],
  [{ dataType: 'date', partial: true }, [['one', '2026-03']], '2026-03'],
  [{ dataType: 'date' }, pairs('one.year', '2026', 'one.month', '2', 'one.day', '31'), '2026-02-31'],
  [{ dataType: 'date' }, pairs('one.year', '', 'one.month', '', 'one.day', '31022026'), '--31022026'],
  [
    { dataType: 'date' },
    pairs('one.year', '2026', 'one.month', ' Feb ', 'one.day', '3'),
    { year: '2026', month: 'Feb', day: '3', time: '' },
  ],
  [
    { dataType: 'datetime' },
    pairs('one.year', '2026', 'one.month', '2', 'one.day', '3', 'one.time', '9:30'),
    '2026-02-03T09:30',
  ],
  [{ dataType: 'datetime' }, pairs('one.year', '2026', 'one.month', '2', 'one.day', '3'), '2026-02-03'],
  [
    { dataType: 'datetime' },
    pairs('one.year', '', 'one.month', '', 'one.day', '', 'one.time', '9:30'),
    { year: '', month: '', day: '', time: '9:30' },
  ],
  [{ dataType: 'datetime' }, pairs('one.day', '', 'one.time', ''), ''],
  [{ dataType: 'time' }, [['one', ' 9:30']], '09:30'],
  [
    { dataType: 'geolocation' },
    pairs('one.longitude', '16', 'one.latitude', '48'),
    { latitude: '48', longitude: '16' },
  ],
  [{ dataType: 'geolocation' }, [['one.latitude', '48']], { latitude: '48', longitude: '' }],
  [{ dataType: 'geolocation' }, pairs('one.latitude', '', 'one.longitude', ''), ''],
  [
    { dataType: 'annotated-image' },
    [
      ...pairs('one.pins[10].x', '1', 'one.pins[10].y', '2', 'one.pins[10].value', 'last'),
      ...pairs('one.pins[2].value', 'no place', 'one.pins[2].x', '', 'one.pins[0].x', '', 'one.pins[0].y', ''),
    ] as [string, string][],
    {
      annotations: [
        { x: '', y: '', value: 'no place' },
        { x: '1', y: '2', value: 'last' },
      ],
    },
  ],
  [{ dataType: 'annotated-image' }, [['one.pins[0].x', '']], { annotations: [] }],
  [{ dataType: 'translatable-text-value' }, [['one', 'once']], 'once'],
  [{ dataType: 'data-url' }, pairs('one', 'data:new', 'one.kept', 'data:old'), 'data:new'],
  [{ dataType: 'data-url' }, pairs('one', '', 'one.kept', 'data:old'), 'data:old'],
  [{ dataType: 'data-url' }, pairs('one', '', 'one.kept', 'data:old', 'one.remove', 'on'), ''],
  [{ dataType: 'data-url' }, pairs('one.kept', 'data:old', 'one.remove', 'on', 'one', 'data:new'), 'data:new'],
]
test.each(kinds)('%j: the fields %j', (more, fields, value) => {
  expect(givenOf(formOf(aControl('one', more)), fields)).toEqual({ one: value })
})

test('fields that the form does not have are ignored, and controls that are not posted are absent', () => {
  const names = [
    'etag',
    'action',
    '',
    'one[0]',
    'site',
    'site[0][1]',
    'site[x]',
    'site[-1]',
    'material[0]',
    'wound',
    '__proto__',
  ]
  const markers = [
    'repeat:',
    'repeat:wound',
    'repeat:wound[0][0]',
    'repeat:site[0]',
    'repeat:toString[0]',
    'site[1000]',
    'site[99999]',
  ]
  expect(
    givenOf(
      form,
      [...names, ...markers].map(name => [name, 'x']),
    ),
  ).toEqual({})
})

test('a control may have the name of a part of a field', () => {
  const template = formOf(aControl('one', { dataType: 'geolocation' }), aControl('other'), aControl('__proto__'))
  const given = givenOf(template, pairs('other', 'a', '__proto__', 'b', 'one.latitude', '1'))
  expect(Object.entries(given)).toEqual([
    ['one', { latitude: '1', longitude: '' }],
    ['other', 'a'],
    ['__proto__', 'b'],
  ])
})

test('twenty thousand fields of the same name are one value', () => {
  const dataTypes: DataType[] = ['string', 'data-url', 'annotated-image']
  for (const dataType of dataTypes) {
    const fields = Array.from({ length: 20_000 }, (_, n): [string, string] => ['one', String(n)])
    const value = dataType === 'annotated-image' ? { annotations: [] } : '19999'
    expect(givenOf(formOf(aControl('one', { dataType })), fields)).toEqual({ one: value })
  }
})
