// A token that a host page posts into an iframe.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'
import { newTenant } from '../support/api.js'
import { webServer } from '../support/issuer.js'
import { type SecondProvider, startSecondProvider } from '../support/second-provider.js'
import { sharedBrowser } from '../support/test-programs.js'

// The page of examples/iframe-token.html as it is, but for the address of the endpoint.
let browser: Browser
let provider: SecondProvider
let host: Awaited<ReturnType<typeof webServer>>
let endpointUrl: string
let token: string

beforeAll(async () => {
  browser = await sharedBrowser()
  provider = await startSecondProvider()
  const endpoint = {
    key: 'vaccinations-page',
    authentication: [{ openIdConnect: { authority: provider.issuer, audiences: 'app-a' } }],
    steps: [
      {
        name: 'page',
        respond: {
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: '<h2>Vaccinations</h2><p id="token">{{ request.userToken }}</p><p id="body">{{ request.body | json }}</p>',
        },
      },
    ],
  }
  const { tenantKey } = await newTenant(inject('baseUrl'), {}, { glue: { endpoints: [endpoint] } })
  endpointUrl = `${inject('baseUrl')}/glue/${tenantKey}/${endpoint.key}`
  const example = await readFile(join(projectRoot, 'examples/iframe-token.html'), 'utf8')
  const page = example.replace('https://armature.example/glue/demo/vaccinations-page', endpointUrl)
  expect(page).not.toBe(example)
  host = await webServer(() => ctx => {
    if (ctx.path === '/') ctx.body = page
    if (ctx.path === '/access-token' && ctx.method === 'POST') ctx.body = token
    if (ctx.path === '/src-only') ctx.body = `<iframe name="armature" src="${endpointUrl}?jwt=${token}"></iframe>`
    if (ctx.path === '/') ctx.type = 'html'
  })
})
afterAll(() => Promise.all([host.stop(), provider.stop()]))

/** Opens a page of the host. @returns what the iframe was answered, and what it then shows. */
async function open(path: string) {
  const page = await browser.newPage()
  const answered = page.waitForResponse(response => response.url().startsWith(endpointUrl))
  await page.goto(host.base + path)
  const answer = await answered
  await answer.finished()
  const frame = page.frame('armature')
  await frame?.waitForLoadState()
  return { page, frame, answer, request: answer.request() }
}

/** For a person who wants to see it: SCREENSHOTS names a folder. */
async function show(page: Page, name: string) {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.close()
}

test('the host page posts the token into the iframe, which shows the answer of the endpoint', async () => {
  token = await provider.token()
  const { page, frame, answer, request } = await open('/')
  expect([answer.status(), request.method()]).toEqual([200, 'POST'])
  expect(request.headers()).toMatchObject({ 'content-type': 'application/x-www-form-urlencoded' })
  expect(await frame?.textContent('h2')).toBe('Vaccinations')
  expect(await frame?.textContent('#token')).toBe(token)
  expect(await frame?.textContent('#body')).toBe('{}')
  // Neither an address nor the page has kept it.
  expect(frame?.url()).toBe(endpointUrl)
  expect(await page.inputValue('input[name=jwt]')).toBe('')
  await show(page, 'iframe-token')
})

test('a token that is refused shows the refusal in the iframe', async () => {
  token = await provider.token({ aud: 'somebody' })
  const { page, frame, answer } = await open('/')
  expect(answer.status()).toBe(401)
  expect(await frame?.textContent('body')).toContain('"type":"/problems/unauthenticated"')
  await show(page, 'iframe-token-refused')
})

test('the src of an iframe carries no token, not even in its query string: 401 is shown', async () => {
  token = await provider.token()
  const { page, frame, answer, request } = await open('/src-only')
  expect([answer.status(), request.method()]).toEqual([401, 'GET'])
  expect(await frame?.textContent('body')).toContain('"type":"/problems/unauthenticated"')
  await show(page, 'iframe-src')
})
