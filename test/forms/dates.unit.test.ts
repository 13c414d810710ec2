// Checks of dates.
import { expect, test } from 'vitest'
import { checkedAs } from '../support/form-values.js'

test.each([
  ['date', '2024-02-29', '2024-02-29'],
  ['date', ' 0001-01-01 ', '0001-01-01'],
  ['datetime', '2026-03-31T14:30', '2026-03-31T14:30:00'],
  ['datetime', '2026-03-31 14:30:05.250', '2026-03-31T14:30:05.250'],
  ['datetime', '2026-03-31T14:30:05.0', '2026-03-31T14:30:05'],
  ['datetime', '2026-03-31T14:30+02:00', '2026-03-31T12:30:00.000Z'],
  ['datetime', '2026-03-31t00:15:00-00:30', '2026-03-31T00:45:00.000Z'],
  ['datetime', '2026-12-31T23:30:00.5Z', '2026-12-31T23:30:00.500Z'],
] as const)('%s: %j is kept as %j', (dataType, given, value) => {
  expect(checkedAs(dataType, given)).toEqual({ type: 'single-value', value })
  expect(checkedAs(dataType, value)).toEqual({ type: 'single-value', value })
})

const noDate = 'It is not a date, such as 2026-03-31.'
const noDatetime = 'It is not a date and time, such as 2026-03-31 14:30.'
const noPartial = 'It is not a date, a month or a year, such as 2026-03-31, 2026-03 or 2026.'
const junk = [{}, [], null, undefined, '', 'today', 20260331, true, { date: {} }, '31.03.2026']

test.each([
  [
    'date',
    noDate,
    {},
    [
      ...junk,
      '2023-02-29',
      '2026-13-01',
      '2026-3-1',
      '0000-01-01',
      '2026-03',
      '2026',
      { type: 'partial-date', dateKind: 'yyyy', date: '2026-01-01' },
    ],
  ],
  [
    'datetime',
    noDatetime,
    {},
    [
      ...junk,
      '2026-03-31',
      '2026-03-31T24:00',
      '2026-02-30T10:00',
      '2026-03-31T14:30+15:00',
      '2026-03-31T14:60',
      '9999-12-31T23:30-01:00',
      '0001-01-01T00:30+01:00',
    ],
  ],
  [
    'date',
    noPartial,
    { partial: true },
    [
      ...junk,
      '2026-13',
      '26',
      '2026-1',
      '20260',
      '2026-02-30',
      { dateKind: 'yyyy-MM', date: '2026' },
      { dateKind: 'yyyy/MM', date: '2026-03-01' },
      { dateKind: 'yyyy', date: '2026-0' },
      { dateKind: 'yyyy', date: '2026-02-30' },
    ],
  ],
] as const)('%s: an invalid value is refused: %s', (dataType, detail, more, values) => {
  for (const value of values) expect([value, checkedAs(dataType, value, more)]).toEqual([value, [dataType, detail]])
})

test.each([
  ['2026', 'yyyy', '2026-01-01'],
  [2026, 'yyyy', '2026-01-01'],
  ['2026-03', 'yyyy-MM', '2026-03-01'],
  ['2026-03-31', 'yyyy-MM-dd', '2026-03-31'],
  [{ date: '2026-03' }, 'yyyy-MM', '2026-03-01'],
  [{ dateKind: 'yyyy-MM', date: '2026-03-31' }, 'yyyy-MM', '2026-03-01'],
  [{ dateKind: 'yyyy', date: '2026-03-31' }, 'yyyy', '2026-01-01'],
] as const)('partial date: %j is of the kind %s', (given, dateKind, date) => {
  const kept = { type: 'partial-date', dateKind, date }
  expect(checkedAs('date', given, { partial: true })).toEqual(kept)
  expect(checkedAs('date', kept, { partial: true })).toEqual(kept)
})

test('dates and date-times outside their bounds are refused', () => {
  const dates = { min: '2026-03-10', max: '2026-03-20' }
  expect(checkedAs('date', '2026-03-10', dates)).toEqual({ type: 'single-value', value: '2026-03-10' })
  expect(checkedAs('date', '2026-03-09', dates)).toEqual(['too-low', 'It is before 2026-03-10.'])
  expect(checkedAs('date', '2026-03-21', dates)).toEqual(['too-high', 'It is after 2026-03-20.'])
  const moments = { min: '2026-03-10T12:00+02:00', max: '2026-03-10T12:00Z' }
  expect(checkedAs('datetime', '2026-03-10T10:00Z', moments)).toMatchObject({ value: '2026-03-10T10:00:00.000Z' })
  expect(checkedAs('datetime', '2026-03-10T12:00', moments)).toMatchObject({ value: '2026-03-10T12:00:00' })
  expect(checkedAs('datetime', '2026-03-10T09:59:59', moments)).toEqual(['too-low', `It is before ${moments.min}.`])
  expect(checkedAs('datetime', '2026-03-10T12:00:00.001Z', moments)).toEqual([
    'too-high',
    `It is after ${moments.max}.`,
  ])
})

test('a month or a year is out of bounds only if every day of it is', () => {
  const bounds = { partial: true, min: '2020-05-10', max: '2024' }
  for (const inside of ['2020', '2020-05', '2020-05-10', '2024', '2024-12-31']) {
    expect(checkedAs('date', inside, bounds)).toMatchObject({ type: 'partial-date' })
  }
  for (const below of ['2019', '2020-04', '2020-05-09']) {
    expect(checkedAs('date', below, bounds)).toEqual(['too-low', 'It is before 2020-05-10.'])
  }
  expect(checkedAs('date', '2025-01', bounds)).toEqual(['too-high', 'It is after 2024.'])
})
