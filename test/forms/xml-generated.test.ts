// Random forms as XML, against their schema.
import fc, { type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import type { SubmittedValues } from '../../forms/submitted-values.js'
import { type Control, controlsOf, type FormTemplate, type Repeat } from '../../forms/template.js'
import type { ValueType } from '../../forms/values.js'
import { patientForm } from '../../server/forms/xml/xml.js'
import { formSchema } from '../../server/forms/xml/xml-schema.js'
import { aPicture } from '../support/factories.js'
import { templateOf } from '../support/form-templates.js'
import { xmlFaults } from '../support/test-programs.js'

/** Of the instance: what is relevant by it is relevant in all forms. */
const context = { ward: 'A' }

const relevance = fc.option(
  fc.constantFrom(
    { context: 'ward', equals: 'A' },
    { context: 'ward', equals: 'B' },
    { control: 'c0', answered: true },
    { control: 'c1', answered: false },
  ),
  { nil: undefined },
)
const range = (...bounds: (string | number)[]) =>
  fc.record(
    { min: fc.constantFrom(...bounds.slice(0, 2)), max: fc.constantFrom(...bounds.slice(2)) },
    { requiredKeys: [] },
  )
const texts = fc.record(
  {
    minLength: fc.constantFrom(1, 3),
    maxLength: fc.constantFrom(3, 20_000),
    pattern: fc.constantFrom('[A-Z]\\d{1,3}', 'ab|c?d+', '(ab|cd)?\\.x', '[^x]*', '\\w+.', '^a', 'a b'),
  },
  { requiredKeys: [] },
)

/** A control of each kind, without its id. */
const kinds = [
  fc.tuple(fc.constant('integer'), range(-5, 0, 9, '123456789012345678')),
  fc.tuple(fc.constant('decimal'), range('-1.5', '0.3', '0.30', '99.999')),
  fc.tuple(fc.constantFrom('string', 'html'), texts),
  fc.tuple(fc.constant('translatable-text-value'), texts),
  fc.tuple(fc.constant('date'), range('0001-01-01', '2020-02-29', '2020-03-01', '9999-12-31')),
  fc.tuple(fc.constant('time'), range('00:00', '08:30', '12:00', '23:59:59')),
  fc.tuple(fc.constant('datetime'), range('2000-01-01T00:00', '2000-01-01T00:00Z', '2030-01-01T00:00Z')),
  fc.tuple(fc.constantFrom('boolean', 'url', 'data-url'), fc.constant({})),
  fc.tuple(fc.constant('geolocation'), fc.constant({})),
  fc.tuple(fc.constant('annotated-image'), fc.constant({ image: aPicture })),
  fc.tuple(fc.constant('date'), fc.constant({ partial: true })),
  fc.tuple(fc.constantFrom('string', 'integer'), choice(false)),
  fc.tuple(fc.constantFrom('string', 'integer'), choice(true)),
  fc.tuple(fc.constant('string'), fc.constant({ couldHaveValue: false, text: 'Only read' })),
].map(kind =>
  fc.tuple(kind, relevance).map(([[dataType, more], relevant]) => ({ label: 'A & B', dataType, relevant, ...more })),
)

function choice(couldHaveMultipleValues: boolean) {
  const values = ['1', '2', 'a "b" <c>', ' '.repeat(3)]
  const options = values.map(value => ({ value, label: `Label & of\t${value}` }))
  return fc.boolean().map(allowOther => ({ options, allowOther, couldHaveMultipleValues }))
}

const controls = fc.array(fc.oneof(...kinds), { maxLength: 4 })
const repeat = (repeats: Arbitrary<object[]>): Arbitrary<object> =>
  fc.record({
    label: fc.constant('One'),
    relevant: relevance,
    maxIterations: fc.constantFrom(null, 1, 3),
    controls,
    repeats,
  })
const repeats = fc.array(repeat(fc.array(repeat(fc.constant([])), { maxLength: 2 })), { maxLength: 2 })
const section = fc.record({ relevant: relevance, controls, repeats })
/** Has all kinds, so that none is missing by chance. */
const full = fc.record({ controls: fc.tuple(...kinds) })
const sections = fc.tuple(full, fc.array(section, { maxLength: 2 })).map(([first, more]) => [first, ...more])

/** Forms of all that there is, in all ways of standing in each other. */
const formTemplate: Arbitrary<FormTemplate> = fc
  .array(fc.record({ sections }), { minLength: 1, maxLength: 2 })
  .map(buildingBlocks => {
    const counts = new Map<string, number>()
    const next = (kind: string) => {
      const n = counts.get(kind) ?? 0
      counts.set(kind, n + 1)
      return `${kind}${n}`
    }
    const within = (part: object): object =>
      Object.fromEntries(
        Object.entries(part).map(([name, value]) => {
          const kind = { sections: 's', controls: 'c', repeats: 'r' }[name]
          return [name, kind && Array.isArray(value) ? value.map(each => ({ id: next(kind), ...within(each) })) : value]
        }),
      )
    const blocks = buildingBlocks.map(block => ({ key: next('b'), ...within(block) }))
    return templateOf({ key: 'generated', version: 1, title: 'Generated', buildingBlocks: blocks })
  })

const hostile = [
  '&nbsp;',
  '&#0;',
  '&amp;lt;',
  ']]>',
  '<script>',
  '\r\n',
  ' \t ',
  '\u{fffe}',
  '\u0000',
  '\ud800',
  '😀😀😀',
  'é',
]
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom(...hostile),
  fc.constantFrom('B12', 'ab', 'cdd', '.x', 'ab.x', 'abc', 'a b', 'a', '_b', ''),
)
const digits = (max: number) => fc.stringMatching(new RegExp(`^\\d{1,${max}}$`))
const moment = fc.date({ noInvalidDate: true, min: new Date('0000-01-01'), max: new Date('9999-12-31T23:59:59Z') })
const number = fc.oneof(
  fc.double(),
  fc.double({ min: -90, max: 90 }),
  fc.constantFrom(1e-7, -0, '0.000000000000000001'),
)
const percent = fc.oneof(fc.double({ min: 0, max: 100 }), fc.constantFrom(0, 100, 1e-9, 101))

