// The console's page of what waits for a human.
import { expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { consoleOf } from '../support/console.js'
import { openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { accessibilityFaults, show } from '../support/form-pages.js'
import { csv, imported } from '../support/imports.js'
import { jobWithoutRun } from '../support/jobs.js'
import { personWith } from '../support/subjects.js'

const db = openDatabase()

test('what was refused last night is found and repaired on the page', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'a')
  const page = await consoleOf(tenant)
  await page.getByText('Nothing waits for you.').waitFor()
  const { jobId } = await imported(tenant, csv('in-1,-Ada,Byron,31.02.1980,,,,a'))
  await page.reload()
  await page.getByText('An import has refused one row.').waitFor()
  await show(page, 'console-attention')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('link', { name: 'An import has refused one row.' }).click()
  // The file for spreadsheets guards it by an apostrophe, which is nothing to correct.
  expect(await page.getByLabel('givenName of row 2').inputValue()).toBe('-Ada')
  await page.getByLabel('dateOfBirth of row 2').fill('1980-02-29')
  await page.getByRole('button', { name: 'Send the corrected row' }).click()
  await page.waitForURL(url => !url.pathname.includes(jobId))
  await page.getByText('Completed').waitFor()
  await page.getByRole('link', { name: 'Attention' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
  expect(await personWith(tenant, 'in-1')).toMatchObject({ givenName: '-Ada' })
})

test('a failed job that is left as it is waits no longer', async () => {
  const tenant = await subjectTenant()
  const { jobId } = await imported(tenant, csv('all-1,Ada,Byron,,,,,nowhere'), { query: { Mode: 'all' } })
  const page = await consoleOf(tenant)
  await page.getByRole('link', { name: 'An import has refused one row.' }).click()
  page.on('dialog', dialog => void dialog.accept())
  await page.getByRole('button', { name: 'Leave it' }).click()
  await page.getByText('Cancelled', { exact: true }).waitFor()
  expect(page.url()).toContain(jobId)
  await page.getByRole('link', { name: 'Attention' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
})

test('jobs that wait are shown with those that have begun and do not go on', async () => {
  const tenant = await subjectTenant()
  const id = await tenantIdOf(db, tenant.tenantKey)
  const waiting = await jobWithoutRun(db, id, 'subjectTransfer', 1)
  // A job that is said to have a run is not begun by the outbox.
  const longAgo = new Date(Date.now() - 360_000)
  await db('jobs').where({ tenant_id: id, id: waiting }).update({ accepted_at: longAgo, started_at: new Date() })
  const row = { name: 'One job of the kind subjectTransfer did not begin within five minutes.' }
  const page = await consoleOf(tenant)
  await page.getByRole('link', row).click()
  await page.getByRole('row', { name: 'Transfer of people' }).waitFor()
  const administrator = { clientId: 'platform-admin', clientSecret: 'platform-admin-secret', tenantKey: 'demo' }
  const platform = await consoleOf(administrator, '', {}, 'All tenants')
  await platform.getByRole('row', { name: tenant.tenantKey }).getByRole('link', row).click()
  await platform.getByRole('row', { name: 'Transfer of people' }).waitFor()
  await tenant.post(`/api/v1/jobs/${waiting}/cancel`)
})

test('a client sees the kinds that its permissions allow', async () => {
  const tenant = await subjectTenant()
  await imported(tenant, csv('all-1,Ada,Byron,,,,,nowhere'))
  const webhooks = await tenant.client(['View:Webhook'])
  const page = await consoleOf({ ...tenant, ...webhooks })
  await page.getByText('Nothing waits for you.').waitFor()
  await page.goto(`${inject('baseUrl')}/console/?Kind=refused-rows`)
  await page.getByText('The caller needs the permission').waitFor()
})
