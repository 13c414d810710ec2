import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { Api } from '../support/api.js'
import type { FormsTenant } from '../support/forms.js'
import { editPath, leadsTo, saysOf, type Visitor, visitor } from '../support/instance-pages.js'
import { notesTenant, type Patient, textsOf, whole } from '../support/instances.js'
import { hidden, page } from '../support/launches.js'

let tenant: FormsTenant
let patient: Patient
let person: Visitor
let other: Awaited<ReturnType<typeof notesTenant>>
beforeAll(async () => {
  ;[{ tenant, patient }, other] = await Promise.all([notesTenant(), notesTenant()])
  person = visitorOf(tenant.forms)
})
const visitorOf = ({ token }: Api) => visitor({ tenantKey: tenant.tenantKey, token })

const linkOf = async (guid: string) => (await patient.read(guid)).body.viewLink
const field = (name: string, value: string): [string, string] => [name, value]
const refused = { status: 403, title: 'This form cannot be opened' }

test('reading takes ListPatientForms, filling in takes Create', async () => {
  const guid = await patient.created()
  const [reader, writer, neither] = await Promise.all([
    tenant.formsClient(['ListPatientForms']),
    tenant.formsClient(['Create']),
    tenant.formsClient(['Withdraw']),
  ])
  for (const client of [reader, neither]) {
    expect(saysOf(await visitorOf(client).edit(guid))).toMatchObject(refused)
    for (const action of ['save', 'autosave', 'complete', 'amend', 'discard', 'add:x:']) {
      expect(saysOf(await visitorOf(client).press(guid, action, [field('must', 'b')]))).toMatchObject(refused)
    }
  }
  expect((await patient.read(guid)).body.status).toBe('New')
  for (const client of [writer, neither])
    expect(saysOf(await visitorOf(client).open(await linkOf(guid)))).toMatchObject(refused)

  expect(saysOf(await visitorOf(reader).open(await linkOf(guid)))).toMatchObject({ status: 200, ways: [] })
  const done = await visitorOf(writer).press(guid, 'complete', [field('must', 'b')])
  expect(saysOf(done)).toMatchObject({ status: 200, title: 'The form is complete' })
  const shown = await visitorOf(reader).open(await linkOf(guid))
  expect(saysOf(shown)).toMatchObject({ status: 200, ways: [] })
  expect(shown.text).toContain('Ada Byron')
})

test("another tenant's pages are as if they did not exist", async () => {
  const mine = await patient.created()
  const theirs = await other.patient.created()
  const link = (await other.patient.read(theirs)).body.viewLink
  const nobody = { status: 404, title: 'There is no such form' }
  const { tenantKey } = other.tenant
  for (const path of [
    editPath(tenantKey, theirs),
    link,
    link.replace(tenantKey, tenant.tenantKey),
    editPath(tenant.tenantKey, theirs),
    editPath(tenantKey, mine),
    editPath('unknown', mine),
    editPath(`${tenant.tenantKey}%20`, mine),
    `${editPath(tenant.tenantKey, mine)}%20`,
    editPath(tenant.tenantKey, randomUUID()),
    `${editPath(tenant.tenantKey, mine)}/versions/${link.split('/').at(-1)}`,
    `${editPath(tenant.tenantKey, mine)}/versions/x`,
  ]) {
    expect(saysOf(await person.open(path))).toMatchObject(nobody)
  }
  expect(saysOf(await person.press(theirs, 'complete', [field('must', 'b')]))).toMatchObject(nobody)
  expect((await other.patient.read(theirs)).body.status).toBe('New')
})

test('what the page of another site posts does not count, though the browser sends the cookie', async () => {
  const guid = await patient.created()
  for (const site of ['cross-site', 'same-site']) {
    const posted = await person.press(guid, 'complete', [field('must', 'b')], { 'sec-fetch-site': site })
    expect(saysOf(posted)).toMatchObject({ status: 403, title: 'You are not signed in' })
  }
  expect((await patient.read(guid)).body.status).toBe('New')
  const elsewhere = { 'sec-fetch-site': 'cross-site' }
  expect((await person.open(await linkOf(guid), elsewhere)).status).toBe(200)
  const own = await person.press(guid, 'complete', [field('must', 'b')], { 'sec-fetch-site': 'same-origin' })
  expect(own.status).toBe(303)
})

test('the second of two editors keeps what was entered, and nothing of it is written', async () => {
  const guid = await patient.created()
  const { text } = await person.edit(guid)
  const old = field('etag', hidden(text, 'etag').replaceAll('&#34;', '"'))
  await patient.save(guid, whole)
  const mine = [field('note', 'my <own> words'), old]
  for (const action of ['save', 'complete']) {
    const refused = await person.press(guid, action, mine)
    expect(saysOf(refused)).toMatchObject({
      status: 412,
      banner: 'Somebody else has changed this form meanwhile',
    })
    expect(refused.text).toContain('value="my &lt;own&gt; words"')
    expect(hidden(refused.text, 'etag')).toBe(hidden(text, 'etag'))
  }
  const complete = await person.press(guid, 'complete', [...mine, field('must', 'b')])
  expect(saysOf(complete)).toMatchObject({ status: 412, ways: expect.arrayContaining(['Open the form as it is now']) })
  const unseen = await person.press(guid, 'save', [field('note', 'mine')])
  expect(saysOf(unseen)).toMatchObject({ status: 428 })
  expect(hidden(unseen.text, 'etag')).toBe('')
  const program = await person.press(guid, 'autosave', mine, { accept: 'application/json' })
  expect([program.status, program.headers.get('etag')]).toEqual([412, await patient.etag(guid)])
  expect(JSON.parse(program.text)).toMatchObject({ type: '/problems/instance-changed' })
  const discard = await person.press(guid, 'discard', [old])
  expect(saysOf(discard)).toMatchObject({ status: 412, title: 'Somebody else has changed this form meanwhile' })
  expect(textsOf(await patient.read(guid))).toEqual({ note: 'a', must: 'b' })

  await patient.submit(guid, whole, '*')
  const late = await person.press(guid, 'save', mine)
  expect(saysOf(late)).toMatchObject({ status: 412 })
  expect(leadsTo(await person.edit(guid))).toEqual([303, await linkOf(guid)])
})

test('a page may be shown in no frame, and loads nothing from elsewhere', async () => {
  const guid = await patient.created()
  for (const path of [editPath(tenant.tenantKey, guid), await linkOf(guid)]) {
    const { headers } = await person.open(path)
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'$/)
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
  }
  expect((await page(editPath(tenant.tenantKey, guid))).headers.get('content-security-policy')).toContain("'none'")
})