/** What may be sent for a control: mostly good values, also such that are refused. */
function valueFor({ dataType, options, couldHaveMultipleValues }: Control): Arbitrary<unknown> {
  if (options) {
    const one = fc.oneof(fc.constantFrom(...options.map(({ value }) => value)), text)
    return couldHaveMultipleValues ? fc.uniqueArray(one, { maxLength: 4 }) : one
  }
  switch (dataType) {
    case 'integer':
      return fc.oneof(fc.integer({ min: -9, max: 9 }), digits(18), fc.constantFrom('-123456789012345678', '+007', '-0'))
    case 'decimal':
      return fc.oneof(
        fc.constantFrom(
          '123456789012345678.123456789012345678',
          '0.30000000000000001',
          '0.3',
          '-1.5',
          '.5',
          '99,999',
          '99.9990000000000001',
        ),
        fc.tuple(digits(18), digits(18)).map(([whole, fraction]) => `-${whole}.${fraction}`),
        digits(18),
      )
    case 'boolean':
      return fc.boolean()
    case 'date':
      return fc.oneof(
        moment.map(at => at.toISOString().slice(0, 10)),
        fc.constantFrom('2020', '2020-03', '0000-01-01', { date: '2020-03-01', dateKind: 'yyyy' }),
      )
    case 'time':
      return fc.oneof(
        moment.map(at => at.toISOString().slice(11, 19)),
        fc.constantFrom('24:00', '09:30', '23:59:60'),
      )
    case 'datetime':
      return fc.oneof(
        moment.map(at => at.toISOString()),
        fc.constantFrom(
          '2020-01-01T24:00:00',
          '9999-12-31T23:59:59-14:00',
          '0001-01-01T00:00+14:00',
          '2020-02-02 10:00',
        ),
      )
    case 'url':
      return fc.oneof(fc.webUrl(), fc.constantFrom('https://x/%zz?a=[b]', 'http://x/#a#b', 'https://x/ä b"<>&amp;'))
    case 'data-url':
      return fc.constantFrom(aPicture, 'data:text/plain;a=\u0001;base64,AAAA', 'data:text/plain;charset=utf-8;base64,')
    case 'geolocation':
      return fc.record({ latitude: number, longitude: number })
    case 'annotated-image':
      return fc.record({ annotations: fc.array(fc.record({ x: percent, y: percent, value: text }), { maxLength: 3 }) })
    case 'translatable-text-value':
      return fc.oneof(
        text,
        fc.record(
          {
            originalText: text,
            translatedText: text,
            sourceLanguageCode: fc.constantFrom('en', 'zz-Latn-x-1'),
            targetLanguageCode: fc.constant('de'),
            translatedDateTime: fc.constantFrom('2020-01-01T00:00:00Z', '2020-01-01T00:00'),
          },
          { requiredKeys: ['originalText'] },
        ),
      )
    default:
      return text
  }
}

