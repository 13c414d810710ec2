// The HTML of form pages that are read.
import { afterAll, describe, expect, test } from 'vitest'
import { renderNotice } from '../../server/forms/pages/page.js'
import { aPicture, aTemplate, someValues } from '../support/factories.js'
import { aPage, aPageOf, heard, templateOf } from '../support/form-templates.js'
import { pageWithoutScripts } from '../support/test-programs.js'

const template = templateOf(aTemplate())

const page = await pageWithoutScripts()
afterAll(() => page?.close())

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
      '    listitem: No text',
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

  test('a page without a form shows one message', async () => {
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
