// The HTML of form pages.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import { givenOf } from '../../forms/posted.js'
import type { FormFault } from '../../forms/values.js'
import { blankParts, renderNotice, withHidden } from '../../server/forms/pages/page.js'
import { sharedBrowser } from '../support/chromium.js'
import { aPicture, aSmallTemplate, aTemplate, someValues } from '../support/factories.js'
import { aPage, aPageOf, heard, postedBy, templateOf } from '../support/form-templates.js'

const template = templateOf(aTemplate())

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await sharedBrowser()
  page = await browser.newPage({ javaScriptEnabled: false })
})
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
  'yes or no': { control: { dataType: 'boolean', required: true }, value: false, heard: ['radiogroup "It (required)":', '  radio "Yes"', '  radio "No" [checked]'], posts: [['it', 'false']] },
  'a date': { control: { dataType: 'date' }, value: '2026-02-03', heard: ['textbox "It": 2026-02-03'], posts: [['it', '2026-02-03']] },
  'a date that is none': { control: { dataType: 'date' }, value: '2026-02-30', heard: ['textbox "It": 2026-02-30'], posts: [['it', '2026-02-30']] },
  'a partial date': { control: { dataType: 'date', partial: true }, value: '2026-02', heard: ['group "It":', '  textbox "Day"', '  textbox "Month": "02"', '  textbox "Year": "2026"'], posts: [['it.day', ''], ['it.month', '02'], ['it.year', '2026']] },
  'a partial date as it is kept': { control: { dataType: 'date', partial: true }, value: [{ repeatIterationIndex: null, type: 'partial-date', dateKind: 'yyyy', date: '2026-01-01' }], heard: ['group "It":', '  textbox "Day"', '  textbox "Month"', '  textbox "Year": "2026"'], posts: [['it.day', ''], ['it.month', ''], ['it.year', '2026']] },
  'a time': { control: { dataType: 'time' }, value: '09:30:00', heard: ['textbox "It": 09:30:00'], posts: [['it', '09:30:00']] },
  'a time that is none': { control: { dataType: 'time' }, value: '25:00', heard: ['textbox "It": 25:00'], posts: [['it', '25:00']] },
  'a date and time': { control: { dataType: 'datetime' }, value: '2026-02-03T09:30:00', heard: ['textbox "It": 2026-02-03T09:30'], posts: [['it', '2026-02-03T09:30']] },
  'a moment with its zone': { control: { dataType: 'datetime' }, value: '2026-02-03T09:30:00.000Z', heard: ['textbox "It": 2026-02-03T09:30:00.000Z'], posts: [['it', '2026-02-03T09:30:00.000Z']] },
  'a web address': { control: { dataType: 'url' }, value: 'https://a.example/?b=c&d', heard: ['textbox "It": https://a.example/?b=c&d'], posts: [['it', 'https://a.example/?b=c&d']] },
  'a text with markup': { control: { dataType: 'html' }, value: '</textarea><b>x', heard: ['textbox "It": </textarea><b>x'], posts: [['it', '</textarea><b>x']] },
  'a translatable text': { control: { dataType: 'translatable-text-value' }, value: { originalText: 'Tag', sourceLanguageCode: 'de' }, heard: ['textbox "It": Tag'], posts: [['it', 'Tag']] },
  'one of few options': { control: { options: options('a', 'b') }, value: 'b', heard: ['radiogroup "It":', '  radio "The a"', '  radio "The b" [checked]'], posts: [['it', 'b']] },
  'one of many options': { control: { options: nine }, value: 'i', heard: ['combobox "It":', '  option "Choose…"', ...nine.map(({ label }) => `  option "${label}"${label === 'The i' ? ' [selected]' : ''}`)], posts: [['it', 'i']] },
  'some of the options': { control: { options: options('a', 'b'), couldHaveMultipleValues: true }, value: ['a', 'b'], heard: ['group "It":', '  checkbox "The a" [checked]', '  checkbox "The b" [checked]'], posts: [['it', 'a'], ['it', 'b']] },
  'a text besides the options': { control: { options: options('a'), allowOther: true }, value: 'c', heard: ['radiogroup "It":', '  radio "The a"', '  radio "Other" [checked]', '  textbox "Other, in your own words": c'], posts: [['it', ''], ['it.other', 'c']] },
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
    const page = await browser.newPage()
    await page.setContent(aPageOf(controls, { given: { a: '4', sum: '77' } }))
    expect(await heard(page, '[data-control=sum]')).toEqual(['status "Sum": "4"'])
    expect(await heard(page, '[data-control=word]')).toEqual(['status "Word": low'])
    expect(await postedBy(page)).toEqual([['a', '4']])
    await page.close()
  })

  test('fields bring the keyboard or the picker that fits', async () => {
    // biome-ignore format: a table
    const kinds: [control: object, attributes: string][] = [
    [{ dataType: 'integer' }, 'type="text" inputmode="numeric"'],
    [{ dataType: 'decimal', min: 0 }, 'type="text" inputmode="decimal"'],
    // The keypads of phones have no minus.
    [{ dataType: 'decimal', min: -5 }, 'type="text"'],
    [{ dataType: 'date', min: '2026-01-01', max: '2026-12-31' }, 'type="date" min="2026-01-01" max="2026-12-31"'],
    [{ dataType: 'time' }, 'type="time"'],
    [{ dataType: 'datetime' }, 'type="datetime-local"'],
    [{ dataType: 'url' }, 'type="url" inputmode="url"'],
    [{ dataType: 'data-url', mediaTypes: ['image/*', 'application/pdf'] }, 'type="file" accept="image/*,application/pdf"'],
  ]
    const page = await browser.newPage()
    await page.setContent(aPageOf(kinds.map(([control], n) => ({ id: `it${n}`, label: 'It', ...control }))))
    const found = await page.evaluate<string[]>(
      `[...document.querySelectorAll('form [data-control] input')].map(field => ['type', 'inputmode', 'min', 'max', 'accept']
      .filter(name => field.hasAttribute(name)).map(name => name + '="' + field.getAttribute(name) + '"').join(' '))`,
    )
    expect(found).toEqual(kinds.map(([, attributes]) => attributes))
    await page.close()
  })
})

