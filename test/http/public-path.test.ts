// Pages behind a proxy that gives the platform a path, as PUBLIC_URL says.
import { createServer, request } from 'node:http'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { aSmallTemplate, type LaunchTenant, launchTenant } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { editPath, patientOf } from '../support/instances.js'
import { startOwnApp } from '../support/own-app.js'
import { sharedBrowser } from '../support/test-programs.js'

const base = '/armature'
let own: Awaited<ReturnType<typeof startOwnApp>>
let tenant: LaunchTenant
let publicUrl: string
/** Passes on what is below the path, without the path, and answers 421 to all else. */
const proxy = createServer((asked, answer) => {
  if (!asked.url?.startsWith(`${base}/`)) {
    answer.writeHead(421).end()
    return
  }
  const { method, headers } = asked
  const passed = request(new URL(asked.url.slice(base.length), own.baseUrl), { method, headers }, given => {
    answer.writeHead(given.statusCode ?? 502, given.headers)
    given.pipe(answer)
  })
  asked.pipe(passed)
})

beforeAll(async () => {
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  const address = proxy.address()
  publicUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${base}`
  own = await startOwnApp(inject('databaseUrl'), { PUBLIC_URL: publicUrl })
  tenant = await launchTenant([aSmallTemplate([{ id: 'note', label: 'Note', required: true }])])
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await own?.stop()
  await tenant?.endpoint.stop()
})

test('a single-pass form is opened, corrected and sent, with its style and its script', async () => {
  const { page, wrong } = await forms.openPage(await sharedBrowser(), publicUrl + tenant.path('small'))
  expect(
    await page
      .locator('.card')
      .first()
      .evaluate(card => card.computedStyleMap().get('display')?.toString()),
  ).toBe('block')
  await page.fill('[name=note]', 'x')
  await page.click('.actions button')
  await page.waitForURL(`${publicUrl}/**/sent?reference=*`)
  expect(await page.textContent('h1')).toBe('Your form was sent')
  expect(wrong).toEqual([])
  await page.context().close()
})

test('somebody signs in to an instance, saves it, completes it and sees it', async () => {
  const guid = await patientOf(tenant).created({ formKey: 'small' })
  const page = await forms.newPage(await sharedBrowser())
  const wrong = forms.watched(page, publicUrl)
  const path = editPath(tenant.tenantKey, guid)
  const token = await own.issuer.token({
    tenant_key: tenant.tenantKey,
    client_id: decodeJwt(tenant.forms.token).client_id,
    scope: 'FormsApi',
  })
  for (const to of [path, `${publicUrl}${path}`]) {
    const form = { token, to }
    const signedIn = await page.request.post(`${publicUrl}/forms/${tenant.tenantKey}/sign-in`, {
      form,
      maxRedirects: 0,
    })
    expect([signedIn.status(), signedIn.headers().location]).toEqual([303, base + path])
    expect(signedIn.headers()['set-cookie']).toContain(`path=${base}/forms/${tenant.tenantKey}/;`)
  }
  await page.goto(publicUrl + path)
  await forms.ready(page)
  await page.fill('[name=note]', 'x')
  await page.click('text=Save draft')
  await page.waitForURL(`${publicUrl}${path}?done=save`)
  await forms.ready(page)
  await page.click('.actions button:text-is("Complete")')
  await page.waitForURL(`${publicUrl}/**/versions/*?done=complete`)
  expect(await page.textContent('.banner-title')).toBe('The form is complete')
  await page.click('text=Amend')
  await page.waitForURL(publicUrl + path)
  await forms.ready(page)
  expect(wrong).toEqual([])
  await page.context().close()
})

test.each(['/docs', '/docs/'])('%s has all of its files, and calls the API below the path', async path => {
  const page = await forms.newPage(await sharedBrowser())
  const missing: string[] = []
  page.on('response', answer => void (answer.status() >= 400 && missing.push(answer.url())))
  await page.goto(publicUrl + path)
  await page.waitForSelector('.opblock')
  expect(page.url()).toBe(`${publicUrl}/docs`)
  expect(await page.textContent('[data-origin]')).toBe(publicUrl)
  expect(missing).toEqual([])
  await page.context().close()
})
