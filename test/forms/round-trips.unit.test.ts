// Properties of checks and pages.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import { fieldName, givenOf, markerName } from '../../forms/posted.js'
import { type Control, controlsOf, type FormTemplate } from '../../forms/template.js'
import { type ControlValue, type FormValues, pathOf } from '../../forms/values.js'
import { fieldOf } from '../../server/forms/pages/page-control.js'
import { aControl, aForm, aRepeat, aSection, optionsOf } from '../support/form-values.js'

type Field = [name: string, text: string]

/**
 * What a page that shows these values posts: texts for all fields, and a marker for each iteration.
 * @param numbered how the page numbers the iterations; it may have gaps.
 */
function fieldsOf(template: FormTemplate, values: FormValues, numbered = (index: number) => index): Field[] {
  return Object.entries(values).flatMap(([id, all]) => {
    const repeats = controlsOf(template).get(id)?.repeats ?? []
    return all.flatMap((value): Field[] => {
      const path = pathOf(value).map(numbered)
      const markers = repeats.map(({ id }, depth): Field => [markerName(id, path.slice(0, depth + 1)), '1'])
      const fields = textsOf(template, id, value).map(([part, text]): Field => [fieldName(id, path, part), text])
      return [...markers, ...fields]
    })
  })
}

function textsOf(template: FormTemplate, id: string, value: ControlValue): [part: string | undefined, text: string][] {
  switch (value.type) {
    case 'empty':
      return []
    case 'partial-date':
    case 'single-value': {
      const control = controlsOf(template).get(id)?.control
      const { kind, parts } = fieldOf(control ?? aControl(id), [], value, 'en')
      if (kind === 'date-parts') return parts.map(({ name, text }) => [name.slice(id.length + 1), text])
      return [[undefined, value.type === 'single-value' ? value.value : '']]
    }
    case 'single-selection':
      return [[undefined, value.value]]
    case 'multiple-selection': {
      const options = controlsOf(template).get(id)?.control.options ?? []
      const isOption = (text: string) => options.some(option => option.value === text)
      return value.selections.map(({ value }) => [isOption(value) ? undefined : 'other', value])
    }
    case 'geolocation':
      return [
        ['latitude', value.latitude.toFixed(7)],
        ['longitude', value.longitude.toFixed(7)],
      ]
    case 'annotated-image':
      return value.annotations.flatMap(({ x, y, value }, n) => [
        [`pins[${n * 3}].x`, String(x)],
        [`pins[${n * 3}].y`, String(y)],
        [`pins[${n * 3}].value`, value],
      ])
    case 'translatable-text-value':
      return [[undefined, value.originalText]]
  }
}

const options = optionsOf('a', 'b', 'c')
const text = fc.string({
  unit: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...'ab <&"\n\t,.ü🏥') },
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
})
const two = (max: number) => fc.integer({ min: 0, max }).map(number => String(number).padStart(2, '0'))
const day = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), two(13), two(32))
  .map(([year, ...rest]) => [String(year).padStart(4, '0'), ...rest].join('-'))
const percent = fc.double({ min: -1, max: 101, noNaN: true })
const point = fc.record({ x: percent, y: percent, value: text }, { requiredKeys: ['x', 'y'] })

/** Of every kind a control, and values for it, most of which are right. */
const kinds: Record<string, [Partial<Control>, fc.Arbitrary<unknown>]> = {
  integer: [{ dataType: 'integer', max: '100000' }, fc.oneof(fc.integer(), fc.bigInt().map(String))],
  decimal: [
    { dataType: 'decimal', min: '-5' },
    fc.tuple(fc.integer(), fc.nat()).map(([whole, part]) => `${whole}.${part}`),
  ],
  string: [{ maxLength: 10 }, text],
  boolean: [{ dataType: 'boolean' }, fc.boolean()],
  date: [{ dataType: 'date' }, day],
  partial: [
    { dataType: 'date', partial: true },
    fc.tuple(day, fc.constantFrom(4, 7, 10)).map(([date, length]) => date.slice(0, length)),
  ],
  time: [{ dataType: 'time' }, fc.tuple(two(24), two(60), two(59)).map(parts => parts.join(':'))],
  datetime: [
    { dataType: 'datetime' },
    fc
      .tuple(day, two(23), two(59), fc.constantFrom('', 'Z', '+02:00', '-11:30', ':07.5Z'))
      .map(([date, hours, minutes, rest]) => `${date}T${hours}:${minutes}${rest}`),
  ],
  image: [{ dataType: 'annotated-image' }, fc.array(point, { maxLength: 4 }).map(annotations => ({ annotations }))],
  place: [
    { dataType: 'geolocation' },
    fc.record({ latitude: percent, longitude: fc.double({ min: -181, max: 181, noNaN: true }) }),
  ],
  html: [{ dataType: 'html' }, text],
  file: [
    { dataType: 'data-url', maxBytes: 20 },
    fc.uint8Array({ maxLength: 25 }).map(bytes => `data:a/b;base64,${Buffer.from(bytes).toString('base64')}`),
  ],
  url: [{ dataType: 'url' }, fc.webUrl({ withQueryParameters: true, withFragments: true })],
  story: [{ dataType: 'translatable-text-value', targetLanguage: 'de' }, text],
  one: [{ options, allowOther: true }, fc.oneof(fc.constantFrom('a', 'b', 'd'), text)],
  several: [
    { options, allowOther: true, couldHaveMultipleValues: true },
    fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), text), { maxLength: 3 }),
  ],
  total: [{ dataType: 'decimal', calculate: { sum: ['integer', 'decimal'] } }, fc.anything()],
  shown: [{ relevant: { control: 'boolean', equals: 'true' } }, text],
}