describe('parts', () => {
  const attributes = (selector: string, ...names: string[]) =>
    page.evaluate<(string | null)[][]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map(each => ${JSON.stringify(names)}.map(name => each.getAttribute(name)))`,
    )

  /** The faults above the form, each with what it links to. */
  const linesOfSummary = () =>
    page.evaluate<[string | null, string][]>(
      `[...document.querySelectorAll('[data-summary] li')].map(each => [each.querySelector('a')?.getAttribute('href') ?? null, each.textContent])`,
    )

  test('a page says its language, its name, what it is about and which answers are needed', async () => {
    const form = templateOf(aTemplate({ title: 'Hausbesuch', language: 'de-AT', introduction: 'Kurz.\n\nKnapp.' }))
    await page.setContent(aPage(form, { buttons: [{ action: 'send', label: 'Senden', kind: 'primary' }] }))
    expect(await attributes('html', 'lang')).toEqual([['de-AT']])
    expect(await page.title()).toBe('Hausbesuch')
    expect(await page.locator('h1').allTextContents()).toEqual(['Hausbesuch'])
    expect(await page.locator('.introduction').allTextContents()).toEqual(['Kurz.', 'Knapp.'])
    expect(await page.locator('h2, h3').allTextContents()).toEqual(
      expect.arrayContaining(['The visit', 'All other kinds of values', 'Score', 'Wounds']),
    )
    expect(await page.locator('.legend').textContent()).toBe('Questions marked * must be answered.')
    expect(await page.locator('[data-summary]').isHidden()).toBe(true)
    await page.setContent(aPage(templateOf(aSmallTemplate([{ id: 'a', label: 'A' }]))))
    expect(await page.locator('.legend').count()).toBe(0)
  })

  test('faults stand beside their fields and, with links to them, above the form', async () => {
    const given = {
      ...someValues,
      visited: '',
      symptoms: ['none'],
      mobility: ['walks', 'own'],
      site: [{ repeatIterationIndex: 0, value: '' }],
    }
    const { faults } = checkForm(template, given, { complete: true, context: {} })
    await page.setContent(aPage(template, { given, faults }))
    expect(await page.title()).toBe('Error: Home visit')
    const [visited, symptoms, mobility, site] = faults.map(({ detail }) => detail)
    expect(await heard(page, '[data-summary] h2')).toEqual(['heading "There is a problem" [level=2]'])
    expect(await linesOfSummary()).toEqual([
      ['#visited', `Day of the visit: ${visited}`],
      ['#symptoms', `Symptoms: ${symptoms}`],
      ['#mobility', `Mobility: ${mobility}`],
      ['#site[0]', `Wound 1, Site: ${site}`],
    ])
    const fields = ['visited', 'symptoms', 'mobility', 'site[0]']
    for (const id of fields) expect(await page.locator(`[id="${id}"]`).count()).toBe(1)
    expect(await attributes('.error:not([hidden])', 'id')).toEqual(fields.map(id => [`${id}-error`]))
    expect(await page.locator('.error:not([hidden])').allTextContents()).toEqual([visited, symptoms, mobility, site])
    expect(await attributes('[aria-invalid]', 'name', 'data-control', 'aria-invalid', 'aria-describedby')).toEqual([
      ['visited', null, 'true', 'visited-error'],
      ['symptoms', null, 'true', null],
      ['symptoms', null, 'true', null],
      [null, 'mobility', 'true', 'mobility-error'],
      ['site[0]', null, 'true', 'site[0]-error'],
    ])
    expect(await attributes('[data-control=symptoms]', 'aria-describedby')).toEqual([['symptoms-error']])
  })

  test('faults of repeats stand in them, and those that have no field only above the form', async () => {
    const faults: FormFault[] = [
      { pointer: '', code: 'too-few-iterations', detail: 'Wound: too few.', id: 'wound', path: [] },
      { pointer: '', code: 'too-many', detail: 'Too many values.', path: [] },
    ]
    await page.setContent(aPage(template, { faults }))
    expect(await linesOfSummary()).toEqual([
      ['#wound', 'Wound: too few.'],
      [null, 'Too many values.'],
    ])
    expect(await page.locator('.error:not([hidden])').allTextContents()).toEqual(['Wound: too few.'])
    expect(await attributes('.error:not([hidden])', 'id')).toEqual([['wound-error']])
  })

  test('repeats have buttons that add and remove iterations, and a blank one for scripts', async () => {
    await page.setContent(aPage(template, { given: someValues }))
    expect(await attributes('form [data-repeat]', 'data-repeat', 'data-path', 'id')).toEqual([
      ['wound', '', 'wound'],
      ['dressing', '0', 'dressing[0]'],
      ['dressing', '1', 'dressing[1]'],
    ])
    const buttons = await page.locator('form button[name=action]').all()
    const pressed = await Promise.all(
      buttons.map(async each => [
        (await each.textContent())?.trim(),
        await each.getAttribute('value'),
        await each.getAttribute('formaction'),
      ]),
    )
    expect(pressed).toEqual([
      ['Remove Dressing 1', 'remove:dressing:0.0', '/x#dressing[0]'],
      ['Remove Dressing 2', 'remove:dressing:0.1', '/x#dressing[0]'],
      ['Add Dressing', 'add:dressing:0', '/x#dressing[0]'],
      ['Remove Wound 1', 'remove:wound:0', '/x#wound'],
      ['Add Dressing', 'add:dressing:1', '/x#dressing[1]'],
      ['Remove Wound 2', 'remove:wound:1', '/x#wound'],
      ['Add Wound', 'add:wound:', '/x#wound'],
    ])
    const namesIn = (template: string) =>
      `[...${template}.content.querySelectorAll('[name]:not(button)')].map(each => each.name)`
    const blank = `document.querySelector('[data-repeat=wound] > template')`
    expect(await page.evaluate(namesIn(blank))).toEqual([
      'repeat:wound[{wound}]',
      'site[{wound}]',
      'depth[{wound}]',
      'deep[{wound}]',
    ])
    expect(await page.evaluate(namesIn(`${blank}.content.querySelector('template')`))).toEqual([
      'repeat:dressing[{wound}][{dressing}]',
      ...['material', 'material', 'changed'].map(id => `${id}[{wound}][{dressing}]`),
    ])
  })

  test('what is not relevant is marked, and everybody can read what makes it relevant', async () => {
    const asked = {
      any: [
        { control: 'a', equals: true },
        {
          all: [
            { control: 'b', atLeast: 3 },
            { control: 'b', atMost: 9 },
          ],
        },
      ],
    }
    const not = { not: { control: 'b', in: [1, 2] } }
    const form = templateOf(
      aSmallTemplate([
        { id: 'a', label: 'A', dataType: 'boolean' },
        { id: 'b', label: 'B', dataType: 'integer' },
        { id: 'c', label: 'C', relevant: asked },
        { id: 'd', label: 'D', relevant: { control: 'a', answered: true } },
        { id: 'd2', label: 'D2', relevant: not },
        { id: 'e', label: 'E', relevant: { context: 'ward', equals: 'B1' } },
        { id: 'f', label: 'F', relevant: { context: 'ward', equals: 'B2' } },
      ]),
    )
    await page.setContent(aPage(form, { given: { a: 'false' }, context: { ward: 'B1' } }))
    expect(await attributes('[data-control]', 'data-control', 'data-irrelevant', 'hidden')).toEqual([
      ['a', null, null],
      ['b', null, null],
      ['c', '', null],
      ['d', null, null],
      ['d2', null, null],
      ['e', null, null],
      // Nothing that is filled in can make it relevant.
      ['f', '', ''],
    ])
    expect(await page.locator('.only-if').allTextContents()).toEqual([
      'Only if (“A” is “Yes” or “B” is at least 3 and “B” is at most 9).',
      'Only if “A” is answered.',
      'Only if not (“B” is “1” or “2”).',
    ])
  })

  test('a page of a draft has its buttons, its ETag and how often it saves itself; Enter does what its first button does', async () => {
    const buttons = [
      { action: 'complete', label: 'Complete', kind: 'primary' } as const,
      { action: 'discard', label: 'Discard', kind: 'danger' } as const,
    ]
    const notice = { kind: 'info', title: 'Draft', text: 'Saved <b>now</b>.' } as const
    await page.setContent(
      aPage(templateOf(aSmallTemplate([{ id: 'a', label: 'A' }])), {
        buttons,
        notice,
        etag: '"3"',
        autoSaveSeconds: 20,
      }),
    )
    expect(await heard(page, 'main')).toEqual([
      'main:',
      '  status:',
      '    paragraph: Draft',
      '    paragraph: Saved <b>now</b>.',
      '  heading "Home visit" [level=1]',
      '  textbox "A"',
      '  button "Complete"',
      '  button "Discard"',
      '  status',
    ])
    expect(await attributes('form', 'action', 'data-auto-save', 'method')).toEqual([['/x', '20', 'post']])
    expect(await page.locator('[name=etag]').getAttribute('value')).toBe('"3"')
    expect(await attributes('form button', 'value')).toEqual([['complete'], ['complete'], ['discard']])
  })
})

describe('to read', () => {
  const options = ['a', 'b'].map(value => ({ value, label: `The ${value}` }))

  // biome-ignore format: a table
  const cases: Record<string, [control: object, value: unknown, shown: string[]]> = {
  'a text, paragraph by paragraph': [{ multiline: true }, 'a <b>\n\nb', ['a <b>', 'b']],
  'a number with its unit and all its digits': [{ dataType: 'decimal', unit: 'kg' }, '7.50', ['7.50 kg']],
  'yes or no': [{ dataType: 'boolean' }, true, ['Yes']],
  'a date': [{ dataType: 'date' }, '2026-02-03', ['3 February 2026']],
  'a year': [{ dataType: 'date', partial: true }, '2026', ['2026']],
  'a month': [{ dataType: 'date', partial: true }, '2026-02', ['February 2026']],
  'a time': [{ dataType: 'time' }, '09:30', ['09:30']],
  'a date and time on the wall': [{ dataType: 'datetime' }, '2026-02-03T23:30', ['3 February 2026, 23:30']],
  'a moment': [{ dataType: 'datetime' }, '2026-02-03T23:30:00+02:00', ['3 February 2026, 21:30 UTC']],
  'an option': [{ options }, 'b', ['The b']],
  'some options and an own text': [{ options, couldHaveMultipleValues: true, allowOther: true }, ['a', 'mine'], ['The a', 'mine']],
  'a place': [{ dataType: 'geolocation' }, { latitude: 48.2, longitude: -16.37 }, ['Latitude 48.2, longitude -16.37']],
  'a text with markup': [{ dataType: 'html' }, '<p>Dear</p>', ['<p>Dear</p>']],
  'a translated text': [{ dataType: 'translatable-text-value', targetLanguage: 'en' }, { originalText: 'Tag', translatedText: 'Day', sourceLanguageCode: 'de' }, ['Tag', 'Day (translated)']],
  'a web address': [{ dataType: 'url' }, 'https://a.example/?b&c', ['https://a.example/?b&c']],
  'a file': [{ dataType: 'data-url' }, 'data:application/pdf;base64,AAAA', ['PDF document, 1 KB']],
  'nothing': [{}, undefined, ['Not answered']],
  'no pins': [{ dataType: 'annotated-image', image: aPicture }, { annotations: [] }, ['Not answered']],
}

  test('a value of every kind is shown as people write it', async () => {
    const controls = Object.values(cases).map(([control], n) => ({ id: `it${n}`, label: `It ${n}`, ...control }))
    const given = Object.fromEntries(
      Object.values(cases).flatMap(([, value], n) => (value === undefined ? [] : [[`it${n}`, value]])),
    )
    await page.setContent(aPageOf(controls, { mode: 'read', given }))
    const shown = await page.evaluate<[string, string[]][]>(
      `[...document.querySelectorAll('[data-control]')].map(each => [each.querySelector('dt').textContent, [...each.querySelectorAll('dd')].map(dd => dd.textContent)])`,
    )
    expect(shown).toEqual(Object.values(cases).map(([, , texts], n) => [`It ${n}`, texts]))
  })

  test('a picture is shown with its pins, and what is said of them under it', async () => {
    const image = { id: 'it', label: 'Where', dataType: 'annotated-image', image: aPicture, imageDescription: 'A body' }
    const annotations = [
      { x: 5, y: 6, value: 'bruise <i>' },
      { x: 50, y: 60, value: '' },
    ]
    await page.setContent(aPageOf([image], { mode: 'read', given: { it: { annotations } } }))
    expect(await heard(page, '[data-control=it]')).toEqual([
      'term: Where',
      'definition:',
      '  img "A body"',
      'definition:',
      '  list:',
      '    listitem: bruise <i>',
      '    listitem: Nothing is said of this place',
    ])
    const source = (await page.locator('[data-control=it] img').getAttribute('src')) ?? ''
    const svg = Buffer.from(source.replace('data:image/svg+xml;base64,', ''), 'base64').toString()
    expect(svg.match(/<circle/g)).toHaveLength(2)
  })

  test('all that was relevant is there, in the order of the form, with its iterations; nothing can be filled in', async () => {
    const given = { ...someValues, consent: false }
    const facts = [{ label: 'Submitted by', text: 'Dr. <Haddad>' }]
    await page.setContent(
      aPage(template, { mode: 'read', given, facts, links: [{ href: '/all?a=1&b=2', label: 'All versions' }] }),
    )
    expect(await heard(page, '.facts')).toEqual(['term: Submitted by', 'definition: Dr. <Haddad>'])
    expect(await heard(page, 'nav')).toEqual(['navigation "Form":', '  link "All versions":', '    /url: /all?a=1&b=2'])
    expect(await page.locator('form, input, select, textarea, button, script').count()).toBe(0)
    const ids = await page
      .locator('[data-control]')
      .evaluateAll(all => all.map(each => each.getAttribute('data-control')))
    const wound = ['site', 'depth', 'deep']
    // Without consent nobody is asked who consents; texts to read are of the form, not of its answers.
    expect(ids).toEqual([
      ...['visited', 'onset', 'at', 'seenAt', 'weight', 'beats', 'consent', 'remarks', 'ward', 'symptoms', 'mobility'],
      ...['place', 'image', 'letter', 'photo', 'link', 'story', 'sleep', 'energy', 'total', 'severity'],
      ...[...wound, 'material', 'changed', 'material', 'changed'],
      ...['site', 'depth'],
    ])
    expect(await page.locator('.iteration-title').allTextContents()).toEqual([
      'Wound 1',
      'Dressing 1',
      'Dressing 2',
      'Wound 2',
    ])
  })

  test('a version that can be changed has buttons for that', async () => {
    const buttons = [{ action: 'amend', label: 'Amend', kind: 'secondary' } as const]
    await page.setContent(
      aPageOf([{ id: 'a', label: 'A' }], { mode: 'read', buttons, etag: '"7"', hidden: { a: 'b' } }),
    )
    expect(await heard(page, 'form')).toEqual(['button "Amend"'])
    expect(await page.evaluate(`[...new FormData(document.querySelector('form'))]`)).toEqual([
      ['a', 'b'],
      ['etag', '"7"'],
    ])
  })

  test('a page without a form says one thing', async () => {
    await page.setContent(
      renderNotice({
        title: 'Sent <b>',
        text: 'One.\n\nTwo & three.',
        kind: 'success',
        links: [{ href: '/a', label: 'Again' }],
      }),
    )
    expect(await page.title()).toBe('Sent <b>')
    expect(await heard(page, 'main')).toEqual([
      'main:',
      '  heading "Sent <b>" [level=1]',
      '  paragraph: One.',
      '  paragraph: Two & three.',
      '  list:',
      '    listitem:',
      '      link "Again":',
      '        /url: /a',
    ])
  })
})

describe('what comes back', () => {
  const context = { ward: 'C7' }

  /** What the API gets from a page that somebody opens and sends as it is. */
  async function sentBack(html: string, of = template) {
    await page.setContent(html)
    return checkForm(of, givenOf(of, await postedBy(page)), { complete: true, context })
  }

  test('values of every kind come back from a page as they went into it', async () => {
    const direct = checkForm(template, someValues, { complete: true, context })
    expect(direct.faults).toEqual([])
    expect(await sentBack(aPage(template, { given: someValues, context }))).toEqual(direct)
  })

  test('values come back from a page that was made from how they are kept', async () => {
    const { values } = checkForm(template, someValues, { complete: true, context })
    expect((await sentBack(aPage(template, { given: values, context }))).values).toEqual(values)
  })

  test('what is wrong comes back as wrong as it was, with the same faults', async () => {
    const wrong = {
      ...someValues,
      onset: '2026--05',
      seenAt: 'yesterday',
      weight: 'heavy',
      link: 'nowhere',
      place: { latitude: '95', longitude: '' },
      image: { annotations: [{ x: '120', y: '5', value: 'off' }] },
      depth: [{ repeatIterationIndex: 0, value: 'deep' }],
    }
    const { faults } = checkForm(template, wrong, { complete: true, context })
    expect(faults.map(({ id }) => id)).toEqual(['onset', 'seenAt', 'weight', 'place', 'image', 'link', 'depth'])
    const back = await sentBack(aPage(template, { given: wrong, faults, context }))
    expect(back.faults.map(({ id, path, detail }) => ({ id, path, detail }))).toEqual(
      faults.map(({ id, path, detail }) => ({ id, path, detail })),
    )
  })

  test('an iteration in which nothing is filled in comes back, with those in it', async () => {
    const given = {
      site: [{ repeatIterationIndex: 0, value: '' }],
      material: [{ repeatIterationPath: [0, 0], value: null }],
    }
    const { values, faults } = await sentBack(aPage(template, { given, context }))
    expect(values).toMatchObject({
      site: [{ repeatIterationIndex: 0, type: 'empty' }],
      material: [{ repeatIterationPath: [0, 0], type: 'empty' }],
    })
    expect(faults.map(({ id, path }) => [id, path])).toEqual([
      ['visited', []],
      ['site', [0]],
    ])
  })

  test('a form that is opened for the first time holds its initial values and as many iterations as it must have', async () => {
    const form = templateOf(
      aSmallTemplate([], {
        buildingBlocks: [
          {
            key: 'b',
            sections: [
              {
                id: 's',
                controls: [{ id: 'day', label: 'Day', initial: { value: 'Monday' } }],
                repeats: [
                  {
                    id: 'person',
                    label: 'Person',
                    minIterations: 2,
                    controls: [{ id: 'role', label: 'Role', initial: { value: 'nurse' } }],
                    repeats: [
                      { id: 'task', label: 'Task', minIterations: 1, controls: [{ id: 'what', label: 'What' }] },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      }),
    )
    const parts = blankParts(form, '/x')
    const open = (hidden: Record<string, string>) => Buffer.concat(withHidden(parts, hidden))
    await page.setContent(open({ ticket: '"><b>1' }).toString())
    expect(await postedBy(page)).toEqual([
      ['ticket', '"><b>1'],
      ['day', 'Monday'],
      ...[0, 1].flatMap(n => [
        [`repeat:person[${n}]`, '1'],
        [`role[${n}]`, 'nurse'],
        [`repeat:task[${n}][0]`, '1'],
        [`what[${n}][0]`, ''],
      ]),
    ])
    // The same page again, but for what is hidden in it.
    expect(open({ ticket: '2' }).toString()).toBe(
      open({ ticket: '"><b>1' }).toString().replace('&#34;&gt;&lt;b&gt;1', '2'),
    )
  })
})
