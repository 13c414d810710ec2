// The console's page of a job, for a person who cancels, retries and undoes, and who is named on it and in the audit.
import { afterAll, expect, inject, test } from 'vitest'
import { aPerson, consoleOf, openConsole, signIn } from '../support/console.js'
import { refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { addPerson, anEntity, dataTenant, plantWards, subjectTenant } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { accessibilityFaults, phone, show } from '../support/form-pages.js'
import { endedRun, holdHierarchy, openTemporal } from '../support/jobs.js'
import { assignByHand, transfer } from '../support/transfers.js'

const temporal = await openTemporal()
const provider = await scriptedProvider()
afterAll(() => provider.stop())

test('a person cancels, retries and undoes jobs, and is named on their pages and in the audit', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'east', 'west')
  await assignByHand(tenant, await addPerson(tenant, 'p-1'), 'east')
  const moved = await transfer(tenant, 'east', 'west', 'Move')
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const many = Array.from({ length: 1_100 }, (_, n) => anEntity(`m${n}`))
  const { body: bulk } = await tenant.put<JobBody>('/api/v1/structuralEntity/bulk', many, { prefer: 'respond-async' })

  const page = await openConsole(`jobs/${bulk.jobId}`)
  const questions: string[] = []
  page.on('dialog', dialog => {
    questions.push(dialog.message())
    void dialog.accept()
  })
  const fact = (name: string) => page.locator('.facts div').filter({ hasText: name }).locator('dd')
  const named = (name: string) => fact(name).filter({ hasText: 'Ada Byron' }).waitFor()
  await signIn(page, await aPerson(tenant.tenantKey, 'owner'))
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('heading', { name: 'Cancelled' }).waitFor()
  await hierarchy.release()
  await named('Cancelled by')
  expect(await fact('Asked for by').textContent()).toBe(tenant.clientId)
  await endedRun(temporal, bulk)
  await page.getByText('Its items').click()
  const items = await page.waitForSelector('table')
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('heading', { name: 'Completed' }).waitFor()
  await named('Retried by')
  await page.getByRole('row', { name: 'm0 created' }).waitFor()
  expect(await items.isVisible(), 'the table stays while it is read again').toBe(true)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.getByRole('row', { name: 'm0 created' }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: 'created' }).nth(49).waitFor()
  await show(page, 'job-retried')
  expect(await accessibilityFaults(page)).toEqual([])

  await page.getByRole('link', { name: 'Jobs', exact: true }).first().click()
  await page.getByRole('link', { name: 'Transfer of people' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'in this job' }).waitFor()
  await named('Undone by')
  expect(page.url()).toContain(moved.jobId)
  await show(page, 'job-undone')
  expect(questions).toEqual([expect.stringMatching(/^Cancel this job/), expect.stringMatching(/^Undo/)])
  await page.getByRole('link', { name: 'Jobs', exact: true }).first().click()
  await page.getByRole('row', { name: 'Undo of a transfer' }).getByText('Ada Byron').waitFor()

  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('row', { name: 'cancel job' }).getByRole('link', { name: 'Ada Byron' }).click()
  await page.getByRole('row', { name: tenant.clientId }).first().waitFor({ state: 'detached' })
  await page.getByText('Filter', { exact: true }).click()
  await page.getByLabel('About').selectOption('Jobs')
  await page.getByLabel('Until').fill('2020-01-01')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Nothing was done').waitFor()
  expect(new URL(page.url()).search).toMatch(/^\?Person=[0-9a-f-]{36}&Kind=job&To=2020-01-01$/)
  await page.getByLabel('Until').fill(new Date().toISOString().slice(0, 10))
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByRole('row', { name: 'cancel job' }).waitFor()
  await show(page, 'audit-filtered')
  const told = await page.locator('td[data-name=What] > a').allTextContents()
  expect(told).toEqual(['undo job', 'retry job', 'cancel job'])
  await page.setViewportSize(phone.viewport)
  await page.emulateMedia({ colorScheme: 'dark' })
  await show(page, 'audit-filtered-phone-dark')
  expect(await accessibilityFaults(page)).toEqual([])
})

test('a job that waits says why, and when it is tried next', async () => {
  const tenant = await dataTenant(scriptedGlue(provider.url, { provider: { retrySeconds: 3_600 } }), ['a'])
  provider.says(() => ({ status: 503, headers: { 'retry-after': '900' }, body: {} }))
  const { body } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  const page = await consoleOf(tenant, `jobs/${body.jobId}`)
  await page.getByRole('heading', { name: 'It waits' }).waitFor()
  await page.getByText('answered 503').waitFor()
  await page.getByText(/^in 1[45] minutes$/).waitFor()
  await show(page, 'job-waiting')
  expect(await accessibilityFaults(page)).toEqual([])
})
