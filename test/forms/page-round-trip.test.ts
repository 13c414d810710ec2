import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkForm } from '../../forms/check.js'
import { givenOf } from '../../forms/posted.js'
import { blankForm } from '../../server/forms/page.js'
import { startBrowser } from '../support/chromium.js'
import { aPage, postedBy, templateOf } from '../support/form-templates.js'
import { aSmallTemplate, aTemplate, someValues } from '../support/forms.js'

const template = templateOf(aTemplate())
const context = { ward: 'C7' }

let browser: Browser
let page: Page
beforeAll(async () => {
  browser = await startBrowser()
  page = await browser.newPage({ javaScriptEnabled: false })
})
afterAll(() => browser.close())

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
                  repeats: [{ id: 'task', label: 'Task', minIterations: 1, controls: [{ id: 'what', label: 'What' }] }],
                },
              ],
            },
          ],
        },
      ],
    }),
  )
  const open = (hidden: Record<string, string>) => Buffer.concat(blankForm(form, '/x')(hidden))
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
