// The console of whoever looks after all tenants.
import { expect, inject, test } from 'vitest'
import { admin, newTenant, type Tenant, tokenOf } from '../support/api.js'
import { consoleOf } from '../support/console.js'
import { plantWards, subjectTenant } from '../support/factories.js'
import { accessibilityFaults, show } from '../support/form-pages.js'
import { csv, imported } from '../support/imports.js'
import { until } from '../support/until.js'

const ofAll = 'All tenants of the installation'

/** A client of the platform that looks after jobs, and nothing else. */
async function anOperator(more: string[] = []): Promise<Pick<Tenant, 'tenantKey' | 'clientId' | 'clientSecret'>> {
  const tenant = await subjectTenant()
  const permissions = ['List:Tenant', 'List:Attention', 'List:PlatformJob', 'Edit:PlatformJob']
  return { ...tenant, ...(await tenant.client([...permissions, ...more], ['PlatformAdmin'])) }
}

test('what waits in any tenant is seen, and failed jobs of one are retried together, after saying how many', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'a')
  const bad = csv('all-1,Ada,Byron,,,,,nowhere')
  await imported(tenant, bad, { query: { Mode: 'all' } })
  await imported(tenant, bad, { query: { Mode: 'all' } })
  const page = await consoleOf(await anOperator(), '', {}, ofAll)
  await page.getByText(tenant.tenantKey).first().waitFor()
  await show(page, 'console-platform-attention')
  expect(await accessibilityFaults(page)).toEqual([])

  await page.getByRole('link', { name: 'Tenants' }).click()
  await page.getByRole('textbox').fill(tenant.tenantKey)
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('One tenant').waitFor()
  await show(page, 'console-tenants')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('link', { name: '2', exact: true }).click()
  await page.getByText('2 jobs').waitFor()
  await show(page, 'console-platform-jobs')
  expect(await accessibilityFaults(page)).toEqual([])
  const questions: string[] = []
  page.on('dialog', dialog => {
    questions.push(dialog.message())
    void dialog.accept()
  })
  await page.getByRole('button', { name: 'Retry them all' }).click()
  await page.getByText('2 of 2 retried').waitFor()
  expect(questions).toEqual(['Retry 2 jobs?\n\n2 × Import of people'])
  const platform = await admin(inject('baseUrl'))
  const { body } = await platform.get<{ Edges: object[] }>(`/admin/v1/jobs?Tenant=${tenant.tenantKey}`)
  expect(body.Edges).toHaveLength(2)
})

test('a client gets a new secret, which is shown once, the old one ends, and the client is shut out', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const page = await consoleOf(
    await anOperator(['View:Tenant', 'Edit:Tenant']),
    `tenants/${tenant.tenantKey}`,
    {},
    ofAll,
  )
  page.on('dialog', dialog => void dialog.accept())
  const tokenWith = (secret: string) =>
    tokenOf(inject('baseUrl'), { id: tenant.clientId, secret, tenantKey: tenant.tenantKey, scope: 'FrameApi' })
  await page.getByRole('button', { name: `New secret for ${tenant.clientId}` }).click()
  const secret = await page.getByRole('status').locator('code').textContent()
  await show(page, 'console-tenant')
  expect(await accessibilityFaults(page)).toEqual([])
  await tokenWith(secret ?? '')
  await tokenWith(tenant.clientSecret)
  await page.getByRole('button', { name: `End the old secret of ${tenant.clientId}` }).click()
  await page.getByText('Its old secret ends').waitFor({ state: 'detached' })
  await expect(tokenWith(tenant.clientSecret)).rejects.toThrow('No token')
  await page.getByRole('button', { name: `Disable ${tenant.clientId}` }).click()
  await page.getByText('Disabled').waitFor()
  await until('it is shut out', async () => (await tenant.get('/api/v1/jobs')).status === 401)
})

test('an owner adds a person, who gets a link to choose a password', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const page = await consoleOf(tenant, 'accounts')
  await page.getByText('Nobody has an account.').waitFor()
  await page.getByText('Add a person').click()
  await page.getByLabel('Name').fill('Grace Hopper')
  await page.getByLabel('E-mail').fill('grace@example.org')
  await page.getByLabel('auditor').check()
  await page.getByRole('button', { name: 'Add the person' }).click()
  const link = await page.getByRole('status').locator('code').textContent()
  expect((await fetch(link ?? '')).status).toBe(200)
  await page.getByRole('button', { name: 'Disable grace@example.org' }).click()
  await page.getByRole('button', { name: 'Enable grace@example.org' }).waitFor()
  await show(page, 'console-accounts')
  expect(await accessibilityFaults(page)).toEqual([])
})
