// The HTML of controls in form pages.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aPicture } from '../support/factories.js'
import { aPageOf, heard, postedBy } from '../support/form-templates.js'
import { pageWithoutScripts, sharedBrowser } from '../support/test-programs.js'

let page: Page
page = await pageWithoutScripts()
afterAll(() => page?.close())

describe('to fill in', () => {
  const options = (...values: string[]) => values.map(value => ({ value, label: `The ${value}` }))
  const nine = options(...'abcdefghi')

  interface Case {
    control: object
    value: unknown
    /** How it is heard. */
    heard: string[]
    posts: [name: string, text: string][]
  }

  // biome-ignore format: a table
  const cases: Record<string, Case> = {
  'a text': { control: {}, value: 'a "b" & c', heard: ['textbox "It": a "b" & c'], posts: [['it', 'a "b" & c']] },
  'a text in lines': { control: { multiline: true }, value: '\nb\n', heard: ['textbox "It": b'], posts: [['it', '\nb\n']] },
  'an integer': { control: { dataType: 'integer', hint: 'How many.' }, value: 7, heard: ['paragraph: How many.', 'textbox "It": "7"'], posts: [['it', '7']] },
  'a decimal with all its digits': { control: { dataType: 'decimal', unit: 'kg' }, value: '7.50', heard: ['textbox "It": "7.50"'], posts: [['it', '7.50']] },
  'a number that is none': { control: { dataType: 'integer' }, value: 'many', heard: ['textbox "It": many'], posts: [['it', 'many']] },
  'yes or no': { control: { dataType: 'boolean', required: true }, value: false, heard: ['radiogroup "It (required)":', '  radio "Yes"', '  radio "No" [checked]', '  button "Clear the choice of It"'], posts: [['it', 'false']] },
  'a date': { control: { dataType: 'date' }, value: '2026-02-03', heard: ['group "It":', '  textbox "Day": "03"', '  textbox "Month": "02"', '  textbox "Year": "2026"'], posts: [['it.day', '03'], ['it.month', '02'], ['it.year', '2026']] },
  'a date that is none': { control: { dataType: 'date' }, value: '2026-02-30', heard: ['group "It":', '  textbox "Day": "30"', '  textbox "Month": "02"', '  textbox "Year": "2026"'], posts: [['it.day', '30'], ['it.month', '02'], ['it.year', '2026']] },
  'a partial date': { control: { dataType: 'date', partial: true }, value: '2026-02', heard: ['group "It":', '  textbox "Day"', '  textbox "Month": "02"', '  textbox "Year": "2026"'], posts: [['it.day', ''], ['it.month', '02'], ['it.year', '2026']] },
  'a partial date as it is kept': { control: { dataType: 'date', partial: true }, value: [{ repeatIterationIndex: null, type: 'partial-date', dateKind: 'yyyy', date: '2026-01-01' }], heard: ['group "It":', '  textbox "Day"', '  textbox "Month"', '  textbox "Year": "2026"'], posts: [['it.day', ''], ['it.month', ''], ['it.year', '2026']] },
  'a time': { control: { dataType: 'time' }, value: '09:30:00', heard: ['textbox "It": 09:30'], posts: [['it', '09:30']] },
  'a time that is none': { control: { dataType: 'time' }, value: '25:00', heard: ['textbox "It": 25:00'], posts: [['it', '25:00']] },
  'a date and time': { control: { dataType: 'datetime' }, value: '2026-02-03T09:30:00', heard: ['group "It":', '  textbox "Day": "03"', '  textbox "Month": "02"', '  textbox "Year": "2026"', '  textbox "Time": 09:30'], posts: [['it.day', '03'], ['it.month', '02'], ['it.year', '2026'], ['it.time', '09:30']] },
  'a moment with its zone': { control: { dataType: 'datetime' }, value: '2026-02-03T09:30:00.000Z', heard: ['group "It":', '  textbox "Day": "03"', '  textbox "Month": "02"', '  textbox "Year": "2026"', '  textbox "Time": 09:30:00.000Z'], posts: [['it.day', '03'], ['it.month', '02'], ['it.year', '2026'], ['it.time', '09:30:00.000Z']] },
  'a date and time that are none': { control: { dataType: 'datetime' }, value: { year: '26-1', month: 'Feb', day: '', time: '2 pm' }, heard: ['group "It":', '  textbox "Day"', '  textbox "Month": Feb', '  textbox "Year": 26-1', '  textbox "Time": 2 pm'], posts: [['it.day', ''], ['it.month', 'Feb'], ['it.year', '26-1'], ['it.time', '2 pm']] },
  'a web address': { control: { dataType: 'url' }, value: 'https://a.example/?b=c&d', heard: ['textbox "It": https://a.example/?b=c&d'], posts: [['it', 'https://a.example/?b=c&d']] },
  'a text with markup': { control: { dataType: 'html' }, value: '</textarea><b>x', heard: ['textbox "It": </textarea><b>x'], posts: [['it', '</textarea><b>x']] },
  'a translatable text': { control: { dataType: 'translatable-text-value' }, value: { originalText: 'Tag', sourceLanguageCode: 'de' }, heard: ['textbox "It": Tag'], posts: [['it', 'Tag']] },
  'one of few options': { control: { options: options('a', 'b') }, value: 'b', heard: ['radiogroup "It":', '  radio "The a"', '  radio "The b" [checked]', '  button "Clear the choice of It"'], posts: [['it', 'b']] },
  'one of many options': { control: { options: nine }, value: 'i', heard: ['combobox "It":', '  option "Choose…"', ...nine.map(({ label }) => `  option "${label}"${label === 'The i' ? ' [selected]' : ''}`)], posts: [['it', 'i']] },
  'some of the options': { control: { options: options('a', 'b'), couldHaveMultipleValues: true }, value: ['a', 'b'], heard: ['group "It":', '  checkbox "The a" [checked]', '  checkbox "The b" [checked]'], posts: [['it', 'a'], ['it', 'b']] },
  'a text besides the options': { control: { options: options('a'), allowOther: true }, value: 'c', heard: ['radiogroup "It":', '  radio "The a"', '  radio "Other" [checked]', '  textbox "Other, in your own words": c', '  button "Clear the choice of It"'], posts: [['it', ''], ['it.other', 'c']] },
  'a text besides many options': { control: { options: nine, allowOther: true }, value: 'z', heard: ['combobox "It":', '  option "Choose…" [selected]', ...nine.map(({ label }) => `  option "${label}"`), 'textbox "Other, in your own words": z'], posts: [['it', ''], ['it.other', 'z']] },
  'options and a text besides them': { control: { options: options('a'), allowOther: true, couldHaveMultipleValues: true }, value: ['a', 'c'], heard: ['group "It":', '  checkbox "The a" [checked]', '  checkbox "Other" [checked]', '  textbox "Other, in your own words": c'], posts: [['it', 'a'], ['it', ''], ['it.other', 'c']] },
  'a place': { control: { dataType: 'geolocation' }, value: { latitude: -1.5, longitude: 'x' }, heard: ['group "It":', '  textbox "Latitude": "-1.5"', '  textbox "Longitude": x'], posts: [['it.latitude', '-1.5'], ['it.longitude', 'x']] },
  'a file': { control: { dataType: 'data-url' }, value: null, heard: ['button "It"'], posts: [] },
  'a file that was sent before': { control: { dataType: 'data-url' }, value: 'data:application/pdf;base64,AAAA', heard: ['paragraph: PDF document, 1 KB. A new file takes its place.', 'checkbox "Remove this file"', 'button "It"'], posts: [['it.kept', 'data:application/pdf;base64,AAAA']] },
  'pins on a picture, and one more to place': { control: { dataType: 'annotated-image', image: aPicture, imageDescription: 'A body' }, value: { annotations: [{ x: 5, y: '6.5', value: 'here' }] }, heard: ['group "It":', '  img "A body"', ...pinHeard(1, 'here', '5', '6.5'), ...pinHeard(2)], posts: [['it.pins[0].value', 'here'], ['it.pins[0].x', '5'], ['it.pins[0].y', '6.5'], ['it.pins[1].value', ''], ['it.pins[1].x', ''], ['it.pins[1].y', '']] },
  'a text to read': { control: { couldHaveValue: false, text: 'One.\n\nTwo <b>.' }, value: undefined, heard: ['paragraph: It', 'paragraph: One.', 'paragraph: Two <b>.'], posts: [] },
}

  function pinHeard(n: number, value?: string, x?: string, y?: string): string[] {
    const field = (name: string, text: string | undefined) =>
      `    textbox "${name}"${text === undefined ? '' : `: ${/^[\d.]+$/.test(text) ? `"${text}"` : text}`}`
    return [
      `  group "Pin ${n}":`,
      field('What is here', value),
      field('% from the left', x),
      field('% from the top', y),
    ]
  }

  /** All of them in one form: `it0`, `it1` and so on. */
  const all = Object.values(cases)
  const controls = all.map(({ control }, n) => ({ id: `it${n}`, label: 'It', ...control }))
  const given = Object.fromEntries(all.flatMap(({ value }, n) => (value === undefined ? [] : [[`it${n}`, value]])))

  let posted: [name: string, text: string][]
  beforeAll(async () => {
    await page.setContent(aPageOf(controls, { given }))
    posted = await postedBy(page)
  })

  test.each(Object.keys(cases).map((name, n) => [name, n] as const))(
    '%s is labelled, holds what was sent, and posts it',
    async (_, n) => {
      expect(await heard(page, `[data-control=it${n}]`)).toEqual(all[n]?.heard)
      const own = posted.filter(([name]) => new RegExp(`^it${n}(\\.|$)`).test(name))
      expect(own.map(([name, text]) => [name.replace(`it${n}`, 'it'), text])).toEqual(all[n]?.posts)
    },
  )

  test('what is calculated is announced when it changes, and not posted', async () => {
    const controls = [
      { id: 'a', label: 'A', dataType: 'integer' },
      { id: 'sum', label: 'Sum', dataType: 'integer', unit: 'points', calculate: { sum: ['a'] } },
      { id: 'word', label: 'Word', calculate: { bands: { of: 'sum', bands: [{ value: 'low' }] } } },
    ]
    const page = await (await sharedBrowser()).newPage()
    await page.setContent(aPageOf(controls, { given: { a: '4', sum: '77' } }))
    expect(await heard(page, '[data-control=sum]')).toEqual(['status "Sum": "4"'])
    expect(await heard(page, '[data-control=word]')).toEqual(['status "Word": low'])
    expect(await postedBy(page)).toEqual([['a', '4']])
    await page.close()
  })

  test('fields bring the keyboard that fits', async () => {
    // biome-ignore format: a table
    const kinds: [control: object, attributes: string][] = [
    [{ dataType: 'integer' }, 'type="text" inputmode="numeric"'],
    [{ dataType: 'decimal', min: 0 }, 'type="text" inputmode="decimal"'],
    // The keypads of phones have no minus.
    [{ dataType: 'decimal', min: -5 }, 'type="text"'],
    [{ dataType: 'time' }, 'type="text"'],
    [{ dataType: 'url' }, 'type="url" inputmode="url"'],
    [{ dataType: 'data-url', mediaTypes: ['image/*', 'application/pdf'] }, 'type="file" accept="image/*,application/pdf"'],
  ]
    const page = await (await sharedBrowser()).newPage()
    await page.setContent(aPageOf(kinds.map(([control], n) => ({ id: `it${n}`, label: 'It', ...control }))))
    const found = await page.evaluate<string[]>(
      `[...document.querySelectorAll('form [data-control] input')].map(field => ['type', 'inputmode', 'min', 'max', 'accept']
      .filter(name => field.hasAttribute(name)).map(name => name + '="' + field.getAttribute(name) + '"').join(' '))`,
    )
    expect(found).toEqual(kinds.map(([, attributes]) => attributes))
    await page.close()
  })
})
