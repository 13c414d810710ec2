// Pages behind a proxy that gives the platform a path, as PUBLIC_URL says.
import { randomUUID } from 'node:crypto'
import { createServer, request } from 'node:http'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { anEntity, aSmallTemplate, aType, type LaunchTenant, launchTenant, openDatabase } from '../support/factories.js'
import * as forms from '../support/form-pages.js'
import { editPath, patientOf } from '../support/instances.js'
import { startOwnApp } from '../support/own-app.js'
import { sharedBrowser } from '../support/test-programs.js'
import { until } from '../support/until.js'

const base = '/armature'
const db = openDatabase()
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

test('/docs has all of its files, and calls the API below the path; /docs/ leads there', async () => {
  expect((await fetch(`${publicUrl}/docs/`)).url).toBe(`${publicUrl}/docs`)
  const page = await forms.newPage(await sharedBrowser())
  const missing: string[] = []
  page.on('response', answer => void (answer.status() >= 400 && missing.push(answer.url())))
  await page.goto(`${publicUrl}/docs`)
  await page.waitForSelector('.opblock')
  expect(await page.textContent('[data-origin]')).toBe(publicUrl)
  expect(missing).toEqual([])
  await page.context().close()
})

test('what an answer refers to leads through the proxy: problems, jobs and successors', async () => {
  const scopes = ['FrameApi', 'FormsApi']
  const { clientId } = await tenant.client(['*'], scopes)
  const token = await own.issuer.token({ tenant_key: tenant.tenantKey, client_id: clientId, scope: scopes.join(' ') })
  const send = async (address: string, method = 'GET', body?: object) => {
    const types = { accept: 'application/json', 'content-type': 'application/json' }
    const headers = { ...types, authorization: `Bearer ${token}`, prefer: 'respond-async' }
    const answer = await fetch(address, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { answer, body: JSON.parse((await answer.text()) || 'null') }
  }
  const leads = async (reference: unknown, answer: Response) =>
    expect((await send(new URL(String(reference), answer.url).href)).answer.status, String(reference)).toBe(200)

  const entities = '/api/v1/structuralEntity'
  const unknown = await send(`${publicUrl}${entities}/nowhere`)
  expect([unknown.answer.status, unknown.body.instance]).toEqual([404, `${base}${entities}/nowhere`])
  await leads(unknown.body.type, unknown.answer)
  for (const [path, method] of [
    ['/nowhere', 'GET'],
    [entities, 'DELETE'],
  ] as const)
    expect((await send(publicUrl + path, method)).body.detail).toContain(` ${base}/docs `)

  await send(`${publicUrl}/api/v1/structureType`, 'PUT', aType('unit'))
  // Temporal is away, so the job is kept for later.
  const bulk = await send(`${publicUrl}${entities}/bulk`, 'PUT', [anEntity('a')])
  expect(bulk.answer.status).toBe(202)
  await leads(bulk.answer.headers.get('location'), bulk.answer)
  expect((await send(publicUrl + bulk.body.links.self)).answer.status).toBe(200)
  // The outbox of the shared stack starts it.
  const job = () => send(publicUrl + bulk.body.links.self)
  await until('the job ends', async () => (await job()).body.status === 'Completed')
  const problem = JSON.stringify({ status: 500, code: 'internal', title: 'T', detail: 'D', faults: [] })
  await db('jobs').where({ id: bulk.body.jobId }).update({ status: 'Failed', problem })
  const failed = await job()
  await leads(failed.body.problem.type, failed.answer)

  const old = await send(`${publicUrl}/api/patientforms?instanceGuid=${randomUUID()}`)
  expect(old.answer.headers.get('link')).toMatch(`<${base}/api/v2.0/tenant/`)
  const { body: description } = await send(`${publicUrl}/openapi.json`)
  expect(description.servers).toEqual([{ url: publicUrl }])
  expect(JSON.stringify(description)).toContain(`"${base}/problems/validation"`)
})
