// The console's pages about data sets.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { consoleOf } from '../support/console.js'
import { type ScriptedProvider, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { dataTenant, formAsked, formsTenant, point } from '../support/factories.js'
import { accessibilityFaults, show } from '../support/form-pages.js'
import { until } from '../support/until.js'

let provider: ScriptedProvider
beforeAll(async () => {
  provider = await scriptedProvider()
})
afterAll(() => provider?.stop())

test('a data set says how fresh it is, is refreshed at once, and shows the rows of one person', async () => {
  provider.says(() => ({ dataPoints: [point('r1', 'ada'), point('r2', 'ada')], next: null }))
  const glue = scriptedGlue(provider.url)
  const dataExtracts = glue.dataExtracts.map(extract => ({ ...extract, refreshSeconds: 86_400 }))
  const tenant = await dataTenant({ ...glue, dataExtracts }, ['ada'])
  const page = await consoleOf(tenant, 'data-sets')
  await page.getByText('never refreshed').waitFor()
  await page.locator('td a').first().click()
  await page.getByRole('button', { name: 'Refresh now' }).click()
  await page.getByRole('link', { name: 'Completed' }).waitFor()
  await page.getByRole('button', { name: 'Pause its schedule' }).click()
  await page.getByText('paused').waitFor()
  await page.getByRole('button', { name: 'Resume its schedule' }).click()
  await page.getByRole('button', { name: 'Pause its schedule' }).waitFor()
  await page.getByRole('textbox').fill('ada')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('row', { name: 'r2 r2' }).waitFor()
  expect(page.url(), 'what may be a number of a person').not.toContain('ada')
  await show(page, 'console-data-set')
  expect(await accessibilityFaults(page)).toEqual([])
})

test('a refresh that has failed is on the page with its reason, and leads to its job; a refresh from the list of what waits ends it', async () => {
  provider.says(() => ({ error: 'maintenance' }))
  const tenant = await dataTenant(scriptedGlue(provider.url), ['ada'])
  const page = await consoleOf(tenant, 'data-sets')
  await page.locator('td a').first().click()
  await page.getByRole('button', { name: 'Refresh now' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByRole('link', { name: 'Failed' }).click()
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  await page.getByRole('link', { name: 'Attention' }).click()
  await page.getByRole('button', { name: 'Refresh now' }).click()
  await page.getByText(/^Begun at /).waitFor()
  await until('it has failed again', async () => {
    const { body } = await tenant.get<{ Edges: object[] }>('/api/v1/jobs?Status=Failed')
    return body.Edges.length === 2
  })
  await show(page, 'console-attention-step')
  expect(await accessibilityFaults(page)).toEqual([])
  // The provider is there again. The way from the list of what waits ends where nothing waits.
  provider.says(() => ({ dataPoints: [], next: null }))
  await page.getByRole('button', { name: 'Refresh now' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
})

test('exports of forms are listed with their rhythm, and paused', async () => {
  const exports = [{ key: 'warehouse', every: 3_600, destination: 'directory', definitions: [formAsked('visit')] }]
  const tenant = await formsTenant({ exports })
  const client = await tenant.client(['*'], ['FrameApi', 'FormsApi'])
  const page = await consoleOf({ ...tenant, ...client }, 'data-sets')
  await page.getByRole('cell', { name: 'every 1 h' }).waitFor()
  await page.getByRole('button', { name: 'Pause warehouse' }).click()
  await page.getByText('paused').waitFor()
  await show(page, 'console-exports')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Resume warehouse' }).click()
  await page.getByRole('button', { name: 'Pause warehouse' }).waitFor()
})
