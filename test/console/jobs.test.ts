// The console's pages about jobs.
import { beforeAll, expect, inject, test } from 'vitest'
import { consoleOf } from '../support/console.js'
import { plantWards, subjectTenant } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { accessibilityFaults, focused, show } from '../support/form-pages.js'
import { csv, imported } from '../support/imports.js'
import { personWith } from '../support/subjects.js'

const tenant = await subjectTenant()
await plantWards(tenant, 'a')
const script = '<img src=x onerror=alert(1)>'
let refusing: JobBody
let failed: JobBody
beforeAll(async () => {
  refusing = await imported(
    tenant,
    csv('in-1,Ada,Byron,,,,,a', `in-2,${script},Byron,31.02.1980,,,,a`, 'in-3,Eve,Byron,,,,,nowhere'),
  )
  failed = await imported(tenant, csv('all-1,Ada,Byron,,,,,nowhere'), { query: { Mode: 'all' } })
})

test('jobs are listed with what became of them, and a filter stands in the address', async () => {
  const page = await consoleOf(tenant, 'jobs')
  const rows = page.getByRole('row')
  await page.getByText('1 created').waitFor()
  expect(await rows.filter({ hasText: 'Import of people' }).allTextContents()).toEqual([
    expect.stringMatching(/^Failed.*Rows refused/i),
    expect.stringMatching(/^Completed.*1 created.*2 refused/),
  ])
  // A bar of the day leads to the jobs of its hour.
  await page
    .getByRole('link', { name: /:00 to .*1 failed/ })
    .first()
    .click()
  await page.getByRole('link', { name: 'Show all times' }).click()
  await page.getByRole('link', { name: 'Failed', exact: true }).click()
  await page.getByText('One job').waitFor()
  expect(new URL(page.url()).search).toBe('?Status=Failed')
  await show(page, 'console-jobs')
})

test('a failed job says why, and what can be done', async () => {
  const page = await consoleOf(tenant, 'jobs?Status=Failed')
  await page.getByRole('cell', { name: 'Import of people' }).getByRole('link').click()
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  // Who hears the page is told where the link has led, and the tab is named after it.
  expect(await focused(page)).toContain('Import of people')
  expect(await page.title()).toBe(`Import of people failed, ${failed.jobId.slice(0, 8)}… · Armature`)
  expect(await page.getByRole('alert').textContent()).toContain('refused')
  // The next step, which the page about the problem's code says too.
  await page.getByRole('alert').getByText('Correct the rows of').waitFor()
  expect(await page.getByRole('link', { name: 'Its run in the Temporal UI' }).getAttribute('href')).toBe(
    failed.links.temporalUi,
  )
  await page.getByRole('button', { name: 'Retry' }).click()
  // It fails again, for the same reason.
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  await show(page, 'console-job-failed')
})

test('refused rows are corrected on the page and sent again, without the ones that were not; unsent corrections are not lost without a question', async () => {
  const page = await consoleOf(tenant, `jobs/${refusing.jobId}`)
  const dialogs: string[] = []
  page.on('dialog', dialog => {
    dialogs.push(dialog.type())
    void dialog.dismiss()
  })
  const born = page.getByLabel('dateOfBirth of row 3')
  expect(await born.inputValue()).toBe('31.02.1980')
  expect(await page.getByLabel('givenName of row 3').inputValue()).toBe(script)
  await show(page, 'console-refused')
  await born.fill('1980-02-29')
  await page.getByRole('link', { name: 'Attention' }).click()
  await page.goBack()
  expect(await born.inputValue()).toBe('1980-02-29')
  expect(dialogs).toEqual([])
  // The token has ended, for which the page is loaded anew.
  const ended = { type: '/problems/invalid-token', title: 'Invalid token', status: 401 }
  await page.route('**/retry', route => route.fulfill({ status: 401, json: ended }), { times: 1 })
  await page.getByRole('button', { name: 'Send the corrected row' }).click()
  await page.getByRole('heading', { name: ended.title }).waitFor()
  expect(await born.inputValue()).toBe('1980-02-29')
  expect(dialogs).toEqual(['beforeunload'])
  await page.getByRole('button', { name: 'Send the corrected row' }).click()
  await page.waitForURL(url => /jobs\/[0-9a-f-]+$/.test(url.pathname) && !url.pathname.includes(refusing.jobId))
  await page.getByText('Completed').waitFor()
  expect(await personWith(tenant, 'in-2')).toMatchObject({ givenName: script, dateOfBirth: '1980-02-29' })
  expect(await personWith(tenant, 'in-3')).toBeUndefined()
  expect(dialogs).toEqual(['beforeunload'])
})

test('rows that are refused meanwhile take neither the focus nor the text from whoever corrects others', async () => {
  const page = await consoleOf(tenant)
  const path = `/api/v1/jobs/${refusing.jobId}`
  const { body: job } = await tenant.get<JobBody>(path)
  const [first, another] = [1, 2]
  let refused = first
  // A stream that ends is opened again.
  await page.route(`**${path}`, route =>
    route.fulfill({
      contentType: 'text/event-stream',
      body: `data: ${JSON.stringify({ ...job, counts: { ...job.counts, refused } })}\n\n`,
    }),
  )
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  await page.route(`**${path}/rejects`, async route => {
    const response = await route.fetch()
    const lines = (await response.text()).split('\n')
    if (refused === another) {
      asked.resolve()
      await answered.promise
    }
    await route.fulfill({ response, body: lines.slice(0, 1 + refused).join('\n') })
  })
  await page.goto(`${inject('baseUrl')}/console/jobs/${refusing.jobId}`)
  const born = page.getByLabel('dateOfBirth of row 3')
  await born.fill('1980')
  refused = another
  await asked.promise
  await page.keyboard.type('-02')
  answered.resolve()
  await page.getByLabel('givenName of row 4').waitFor()
  await page.keyboard.type('-29')
  expect(await born.inputValue()).toBe('1980-02-29')
})

test('a client sees and does no more than its permissions say', async () => {
  const reader = await tenant.client(['List:Job', 'View:Job'])
  const page = await consoleOf({ ...tenant, ...reader }, `jobs/${failed.jobId}`)
  await page.getByRole('link', { name: 'Jobs', exact: true }).first().waitFor()
  await page.getByRole('heading', { name: 'About the job' }).waitFor()
  expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
})

test('the job of another tenant does not exist', async () => {
  const page = await consoleOf(await subjectTenant(), `jobs/${failed.jobId}`)
  await page.getByText(`There is no job '${failed.jobId}'.`).waitFor()
})

test.each([
  ['on a phone', { viewport: { width: 390, height: 844 } }],
  ['in the dark', { colorScheme: 'dark' }],
] as const)('pages are as good %s', async (name, options) => {
  const page = await consoleOf(tenant, '', options)
  for (const path of ['', 'jobs', `jobs/${failed.jobId}`, `jobs/${refusing.jobId}`, 'data-sets']) {
    await page.goto(`${inject('baseUrl')}/console/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.loading').waitFor({ state: 'detached' })
    await show(page, `console-${name}-${path.replaceAll('/', '-')}`)
    expect(await accessibilityFaults(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} fits`).toBe(true)
  }
})
