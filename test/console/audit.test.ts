// The console's page of the audit.
import { expect, test } from 'vitest'
import { consoleOf } from '../support/console.js'
import { addPerson, subjectTenant } from '../support/factories.js'
import { accessibilityFaults, show } from '../support/form-pages.js'

test('who did what is listed, and a filter stands in the address', async () => {
  const tenant = await subjectTenant()
  const person = await addPerson(tenant, 'p-1')
  await addPerson(tenant, 'p-2')
  const page = await consoleOf(tenant, `people/${person}`)
  await page.getByRole('cell', { name: 'upsert subject' }).waitFor()
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('row', { name: 'upsert subject' }).nth(1).waitFor()
  await page.getByText('Filter', { exact: true }).click()
  await page.getByLabel('Id', { exact: true }).fill(person)
  await page.getByRole('button', { name: 'Show' }).click()
  // Those who looked at the person are told too, a second later.
  await expect.poll(() => page.getByRole('row', { name: 'upsert subject' }).count()).toBe(1)
  expect(new URL(page.url()).search).toBe(`?Id=${person}`)
  await show(page, 'console-audit')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('link', { name: `Id: ${person}` }).click()
  await page.getByRole('row', { name: 'upsert subject' }).nth(1).waitFor()
  expect(new URL(page.url()).search).toBe('')
})
