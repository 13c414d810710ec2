// Checks of scalar values.
import { expect, test } from 'vitest'
import type { DataType } from '../../forms/template.js'
import { ExactNumber } from '../../runtime/json/exact-number.js'
import { checkedAs } from '../support/form-values.js'

const single = (value: string) => ({ type: 'single-value', value })

test.each([
  ['integer', '12', '12'],
  ['integer', 12, '12'],
  ['integer', ' +007 ', '7'],
  ['integer', '-0', '0'],
  ['integer', '-999999999999999999', '-999999999999999999'],
  ['decimal', '12.50', '12.50'],
  ['decimal', '12,5', '12.5'],
  ['decimal', '1234,567', '1234.567'],
  ['decimal', '0,125', '0.125'],
  ['decimal', '.5', '0.5'],
  ['decimal', '-000.10', '-0.10'],
  ['decimal', '-0.0', '0.0'],
  ['decimal', '+7', '7'],
  ['decimal', 12.5, '12.5'],
  ['decimal', 1e-7, '0.0000001'],
  ['decimal', -0, '0'],
  ['decimal', new ExactNumber('0.12345678901234567'), '0.12345678901234567'],
  ['boolean', true, 'true'],
  ['boolean', 'FALSE', 'false'],
  ['time', '09:30', '09:30:00'],
  ['time', '23:59:59.000', '23:59:59'],
  ['url', ' HTTPS://Example.org/a b?c=ü ', 'https://example.org/a%20b?c=%C3%BC'],
  ['url', 'http://127.0.0.1:8080', 'http://127.0.0.1:8080/'],
] as const)('%s: %j is kept as %j', (dataType, given, kept) => {
  expect(checkedAs(dataType, given)).toEqual(single(kept))
  expect(checkedAs(dataType, kept)).toEqual(single(kept))
})

const junk: unknown[] = [
  {},
  [],
  [1],
  { value: 1 },
  { toJSON: 1, toString: 2 },
  { latitude: {} },
  null,
  undefined,
  'x',
  '1 2',
]

const noInteger = 'It is not a whole number, such as 12.'
const noDecimal = 'It is not a number, such as 1500 or 12.5.'
const noBoolean = 'It is not yes or no (true or false).'
const noTime = 'It is not a time, such as 14:30.'
const noUrl = 'It is not a web address, such as https://example.org.'
const refused: [DataType, string, unknown[]][] = [
  ['integer', noInteger, [...junk, '1.0', '1e3', 1.5, '0x10', '1234567890123456789', '٣', Number.NaN, true]],
  [
    'decimal',
    noDecimal,
    [...junk, '', '-', '.', '5.', '1.2.3', '1e3', '1,500', '-12,500', '1234567890.123456789', 1e30],
  ],
  ['boolean', noBoolean, [...junk, 'yes', 1, 0, '']],
  ['time', noTime, [...junk, '24:00', '9:30', '12:60', '12:30:60', '12:30:00.5', '12', 930]],
  [
    'url',
    noUrl,
    [
      ...junk,
      'example.org',
      'javascript:alert(1)',
      'ftp://example.org',
      'https://',
      `https://${'a'.repeat(2_000)}`,
      `https://a.org/${'ü'.repeat(600)}`,
    ],
  ],
]
test.each(refused)(
  '%s: an invalid value is refused with words that say what is expected',
  (dataType, detail, values) => {
    for (const value of values) expect([value, checkedAs(dataType, value)]).toEqual([value, [dataType, detail]])
  },
)

test.each([
  ['integer', { min: '0', max: '10' }, ['0', '10', '5'], '-1', '11', ['less than 0', 'more than 10']],
  [
    'integer',
    { max: '900719925474099267', unit: 'ml' },
    ['900719925474099267'],
    '',
    '900719925474099268',
    ['', 'more than 900719925474099267 ml'],
  ],
  [
    'decimal',
    { min: '0.5', max: '99.9', unit: 'kg' },
    ['0.50', '99.900', '9'],
    '0.49999',
    '99.900000001',
    ['less than 0.5 kg', 'more than 99.9 kg'],
  ],
  ['decimal', { min: '-2' }, ['-2', '10', '-1.5'], '-2.01', '', ['less than -2', '']],
  [
    'time',
    { min: '08:00', max: '17:00' },
    ['08:00', '17:00:00', '12:30'],
    '07:59:59',
    '17:00:01',
    ['before 08:00', 'after 17:00'],
  ],
] as const)('%s within %j', (dataType, bounds, inside, low, high, [below, above]) => {
  for (const value of inside) expect(checkedAs(dataType, value, bounds)).toMatchObject({ type: 'single-value' })
  if (low) expect(checkedAs(dataType, low, bounds)).toEqual(['too-low', `It is ${below}.`])
  if (high) expect(checkedAs(dataType, high, bounds)).toEqual(['too-high', `It is ${above}.`])
})
