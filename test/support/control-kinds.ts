// One control of every kind, with its settings.
import { imageWithPins } from '../../forms/annotated-image.js'
import { aPicture } from './form-factories.js'

/** What extracts show of a value, without where it stands. */
export type ShownContent = { type: string } & Record<string, unknown>

/** A kind of control: how its author writes it, and values as they are sent, each with what extracts show of it. */
export interface ControlKind {
  control: { dataType: string; [member: string]: unknown }
  values: readonly (readonly [sent: unknown, shown: ShownContent])[]
}

const single = (value: string): ShownContent => ({ type: 'single-value', value })
const kept = (...texts: string[]) => texts.map(text => [text, single(text)] as const)
const options = ['1', '2', '3 4'].map(value => ({ value, label: `No. "${value}" <&>\\` }))
const chosen = (value: string, displayName = `No. "${value}" <&>\\`) => ({ value, displayName })

const image = { label: 'A & B', image: aPicture, imageDescription: 'A "body"' }
const pinned = (...annotations: { x: number; y: number; value: string }[]): readonly [unknown, ShownContent] => {
  const numbered = annotations.map((each, n) => ({ position: n + 1, ...each }))
  const imageDataUri = imageWithPins(image, numbered)
  return [{ annotations }, { type: 'annotated-image', annotations: numbered, imageDataUri }]
}

/** The first one, which others stand under. */
export const gate: ControlKind = {
  control: { dataType: 'boolean' },
  values: [
    [true, single('true')],
    ['False', single('false')],
  ],
}

/** A kind for each data type, and for each value type. */
export const controlKinds: readonly ControlKind[] = [
  {
    control: { dataType: 'string' },
    values: kept('a', 'ä 山 😀\u{1f3e5}', 'two\nlines', '"q" \\ \' </script>', 'x'.repeat(300)),
  },
  {
    control: { dataType: 'integer' },
    values: [[7, single('7')], ['+007', single('7')], ...kept('-123456789012345678')],
  },
  {
    control: { dataType: 'decimal' },
    values: [[2.5, single('2.5')], ['.50', single('0.50')], ...kept('-0.000000000000000001')],
  },
  { control: { dataType: 'html' }, values: kept('<p>Dear <b>colleague</b> &amp; friend</p>') },
  { control: { dataType: 'date' }, values: kept('2020-02-29', '0001-01-01') },
  { control: { dataType: 'time' }, values: [['09:30', single('09:30:00')], ...kept('23:59:59')] },
  {
    control: { dataType: 'datetime' },
    values: [
      ['2026-11-02T09:30:00+02:00', single('2026-11-02T07:30:00.000Z')],
      ['2026-11-02 09:30', single('2026-11-02T09:30:00')],
    ],
  },
  { control: { dataType: 'url' }, values: kept('https://example.org/a?b=c&d=%20#e') },
  { control: { dataType: 'data-url' }, values: kept(aPicture) },
  {
    control: { dataType: 'geolocation' },
    values: [
      [
        { latitude: '48.2', longitude: -16.370000049 },
        { type: 'geolocation', latitude: 48.2, longitude: -16.37 },
      ],
    ],
  },
  {
    control: { dataType: 'annotated-image', ...image },
    values: [
      pinned({ x: 25, y: 50.5, value: 'a "pin" <&>' }),
      pinned({ x: 0, y: 0, value: '' }, { x: 100, y: 100, value: 'ü' }),
    ],
  },
  {
    control: { dataType: 'translatable-text-value', targetLanguage: 'de' },
    values: [
      [
        'two',
        {
          type: 'translatable-text-value',
          originalText: 'two',
          translatedText: null,
          sourceLanguageCode: 'en',
          targetLanguageCode: 'de',
          translatedDateTime: null,
        },
      ],
      [
        {
          originalText: 'deux',
          translatedText: 'two',
          sourceLanguageCode: 'fr',
          targetLanguageCode: 'en',
          translatedDateTime: '2026-11-02T09:30:00+01:00',
        },
        {
          type: 'translatable-text-value',
          originalText: 'deux',
          translatedText: 'two',
          sourceLanguageCode: 'fr',
          targetLanguageCode: 'en',
          translatedDateTime: '2026-11-02T08:30:00.000Z',
        },
      ],
    ],
  },
  {
    control: { dataType: 'date', partial: true },
    values: [
      ['2026', { type: 'partial-date', dateKind: 'yyyy', date: '2026-01-01' }],
      ['2026-10', { type: 'partial-date', dateKind: 'yyyy-MM', date: '2026-10-01' }],
      ['2026-10-31', { type: 'partial-date', dateKind: 'yyyy-MM-dd', date: '2026-10-31' }],
    ],
  },
  {
    control: { dataType: 'string', options, allowOther: true },
    values: [
      ['2', { type: 'single-selection', ...chosen('2') }],
      ['of my own', { type: 'single-selection', ...chosen('of my own', 'of my own') }],
    ],
  },
  {
    control: { dataType: 'string', options, couldHaveMultipleValues: true },
    values: [
      [['2', '1'], { type: 'multiple-selection', selections: [chosen('2'), chosen('1')] }],
      [['3 4'], { type: 'multiple-selection', selections: [chosen('3 4')] }],
    ],
  },
  { control: { dataType: 'string', couldHaveValue: false, text: 'Only read' }, values: [] },
]