/** What may be sent for a form, with none to three iterations of each repeat, the same number wherever it stands. */
const givenFor = (template: FormTemplate): Arbitrary<SubmittedValues> => {
  const placed = [...controlsOf(template).values()].filter(({ control }) => control.couldHaveValue)
  const repeats = [...new Set(placed.flatMap(({ repeats }) => repeats))]
  return fc.array(fc.nat(3), { minLength: repeats.length, maxLength: repeats.length }).chain(counts => {
    const countOf = new Map(repeats.map((each, n) => [each, counts[n] ?? 0] as const))
    const sent = placed.map(({ control, repeats }) => {
      const value = fc.option(valueFor(control), { nil: null, freq: 5 })
      const entries = pathsOf(repeats, countOf).map(repeatIterationPath => ({ repeatIterationPath, value }))
      const all = fc.tuple(...entries.map(({ value, ...rest }) => value.map(value => ({ ...rest, value }))))
      return [control.id, repeats.length === 0 ? value : all] as const
    })
    return fc.record(Object.fromEntries<Arbitrary<unknown>>(sent))
  })
}

const pathsOf = (repeats: readonly Repeat[], countOf: ReadonlyMap<Repeat, number>): number[][] =>
  repeats.reduce<number[][]>(
    (paths, repeat) => paths.flatMap(path => [...Array(countOf.get(repeat) ?? 0).keys()].map(n => [...path, n])),
    [[]],
  )

const documentsPerForm = 8
const filled = formTemplate.chain(template =>
  fc.record({
    template: fc.constant(template),
    givens: fc.array(givenFor(template), { minLength: documentsPerForm, maxLength: documentsPerForm }),
    others: fc.dictionary(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' })),
  }),
)

test('whatever values the checks accept, the XML is valid by the schema of its form', async () => {
  const seen = new Set<ValueType>()
  const property = fc.asyncProperty(filled, async ({ template, givens, others }) => {
    const documents = givens.flatMap(given => {
      const { values, faults } = checkForm(template, given, { complete: false, context })
      for (const value of Object.values(values).flat()) seen.add(value.type)
      const isTooMany = faults.some(({ code }) => code === 'too-many-iterations')
      return isTooMany ? [] : [patientForm(template, values, { token: 't', transactionId: '1', context: others })]
    })
    // Before anything is filled in.
    documents.push(patientForm(template, {}))
    expect(await xmlFaults(formSchema(template), documents)).toEqual(documents.map(() => ''))
  })
  await fc.assert(property, { numRuns: 15 })
  expect(seen.size).toBe(8)
})
