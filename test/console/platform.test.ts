// The console of whoever looks after all tenants.
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { admin, newTenant, type Tenant, tokenOf } from '../support/api.js'
import { consoleOf } from '../support/console.js'
import { openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { accessibilityFaults, desk, phone, show } from '../support/form-pages.js'
import { csv, imported } from '../support/imports.js'
import { suspendedLong } from '../support/tenant-rows.js'
import { until } from '../support/until.js'

const db = openDatabase()
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

test('an owner adds a person, who gets a link to choose a password, and is shut out with the roles that others gave meanwhile', async () => {
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
  const { body } = await tenant.get<{ Edges: { Node: { id: string; name: string } }[] }>('/api/v1/accounts')
  for (const { Node } of body.Edges) await tenant.put(`/api/v1/accounts/${Node.id}`, { name: Node.name, roles: [] })
  await page.getByRole('button', { name: 'Disable grace@example.org' }).click()
  await page.getByRole('button', { name: 'Enable grace@example.org' }).waitFor()
  expect(await page.locator('td[data-name=Roles]').textContent()).toBe('none')
  await show(page, 'console-accounts')
  expect(await accessibilityFaults(page)).toEqual([])
})

test('a tenant is suspended, resumed, exported and deleted, each after a question', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const recipient = await identityToRecipient(await generateX25519Identity())
  const page = await consoleOf(
    await anOperator(['View:Tenant', 'Edit:Tenant', 'Export:Tenant', 'Delete:Tenant']),
    `tenants/${tenant.tenantKey}`,
    {},
    ofAll,
  )
  const questions: string[] = []
  page.on('dialog', dialog => {
    questions.push(dialog.message())
    const typed = dialog.message().startsWith('Export') ? recipient : tenant.tenantKey
    void dialog.accept(dialog.type() === 'prompt' ? typed : undefined)
  })
  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('heading', { name: 'Suspended' }).waitFor()
  for (const [name, { viewport }] of Object.entries({ desk, phone })) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await show(page, `console-tenant-suspended-${name}-${colorScheme}`)
      expect(await accessibilityFaults(page)).toEqual([])
    }
  }
  await until('it is shut out', async () => (await tenant.get('/api/v1/jobs')).status === 403)
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Suspend' }).waitFor()
  expect(questions.map(each => each.split('?')[0])).toEqual([
    `Suspend the tenant ${tenant.tenantKey}`,
    `Let the tenant ${tenant.tenantKey} go on`,
  ])
  await until('it is served', async () => (await tenant.get('/api/v1/jobs')).status === 200)

  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('must have been suspended for 10 minutes').waitFor()
  await suspendedLong(db, await tenantIdOf(db, tenant.tenantKey))
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByText(`tenants.archived/${tenant.tenantKey}-`).waitFor()
  await show(page, 'console-tenant-exported')
  expect(await accessibilityFaults(page)).toEqual([])
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'It is being deleted' }).waitFor()
  expect(questions.at(-1)).toContain('rows of')
  await show(page, 'console-tenant-deleted')
  expect(await accessibilityFaults(page)).toEqual([])
})