/** The same controls outside repeats, in one, and in one within that. */
const controlsNamed = (place: string) => {
  const named = (id: string) => `${id}${place}`
  return Object.entries(kinds).map(([id, [{ calculate, relevant, ...more }]]) =>
    aControl(named(id), {
      ...more,
      ...(calculate && { calculate: { sum: calculate.sum?.map(named) } }),
      ...(relevant && { relevant: { ...relevant, control: named('boolean') } }),
    }),
  )
}
const inner = aRepeat('inner', controlsNamed('2'))
const outer = aRepeat('outer', controlsNamed('1'), { repeats: [inner] })
const template = aForm(aSection('all', controlsNamed(''), { repeats: [outer] }))

type Filled = Record<string, unknown>
const filled: fc.Arbitrary<Filled> = fc.record(
  Object.fromEntries(
    Object.entries(kinds).map(([id, [, values]]) => [id, fc.oneof({ weight: 19, arbitrary: values }, fc.anything())]),
  ),
  { requiredKeys: [] },
)
const answers = fc.record({
  outside: filled,
  rows: fc.array(fc.record({ own: filled, inner: fc.array(filled, { maxLength: 2 }) }), { maxLength: 3 }),
})

/** Values as they are sent. */
function givenBy({ outside, rows }: { outside: Filled; rows: { own: Filled; inner: Filled[] }[] }) {
  const lists = new Map<string, unknown[]>()
  const put = (filled: Filled, repeatIterationPath: number[]) => {
    for (const [id, value] of Object.entries({ string: null, ...filled })) {
      const name = `${id}${repeatIterationPath.length}`
      lists.set(name, [...(lists.get(name) ?? []), { repeatIterationPath, value }])
    }
  }
  for (const [n, row] of rows.entries()) {
    put(row.own, [n])
    for (const [m, own] of row.inner.entries()) put(own, [n, m])
  }
  return { ...outside, ...Object.fromEntries(lists) }
}

const draft = { complete: false }

test('checked values stay the same when they are checked again', () => {
  fc.assert(
    fc.property(answers, each => {
      const { values } = checkForm(template, givenBy(each), draft)
      expect(checkForm(template, values, draft)).toEqual({ values, faults: [] })
      expect(checkForm(template, JSON.parse(JSON.stringify(values)), draft)).toEqual({ values, faults: [] })
    }),
    { numRuns: 150 },
  )
})

test('what a page shows comes back when it is posted, in whatever order and however its iterations are numbered', () => {
  fc.assert(
    fc.property(answers, fc.boolean(), (each, isReversed) => {
      const { values } = checkForm(template, givenBy(each), draft)
      const fields = fieldsOf(template, values, index => index * 7 + 2)
      const posted = isReversed ? fields.filter(([name]) => !/^several/.test(name)).reverse() : fields
      const several = fields.filter(([name]) => /^several/.test(name))
      const given = givenOf(template, isReversed ? [...posted, ...several] : posted)
      expect(checkForm(template, given, draft)).toEqual({ values: chosenFirst(values), faults: [] })
    }),
    { numRuns: 150 },
  )
})

/** On a page the text of one's own stands behind the options. */
const chosenFirst = (values: ReturnType<typeof checkForm>['values']) =>
  Object.fromEntries(
    Object.entries(values).map(([id, all]) => [
      id,
      all.map(value => {
        if (value.type !== 'multiple-selection') return value
        const isOwn = ({ value }: { value: string }) => !options.some(option => option.value === value)
        return {
          ...value,
          selections: [...value.selections.filter(each => !isOwn(each)), ...value.selections.filter(isOwn)],
        }
      }),
    ]),
  )

test('whatever is typed into the fields of a date is a date, or comes back in its own fields with a fault', () => {
  const typed = fc.oneof(
    fc.constantFrom('', '1', '02', '31', '2026', '31022026', ' 7 ', 'Feb', '3-4', '1T2', '9:30', '14:30:00'),
    text,
  )
  const dates: Partial<Control>[] = [
    { dataType: 'date' },
    { dataType: 'date', partial: true },
    { dataType: 'datetime' },
    { dataType: 'time' },
  ]
  fc.assert(
    fc.property(fc.constantFrom(...dates), fc.array(typed, { minLength: 4, maxLength: 4 }), (more, texts) => {
      const control = aControl('one', more)
      const form = aForm(aSection('only', [control]))
      const blank = fieldOf(control, [], undefined, 'en')
      const names = blank.parts.length > 0 ? blank.parts.map(({ name }) => name) : [blank.name]
      const fields = names.map((name, n): Field => [name, (texts[n] ?? '').trim()])
      const given = givenOf(form, fields)
      const { values, faults } = checkForm(form, given, draft)
      const isEmpty = fields.every(([, text]) => text === '')
      expect([isEmpty, values.one?.[0]?.type === 'empty' && faults.length === 0]).toEqual([isEmpty, isEmpty])
      if (faults.length === 0) return
      const { parts, text: single } = fieldOf(control, [], given.one, 'en')
      const shown = parts.length > 0 ? parts.map(({ text }) => text) : [single]
      const padded = (text: string) => text.replace(/^\d(?=:|$)/, '0$&').replace(/^(\d\d:\d\d):00$/, '$1')
      expect(shown.map(padded)).toEqual(fields.map(([, text]) => padded(text)))
    }),
    { numRuns: 1000 },
  )
})

test('day, month and year stand in the order of the form’s language', () => {
  const order = (language: string) =>
    fieldOf(aControl('one', { dataType: 'date' }), [], undefined, language)
      .parts.map(({ label }) => label)
      .join(' ')
  expect(order('en')).toBe('Day Month Year')
  expect(order('en-US')).toBe('Month Day Year')
  expect(order('hu')).toBe('Year Month Day')
  expect(order('th')).toBe('Day Month Year')
})
