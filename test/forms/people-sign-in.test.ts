// People open the page of a form by its address, sign in, and are led back to it.
import { beforeAll, expect, inject, test } from 'vitest'
import { aPerson, type Person } from '../support/console.js'
import { notesTenant } from '../support/factories.js'
import { editPath, saysOf } from '../support/instances.js'
import { type Browser, newBrowser } from '../support/people.js'
import { follow } from '../support/second-factor.js'

let notes: Awaited<ReturnType<typeof notesTenant>>
let path: string
beforeAll(async () => {
  notes = await notesTenant()
  path = editPath(notes.tenant.tenantKey, await notes.patient.created())
})

const aMember = (...roles: string[]) => aPerson(notes.tenant.tenantKey, ...roles)

/** Opens a page, signs in where that leads, and follows on. */
async function open(browser: Browser, { tenantKey, email, password }: Omit<Person, 'id'>, page = path) {
  const { at } = await follow(browser, page)
  const answer = await follow(browser, at, { tenant: tenantKey, email, password })
  return { ...answer, says: saysOf({ ...answer, headers: answer.response.headers }) }
}

test('who opens a form by its address signs in, and the token stays in a cookie of these pages alone', async () => {
  const browser = newBrowser()
  const { at, says } = await open(browser, await aMember('author'))
  expect([at.pathname, says.status, says.ways]).toEqual([path, 200, expect.arrayContaining(['Complete'])])
  expect(browser.jar.get('armature-forms')?.path).toBe(`/forms/${notes.tenant.tenantKey}/`)
  const cookie = (await browser.send(`/identity/forms?state=${path}`)).response.headers.getSetCookie()
  expect(cookie.join()).toMatch(/^armature-forms=[\w.-]+; path=\/forms\/[^;]+; expires=[^;]+; samesite=lax; httponly$/)
  browser.jar.delete('armature-forms')
  expect((await follow(browser, path)).status, 'whoever is signed in is not asked again').toBe(200)
})

test('whoever signs out of the console has signed out of the forms, too', async () => {
  const browser = newBrowser()
  const consoleAsks = new URLSearchParams({
    client_id: 'armature-console',
    post_logout_redirect_uri: `${inject('baseUrl')}/console/`,
  })
  await open(browser, await aMember('author'))
  const left = await browser.send(`/identity/session/end?${consoleAsks}`, undefined, {
    'sec-fetch-site': 'same-origin',
  })
  expect([left.status, browser.jar.has('armature-forms')]).toEqual([303, false])
  expect((await follow(browser, path)).text, 'the next person is asked').toContain('name="password"')
  await open(browser, await aMember('author'))
  const asked = await browser.send('/identity/session/end')
  expect(browser.jar.has('armature-forms'), 'nobody has agreed yet').toBe(true)
  const xsrf = /name="xsrf" value="(\w+)"/.exec(asked.text)?.[1] ?? ''
  expect((await browser.send('/identity/session/end/confirm', { xsrf, logout: 'yes' })).status).toBe(303)
  expect(['armature-session', 'armature-forms'].filter(name => browser.jar.has(name))).toEqual([])
})

test('the permissions of the roles count on the page', async () => {
  const analyst = await open(newBrowser(), await aMember('analyst'))
  expect([analyst.at.pathname, analyst.says.status, analyst.says.title]).toEqual([
    path,
    403,
    'This form cannot be opened',
  ])
  const auditor = await open(newBrowser(), await aMember('auditor'))
  expect([auditor.at.pathname, auditor.text]).toEqual(['/identity/forms', expect.stringContaining('Your roles do not')])
})

test('people of another tenant are told so, and get no cookie', async () => {
  const browser = newBrowser()
  const { status, text } = await open(browser, await aPerson((await notesTenant()).tenant.tenantKey, 'owner'))
  expect([status, text]).toEqual([403, expect.stringContaining('the form belongs to another')])
  expect(browser.jar.has('armature-forms')).toBe(false)
})

test('nobody is led elsewhere', async () => {
  const browser = newBrowser()
  await open(browser, await aMember('author'))
  for (const state of ['https://evil.example/', '//evil.example', '/console/', `${path}/../../../x`, '']) {
    const { status, location } = await browser.send(`/identity/forms?${new URLSearchParams({ state })}`)
    expect([status === 400 || status === 403, location], state).toEqual([true, ''])
  }
})

test('in a frame, and with the cookie of an application, a stranger is told what to do', async () => {
  const framed = await newBrowser().send(path, undefined, { 'sec-fetch-dest': 'iframe' })
  const expired = await newBrowser().send(path, undefined, { cookie: 'armature-forms=old' })
  for (const { status, text } of [framed, expired]) {
    expect([status, text]).toEqual([403, expect.stringContaining('Open the form from your application again')])
    expect(text).toContain(`/identity/forms?state=${encodeURIComponent(path)}`)
  }
})
