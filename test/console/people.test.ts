// The console's pages about people and their places.
import type { Route } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { aPerson, consoleOf, openConsole, signIn } from '../support/console.js'
import { addPerson, aPdf, notesTenant, plant, subjectTenant, whole } from '../support/factories.js'
import { accessibilityFaults, show } from '../support/form-pages.js'

test('a person is found by place and by words, with values, places, forms and documents', async () => {
  const { tenant, patient } = await notesTenant()
  await plant(tenant, { region: null, clinic: 'region', ward: 'clinic' })
  await tenant.put(`/api/v1/subject/${tenant.subjectId}/structuralEntities`, { keys: ['ward'] })
  await patient.submit(await patient.created(), whole)
  const document = new FormData()
  document.append('title', 'Letter')
  document.append('effectiveDate', '2026-11-02')
  document.append('file', new Blob([new Uint8Array(aPdf())], { type: 'application/pdf' }), 'letter.pdf')
  const url = new URL(`/api/v1/subjects/${tenant.subjectId}/file/upload`, inject('baseUrl'))
  await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${tenant.token}` }, body: document })

  const page = await openConsole()
  await signIn(page, await aPerson(tenant.tenantKey, 'owner'))
  await page.getByRole('link', { name: 'People', exact: true }).click()
  const places = page.getByRole('navigation', { name: 'Places' })
  await places.getByRole('button', { name: 'What is below Entity clinic' }).click()
  await places.getByText('1', { exact: true }).waitFor()
  await places.getByRole('link', { name: 'Entity clinic' }).click()
  await page.getByText('One person').waitFor()
  await page.getByRole('searchbox').fill('person')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('One person').waitFor()
  expect(page.url()).toMatch(/people\?Place=clinic$/)
  await show(page, 'console-people')
  expect(await accessibilityFaults(page)).toEqual([])

  await page.getByRole('table').getByRole('link').first().click()
  await page.getByRole('link', { name: 'Entity ward' }).waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Letter' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('letter.pdf')
  await page.getByText('Complete').waitFor()
  await show(page, 'console-person')
  expect(await accessibilityFaults(page)).toEqual([])
  const [form] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('row', { name: 'Complete' }).getByRole('link').click(),
  ])
  await form.getByText('Must', { exact: true }).waitFor()
  // Neither the tab nor the address names the person.
  expect(await page.title()).toBe('Person · Armature')
})

test('people are ordered by a column, in both directions, and a search begins at its first page', async () => {
  const tenant = await subjectTenant()
  await addPerson(tenant, 'p-1', { familyName: 'Zola' })
  await addPerson(tenant, 'p-2', { familyName: 'Austen' })
  const page = await consoleOf(tenant, 'people')
  const first = page.getByRole('row').nth(1)
  await page.getByRole('link', { name: 'Family name' }).click()
  await first.filter({ hasText: 'Austen' }).waitFor()
  await page.getByRole('link', { name: 'Family name' }).click()
  await first.filter({ hasText: 'Zola' }).waitFor()
  await page.getByRole('columnheader', { name: 'Family name' }).and(page.locator('[aria-sort=descending]')).waitFor()
  expect(page.url()).toMatch(/people\?OrderBy=familyName&Direction=Descending$/)
  const order = { OrderBy: 'familyName', OrderDirection: 'Descending' }
  const { body } = await tenant.post<{ PageInfo: { EndCursor: string } }>('/api/v2/subject/query', {
    First: 1,
    ...order,
  })
  await page.goto(`${page.url()}&After=${encodeURIComponent(body.PageInfo.EndCursor)}`)
  await first.filter({ hasText: 'Austen' }).waitFor()
  // A search has an order of its own, and its own pages.
  await page.getByRole('searchbox').fill('Zola')
  await page.getByRole('button', { name: 'Search' }).click()
  await first.filter({ hasText: 'Zola' }).waitFor()
  expect(await page.getByRole('link', { name: 'Family name' }).count()).toBe(0)
})

const preparing = { type: '/problems/order-in-preparation', title: 'Order in preparation', status: 503 }
test.each<[string, string, (route: Route) => Promise<void>]>([
  ['the API says so', preparing.title, route => route.fulfill({ status: 503, json: preparing })],
  ['a proxy says so', 'The API cannot be reached', route => route.fulfill({ status: 502, body: 'Bad gateway' })],
  ['the network is away', 'The API cannot be reached', route => route.abort()],
])('what is not available at the moment is shown as soon as it is: %s', async (_name, title, answer) => {
  const tenant = await subjectTenant()
  await addPerson(tenant, 'p-1')
  const page = await consoleOf(tenant)
  await page.route('**/api/v2/subject/query', answer, { times: 1 })
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByRole('heading', { name: title }).waitFor()
  await page.getByText('One person').waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
})

test('a client without the scope of forms sees people all the same', async () => {
  const tenant = await subjectTenant()
  const page = await consoleOf(tenant, 'people')
  await page.getByText('Nobody is like that.').waitFor()
})

test('of a person whatever the roles do not allow is not asked for', async () => {
  const tenant = await subjectTenant()
  const person = await addPerson(tenant, 'p-1')
  const author = await tenant.client(['List:Subject', 'View:Subject', 'ListPatientForms'], ['FrameApi', 'FormsApi'])
  const page = await consoleOf({ ...tenant, ...author }, 'people')
  const refused: string[] = []
  page.on('response', answer => {
    if (answer.status() === 403) refused.push(answer.url())
  })
  await page.goto(`${inject('baseUrl')}/console/people/${person}`)
  await page.getByText('No form has been filled in.').waitFor()
  await page.getByText('Your roles do not let you see documents.').waitFor()
  await page.getByText('Your roles do not let you see the audit.').waitFor()
  await page.waitForLoadState('networkidle')
  await show(page, 'console-person-author')
  expect(await accessibilityFaults(page)).toEqual([])
  expect(refused).toEqual([])
})
