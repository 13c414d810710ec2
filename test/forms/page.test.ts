// The HTML of form pages.
import { afterAll, describe, expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import { givenOf } from '../../forms/posted.js'
import type { FormFault } from '../../forms/values.js'
import { blankParts, withHidden } from '../../server/forms/pages/page.js'
import { aSmallTemplate, aTemplate, someValues } from '../support/factories.js'
import { aPage, aPageOf, heard, postedBy, templateOf } from '../support/form-templates.js'
import { pageWithoutScripts } from '../support/test-programs.js'

const template = templateOf(aTemplate())

const page = await pageWithoutScripts()
afterAll(() => page?.close())

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
    expect(await attributes('.error:not([hidden])', 'id')).toEqual(fields.map(id => [`${id}:error`]))
    expect(await page.locator('.error:not([hidden])').allTextContents()).toEqual([visited, symptoms, mobility, site])
    expect(await attributes('[aria-invalid]', 'name', 'data-control', 'aria-invalid', 'aria-describedby')).toEqual([
      ...['day', 'month', 'year'].map(part => [`visited.${part}`, null, 'true', null]),
      ['symptoms', null, 'true', null],
      ['symptoms', null, 'true', null],
      [null, 'mobility', 'true', 'mobility:error'],
      ['site[0]', null, 'true', 'site[0]:error'],
    ])
    expect(await attributes('[data-control=symptoms]', 'aria-describedby')).toEqual([['symptoms:error']])
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
    expect(await attributes('.error:not([hidden])', 'id')).toEqual([['wound:error']])
  })

  test('repeats have buttons that add and remove iterations, and a blank one for scripts', async () => {
    await page.setContent(aPage(template, { given: someValues }))
    expect(await attributes('form [data-repeat]', 'data-repeat', 'data-path', 'id')).toEqual([
      ['wound', '', 'wound'],
      ['dressing', '0', 'dressing[0]'],
      ['dressing', '1', 'dressing[1]'],
    ])
    const buttons = await page.locator('form button[name=action]:not(.clear)').all()
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
      ...['material', 'material'].map(id => `${id}[{wound}][{dressing}]`),
      ...['day', 'month', 'year'].map(part => `changed[{wound}][{dressing}].${part}`),
    ])
  })

  test('no id of the page is that of a control', async () => {
    const options = ['x', 'y'].map(value => ({ value, label: value }))
    const controls = [
      { id: 'a', label: 'A', options, allowOther: true },
      { id: 'b', label: 'B', dataType: 'decimal', unit: 'kg', hint: 'Without shoes' },
      ...['a-1', 'a-own', 'b-unit', 'b-hint', 'b-error'].map(id => ({ id, label: id })),
    ]
    await page.setContent(aPageOf(controls))
    const ids: string[] = await page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    expect(ids.filter((id, n) => ids.indexOf(id) !== n)).toEqual([])
    await page.getByText('b-unit').click()
    expect(await page.evaluate('document.activeElement.name')).toBe('b-unit')
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

describe('what comes back', () => {
  const context = { ward: 'C7' }

  /** What the API gets from a page that somebody opens and sends as it is. */
  async function sentBack(html: string, of = template) {
    await page.setContent(html)
    return checkForm(of, givenOf(of, await postedBy(page)), { complete: true, context })
  }

  test('a page posts back values of every kind unchanged', async () => {
    const direct = checkForm(template, someValues, { complete: true, context })
    expect(direct.faults).toEqual([])
    expect(await sentBack(aPage(template, { given: someValues, context }))).toEqual(direct)
  })

  test('a page of stored values posts them back unchanged', async () => {
    const { values } = checkForm(template, someValues, { complete: true, context })
    expect((await sentBack(aPage(template, { given: values, context }))).values).toEqual(values)
  })

  test('invalid entries are posted back unchanged, with the same faults', async () => {
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

  test('an empty iteration is posted back, with the iterations inside it', async () => {
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
    const parts = blankParts(form, '/x', '')
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
