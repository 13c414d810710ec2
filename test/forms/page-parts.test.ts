import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import { startBrowser } from '../support/chromium.js'
import { aPage, heard, templateOf } from '../support/form-templates.js'
import { aSmallTemplate, aTemplate, someValues } from '../support/forms.js'

const template = templateOf(aTemplate())

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await startBrowser()
  page = await browser.newPage({ javaScriptEnabled: false })
})
afterAll(() => browser.close())

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
  const faults = [
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
    aPage(templateOf(aSmallTemplate([{ id: 'a', label: 'A' }])), { buttons, notice, etag: '"3"', autoSaveSeconds: 20 }),
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
