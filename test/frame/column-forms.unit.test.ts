// Dates and numbers of columns in other forms than the API's.
import { expect, test } from 'vitest'
import { isDateFormat, readDate, readDecimalComma } from '../../db/frame/imports/column-forms.js'

test.each([
  ['dd.MM.yyyy', true],
  ['M/d/yyyy', true],
  ['yyyyMMdd', true],
  ['d. M. yyyy', true],
  ['dMyyyy', false],
  ['dd.MM.yy', false],
  ['dd.mm.yyyy', false],
  ['dd.MM', false],
  ['dd.MM.yyyy dd', false],
  ['', false],
])('%j is a format of dates: %s', (format, is) => expect(isDateFormat(format)).toBe(is))

test.each([
  ['31.12.1980', 'dd.MM.yyyy', '1980-12-31'],
  ['1.2.1980', 'd.M.yyyy', '1980-02-01'],
  ['12/31/1980', 'M/d/yyyy', '1980-12-31'],
  ['19801231', 'yyyyMMdd', '1980-12-31'],
  ['1.2.1980', 'dd.MM.yyyy', undefined],
  ['31.02.1980', 'dd.MM.yyyy', undefined],
  ['31/12/1980', 'M/d/yyyy', undefined],
  ['31x12x1980', 'dd.MM.yyyy', undefined],
  ['31.12.1980 ', 'dd.MM.yyyy', undefined],
  ['1980-12-31', 'dd.MM.yyyy', undefined],
])('%j as %s is %s', (text, format, date) => expect(readDate(text, format)).toBe(date))

test.each([
  ['72', '72'],
  ['-72,50', '-72.50'],
  ['72.5', undefined],
  ['1.072,5', undefined],
  ['72,', undefined],
  [',5', undefined],
  ['1,2,3', undefined],
])('%j with a decimal comma is %s', (text, number) => expect(readDecimalComma(text)).toBe(number))
