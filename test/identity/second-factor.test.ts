// People prove a second factor after the password, and look after it and the password on the page of their own account.
import { expect, inject, test, vi } from 'vitest'
import { admin, api, newTenant } from '../support/api.js'
import { auditOf } from '../support/audit.js'
import { aPerson } from '../support/console.js'
import { openDatabase } from '../support/factories.js'
import { authorizeUrl, newBrowser, sendPassword, tokenOfPerson } from '../support/people.js'
import {
  codeAt,
  follow,
  openAccount,
  recoveryIn,
  refusalIn,
  secretIn,
  setUpApp,
  signInTo,
} from '../support/second-factor.js'

const baseUrl = inject('baseUrl')
const tenant = await newTenant(baseUrl)
const db = openDatabase()
const aMember = () => aPerson(tenant.tenantKey, 'operator')
const wrongCode = expect.stringContaining('The code is wrong, or was used before.')
const account = '/identity/account'
const statusWith = async (token: string) => (await api(baseUrl, token).get('/api/v1/jobs')).status

test('a person with an app is asked for its code after the password, and each code works once', async () => {
  const person = await aMember()
  const { secret } = await setUpApp(person)
  const browser = newBrowser()
  const asked = await signInTo(browser, person)
  expect(asked.text).toContain('Second factor')
  const code = codeAt(secret, 1)
  const answers = await Promise.all(['000000', code, code].map(each => browser.send(asked.at, { code: each })))
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400])
  const again = newBrowser()
  const { at } = await signInTo(again, person)
  expect(refusalIn((await again.send(at, { code })).text)).toEqual(wrongCode)
})

