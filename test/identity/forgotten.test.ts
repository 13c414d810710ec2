// Wrong passwords lock an account, and a mailed link opens it again.
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { groupOf } from '../../db/identity/oidc-records.js'
import { admin, api, newTenant } from '../support/api.js'
import { aLink, aPerson } from '../support/console.js'
import { openDatabase } from '../support/factories.js'
import { type MailServer, mailServer } from '../support/mail-server.js'
import { startOwnApi } from '../support/own-api.js'
import { newBrowser, sendPassword } from '../support/people.js'

const tenant = await newTenant(inject('baseUrl'))
const accounts = `/admin/v1/tenants/${tenant.tenantKey}/accounts`
const password = 'nine slow herons wade'
let mails: MailServer
let mailing: Awaited<ReturnType<typeof startOwnApi>>

beforeAll(async () => {
  mails = await mailServer()
  await mails.open()

  mailing = await startOwnApi({ SMTP_URL: mails.url, SMTP_FROM: 'Armature <armature@example.org>' })
  await mailing.live()
}, 60_000)
afterAll(async () => {
  await mailing.stop()
  await mails.close()
})

const linkIn = (body = ''): string => /http\S+\/identity\/password\?link=\S+/.exec(body)?.[0] ?? ''
const forgot = (tenant: string, email: string) =>
  fetch(`${mailing.baseUrl}/identity/forgot`, { method: 'POST', body: new URLSearchParams({ tenant, email }) })

test('ten wrong passwords lock an account for everybody, whether or not there is one; a mailed link unlocks it', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  const attempt = async (email: string, typed: string) => {
    const { status, text } = await sendPassword(newBrowser(), { ...person, email, password: typed })
    return status === 303 ? 'in' : /role="alert">([\w ]+)/.exec(text)?.[1]
  }
  for (const email of [person.email, 'nobody@example.org']) {
    for (let n = 0; n < 10; n++) expect(await attempt(email, `wrong ${n}`)).toMatch('The tenant')
    expect(await attempt(email, person.password)).toMatch('Too many wrong passwords or codes for this account')
  }
  await forgot(tenant.tenantKey, person.email.toUpperCase())
  await vi.waitFor(() => expect(mails.taken).toHaveLength(1), 5_000)
  expect(mails.taken[0]).toMatchObject({ recipient: person.email, headers: { subject: 'Choose your password' } })
  const link = linkIn(mails.taken[0]?.body)
  expect((await newBrowser().send(link, { password, again: password })).status).toBe(200)
  expect(await attempt(person.email, password)).toBe('in')
})

test('a link unlocks the browser of its person too, where wrong passwords are counted apart', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  const browser = newBrowser()
  const attempt = async (typed: string) => (await sendPassword(browser, { ...person, password: typed })).status
  expect(await attempt(person.password)).toBe(303)
  for (let n = 0; n < 10; n++) expect(await attempt(`wrong ${n}`)).toBe(400)
  expect(await attempt(person.password), 'it is locked').toBe(400)
  expect((await browser.send(await aLink(person), { password, again: password })).status).toBe(200)
  expect(await attempt(password)).toBe(303)
})

test('whoever asks for a link learns nothing, and fills no mailbox', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  const before = mails.taken.length
  const answers = []
  for (const email of ['nobody@example.org', person.email, person.email, person.email, person.email])
    answers.push(await (await forgot(tenant.tenantKey, email)).text())
  expect(new Set(answers).size).toBe(1)
  await vi.waitFor(() => expect(mails.taken).toHaveLength(before + 2), 5_000)
  const grant_id = groupOf(`LinkMail/${tenant.tenantKey}/${person.email}`)
  expect(await openDatabase()('oidc_records').where({ grant_id }), 'those that were refused').toHaveLength(2)
  expect((await (await fetch(`${mailing.baseUrl}/identity/forgot`)).text()).includes('Send the link')).toBe(true)
})

test('the link of an administrator is mailed, or in the answer if the mail server refuses it', async () => {
  const platform = api(mailing.baseUrl, (await admin(mailing.baseUrl)).token)
  const person = { email: 'first@example.org', name: 'First', roles: ['owner'] }
  const { body: account } = await platform.post<{ id: string }>(accounts, person)
  const link = () => platform.post<{ mailed: boolean; link: string | null }>(`${accounts}/${account.id}/link`)
  expect((await link()).body).toMatchObject({ mailed: true, link: null })
  expect(linkIn(mails.taken.at(-1)?.body)).toContain(mailing.baseUrl)
  mails.refuse = () => 550
  expect((await link()).body).toMatchObject({
    mailed: false,
    link: expect.stringContaining('/identity/password?link='),
  })
})
