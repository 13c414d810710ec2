// Form pages behind a proxy that shows the API below a path of its own, and removes that path from requests.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { aSmallTemplate } from '../support/factories.js'
import { aPage, templateOf } from '../support/form-templates.js'
import { editPath, signIn } from '../support/instances.js'
import { page } from '../support/launches.js'
import { startOwnApp } from '../support/own-app.js'

const publicUrl = 'https://example.org/armature'
const path = editPath('demo', '01930000-0000-7000-8000-000000000001')

let own: Awaited<ReturnType<typeof startOwnApp>>
beforeAll(async () => {
  own = await startOwnApp(inject('databaseUrl'), { PUBLIC_URL: publicUrl })
})
afterAll(() => own.stop())

test('a sign-in leads to the page below the path, and its cookie is for the pages there', async () => {
  const token = await own.issuer.token({ tenant_key: 'demo', client_id: 'demo-integration', scope: 'FormsApi' })
  for (const to of [path, `/armature${path}`, `${publicUrl}${path}`]) {
    const { status, headers } = await signIn('demo', token, to, own.baseUrl)
    expect([status, headers.get('location')]).toEqual([303, `/armature${path}`])
    expect(headers.getSetCookie()).toEqual([expect.stringContaining('; path=/armature/forms/demo/;')])
  }
})

test('a page loads its style from below the path', async () => {
  const { text } = await page(path, {}, own.baseUrl)
  const loaded = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(match => match[1] ?? '')
  expect(loaded).toEqual([expect.stringMatching(/^\/armature\/forms\/assets\//)])
  const style = await fetch(new URL(String(loaded[0]).replace('/armature', ''), own.baseUrl))
  expect(style.status).toBe(200)
})

test('every address of a form is below the path', () => {
  const template = templateOf(aSmallTemplate([{ id: 'a', label: 'A' }]))
  const links = [{ href: '/forms/demo/there', label: 'There' }]
  const text = aPage(template, { root: '/armature', action: '/forms/demo/here', links })
  const addresses = [...text.matchAll(/(?:src|href|action)="(\/[^"]*)"/g)].map(match => match[1])
  expect(addresses).toEqual(expect.arrayContaining(['/armature/forms/demo/here', '/armature/forms/demo/there']))
  for (const address of addresses) expect(address).toMatch(/^\/armature\/forms\//)
})