test('a form that is sent twice sets up one factor', async () => {
  const person = await aMember()
  const browser = newBrowser()
  await openAccount(browser, person)
  const path = `${account}/second-factor`
  const code = codeAt(secretIn((await browser.send(path)).text))
  const answers = await Promise.all([1, 2].map(() => browser.send(path, { code })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(answers.find(({ status }) => status === 400)?.text).toMatch(/The form was sent twice|The code is wrong/)
  expect(await db('second_factors').where({ account_id: person.id }), 'with the recovery codes').toHaveLength(2)
})

test('each of ten recovery codes works once, and new ones end them', async () => {
  const person = await aMember()
  const { recovery, browser } = await setUpApp(person)
  expect(new Set(recovery).size).toBe(10)
  const signInWith = async (code = '') => {
    const other = newBrowser()
    const { at } = await signInTo(other, person)
    return (await other.send(at, { code })).status
  }
  expect(await signInWith(recovery[0])).toBe(303)
  expect(await signInWith(recovery[0])).toBe(400)
  expect(await signInWith(recovery[1]?.toUpperCase().replaceAll('-', ' '))).toBe(303)
  expect((await browser.send(account)).text).toContain('8 left')
  const renewed = recoveryIn((await browser.send(account, { action: 'recovery' })).text)
  expect(await signInWith(recovery[2])).toBe(400)
  expect(await signInWith(renewed[0])).toBe(303)
})

test('the step is not skipped, and belongs to the browser that has typed the password', async () => {
  const person = await aMember()
  const { secret } = await setUpApp(person)
  const browser = newBrowser()
  const { at } = await signInTo(browser, person)
  const resumed = await follow(browser, `/identity/auth/${at.pathname.split('/').at(-1)}`)
  expect(resumed.text).toContain('name="password"')
  expect((await browser.send(authorizeUrl())).location).toContain('/identity/sign-in/')
  const other = newBrowser()
  const begun = await signInTo(other, person)
  expect((await newBrowser().send(begun.at, { code: codeAt(secret, 1) })).status).toBe(400)
  const foreign = await other.send(begun.at, { code: codeAt(secret, 1) }, { 'sec-fetch-site': 'cross-site' })
  expect(foreign.status).toBe(400)
  expect((await other.send(begun.at, { restart: 'yes' })).text).toContain('name="password"')
  expect((await other.send(begun.at, { code: codeAt(secret, 1) })).status).toBe(400)
})

test('wrong codes lock an account like wrong passwords, and the right password forgets none of them', async () => {
  const person = await aMember()
  const { recovery } = await setUpApp(person)
  const guess = async (code: string) => {
    const browser = newBrowser()
    const { at } = await signInTo(browser, person)
    return refusalIn((await browser.send(at, { code })).text)
  }
  for (let n = 0; n < 9; n++) expect(await guess('000000')).toEqual(wrongCode)
  const browser = newBrowser()
  const { at } = await signInTo(browser, person)
  const answers = await Promise.all(['1', '2', recovery[0] ?? ''].map(code => browser.send(at, { code })))
  const isLocked = ({ text }: { text: string }) => refusalIn(text)?.startsWith('Too many wrong passwords or codes')
  expect(answers.filter(isLocked).length).toBeGreaterThan(1)
  const disguised = await browser.send(at, { passkey: 'none', code: recovery[0] ?? '' })
  expect(isLocked(disguised), 'a code counts as one beside a passkey, where none can be made').toBe(true)
  expect((await sendPassword(newBrowser(), person)).text).toContain('Too many wrong passwords or codes')
})

test('strangers do not lock a person out of a browser in which the person has signed in', async () => {
  const person = await aMember()
  const known = newBrowser()
  await signInTo(known, person)
  const wrong = { ...person, password: 'wrong' }
  for (let n = 0; n < 10; n++) await sendPassword(newBrowser(), wrong)
  expect((await sendPassword(newBrowser(), person)).text).toContain('Too many wrong passwords')
  const other = await aMember()
  const borrowed = newBrowser()
  await signInTo(borrowed, other)
  borrowed.jar.delete('armature-session')
  expect((await sendPassword(borrowed, person)).text).toContain('Too many wrong passwords')
  known.jar.delete('armature-session')
  expect((await sendPassword(known, person)).status).toBe(303)
  known.jar.delete('armature-session')
  for (let n = 0; n < 10; n++) await sendPassword(known, wrong)
  expect((await sendPassword(known, person)).text, 'nor may who has found the browser guess').toContain('Too many')
})

test('another password asks for the present one, and ends tokens and sessions elsewhere within seconds', async () => {
  const person = await aMember()
  const [here, there, underWay] = [newBrowser(), newBrowser(), newBrowser()]
  const token = await tokenOfPerson(person, there)
  const typed = await sendPassword(underWay, person)
  await openAccount(here, person)
  const change = (fields: Record<string, string>) =>
    here.send(account, { action: 'password', present: person.password, ...fields })
  const password = 'nine slow herons wade'
  const refusals = [
    await change({ present: 'wrong', password, again: password }),
    await change({ password, again: 'another' }),
    await change({ password: 'password1234567', again: 'password1234567' }),
  ].map(({ text }) => refusalIn(text))
  expect(refusals).toEqual([
    expect.stringContaining('present password is wrong'),
    expect.stringContaining('differ'),
    expect.stringContaining('easy to guess'),
  ])
  expect(await statusWith(token)).toBe(200)
  const sessions = await db('oidc_records').where({ account_id: person.id })
  const done = await follow(here, account, { action: 'password', present: person.password, password, again: password })
  expect(done.text).toContain('Your password is changed')
  await vi.waitFor(async () => expect(await statusWith(token)).toBe(401), 5_000)
  expect((await there.send(authorizeUrl())).location).toContain('/identity/sign-in/')
  expect((await underWay.send(typed.location)).location, 'a sign-in under way').toContain('/identity/sign-in/')
  // As by a request of the session that was under way.
  await db('oidc_records').insert(sessions).onConflict().ignore()
  expect((await there.send(authorizeUrl())).location).toContain('/identity/sign-in/')
  expect((await there.send(account)).location).toContain('/identity/auth?')
  expect((await here.send(authorizeUrl())).location).toContain('code=')
  expect(await statusWith(await tokenOfPerson({ ...person, password }))).toBe(200)
})

test('who has lost a factor has it removed, which ends what was signed in with it', async () => {
  const person = await aMember()
  await setUpApp(person)
  const platform = await admin(baseUrl)
  const path = `/admin/v1/tenants/${tenant.tenantKey}/accounts`
  const listed = async () => {
    const { body } = await platform.get<{ Edges: { Node: { id: string; hasSecondFactor: boolean } }[] }>(
      `${path}?First=100`,
    )
    return body.Edges.find(({ Node }) => Node.id === person.id)?.Node.hasSecondFactor
  }
  const owner = api(baseUrl, await tokenOfPerson(await aPerson(tenant.tenantKey, 'owner')))
  expect(await listed()).toBe(true)
  expect(
    (await api(baseUrl, await tokenOfPerson(await aMember())).delete(`/api/v1/accounts/${person.id}/secondFactors`))
      .status,
  ).toBe(403)
  expect((await owner.delete(`/api/v1/accounts/${person.id}/secondFactors`)).status).toBe(204)
  expect(await listed()).toBe(false)
  expect(await statusWith(await tokenOfPerson(person))).toBe(200)
})

test('a person removes a factor, and the recovery codes go with the last; the audit tells all of it', async () => {
  const person = await aMember()
  const { browser, secret } = await setUpApp(person)
  const page = await browser.send(account)
  const factor = /name="factor" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
  const there = newBrowser()
  const asked = await signInTo(there, person)
  const token = await follow(there, asked.at, { code: codeAt(secret, 1) })
  expect(token.at.searchParams.get('code')).toBeTruthy()
  const removed = await follow(browser, account, { action: 'remove', factor })
  expect(removed.text).toContain('The second factor is removed')
  expect(removed.text).not.toContain('Recovery codes')
  expect((await there.send(authorizeUrl())).location).toContain('/identity/sign-in/')
  expect(await statusWith(await tokenOfPerson(person))).toBe(200)
  const events = (await auditOf(tenant)).filter(event => event.person === person.id)
  expect(events.map(({ action }) => action)).toEqual([
    'choosePassword',
    'signIn',
    'addSecondFactor',
    'signIn',
    'removeSecondFactor',
    'signIn',
  ])
})

test('the page of the own account wants a fresh sign-in, shows nothing to others, and obeys our own pages alone', async () => {
  const person = await aMember()
  expect((await follow(newBrowser(), account)).text).toContain('name="password"')
  expect((await newBrowser().send(account, { action: 'recovery' })).status).toBe(303)
  const browser = newBrowser()
  await openAccount(browser, person)
  const foreign = await browser.send(account, { action: 'recovery' }, { 'sec-fetch-site': 'cross-site' })
  expect(foreign.status).toBe(400)
  const setUp = await browser.send(`${account}/second-factor`)
  expect(setUp.text).toContain('data:image/svg+xml')
  const wrong = await browser.send(`${account}/second-factor`, { code: '000000' })
  expect([wrong.status, secretIn(wrong.text)]).toEqual([400, secretIn(setUp.text)])
})
