// Pages of form instances.
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Api } from '../support/api.js'
import { addPerson, aNote, aTemplate, type FormsTenant, formsTenant, notesTenant, whole } from '../support/factories.js'
import { formPolicy, policyOf } from '../support/http.js'
import {
  editPath,
  leadsTo,
  type Patient,
  patientOf,
  saysOf,
  textsOf,
  type Visitor,
  visitor,
} from '../support/instances.js'
import { hidden } from '../support/launches.js'
import { demoSubjects } from '../support/manifest.js'
import { patch } from '../support/subjects.js'
import type { Fields } from '../support/user-endpoint.js'

const hostile = '<script>alert(1)</script>"\'><img src=x>{{ 7 }}'
const entered: Fields = [
  ['note', hostile],
  ['must', 'b'],
]

const ward = { id: 'ward', label: 'Ward', initial: { context: 'ward' } }

let tenant: FormsTenant
let patient: Patient
let person: Visitor
let other: Awaited<ReturnType<typeof notesTenant>>
beforeAll(async () => {
  tenant = await formsTenant()
  const strict = { allowAmend: false, allowSaveDraft: false, allowDiscard: false }
  await tenant.publish(
    aNote({ title: hostile, autoSaveIntervalSeconds: 5 }),
    aNote({ key: 'strict', ...strict }),
    aTemplate({ key: 'context', buildingBlocks: [{ key: 'ward', sections: [{ id: 'only', controls: [ward] }] }] }),
  )
  const { sub } = JSON.parse(Buffer.from(tenant.forms.token.split('.')[1] ?? '', 'base64url').toString())
  await tenant.change({ users: [{ id: sub, displayName: 'Ida <b>Noddack</b>' }] })
  patient = patientOf(tenant)
  person = visitorOf(tenant.forms)
  other = await notesTenant()
})

const visitorOf = ({ token }: Api) => visitor({ tenantKey: tenant.tenantKey, token })
const linkOf = async (guid: string) => (await patient.read(guid)).body.viewLink
const status = async (guid: string) => (await patient.read(guid)).body.status
const edit = (guid: string) => editPath(tenant.tenantKey, guid)

test('a form goes from new over drafts to complete, and back', async () => {
  const guid = await patient.created()
  const opened = await person.edit(guid)
  expect(saysOf(opened)).toMatchObject({ status: 200, ways: ['Complete', 'Save draft', 'Discard'] })
  expect(opened.text).toContain('data-auto-save="5"')
  expect(opened.text).toContain('<dt>Name</dt><dd><bdi>Ada Byron</bdi></dd>')
  const etag = (text: string): [string, string] => ['etag', hidden(text, 'etag').replaceAll('&#34;', '"')]

  const auto = await person.press(guid, 'autosave', [['note', 'a'], etag(opened.text)], { accept: 'application/json' })
  expect([auto.status, auto.text, auto.headers.get('etag')]).toEqual([204, '', await patient.etag(guid)])
  const saved = await person.press(guid, 'save', [
    ['note', hostile],
    ['etag', await patient.etag(guid)],
  ])
  expect(leadsTo(saved)).toEqual([303, `${edit(guid)}?done=save`])
  const draft = await person.open(`${edit(guid)}?done=save`)
  expect(saysOf(draft)).toMatchObject({ status: 200, banner: 'The draft is saved' })
  expect(draft.text).toContain('value="&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&gt;&lt;img src=x&gt;{{ 7 }}"')
  expect(saysOf(await person.open(await linkOf(guid)))).toMatchObject({
    banner: 'Not complete yet',
    ways: ['Fill it in'],
  })

  const incomplete = await person.press(guid, 'complete', [['note', 'a'], etag(draft.text)])
  expect(saysOf(incomplete)).toMatchObject({ status: 400, ways: ['Complete', 'Save draft', 'Discard'] })
  expect(incomplete.text).toContain('<p class="error" id="must:error">It is required.</p>')
  expect(await status(guid)).toBe('Draft')
  const completed = await person.press(guid, 'complete', [...entered, etag(incomplete.text)])
  expect(leadsTo(completed)).toEqual([303, `${await linkOf(guid)}?done=complete`])
  const shown = await person.open(`${await linkOf(guid)}?done=complete`)
  expect(saysOf(shown)).toMatchObject({ status: 200, banner: 'The form is complete', ways: ['Amend'] })
  expect(shown.text).toContain('<dd>&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&gt;&lt;img src=x&gt;{{ 7 }}</dd>')
  expect(shown.text).not.toContain('<script>')
  expect(shown.text).toContain('<dt>Submitted by</dt><dd>Ida &lt;b&gt;Noddack&lt;/b&gt;</dd>')
  expect(shown.text).toMatch(/<dt>Submitted<\/dt><dd>\d+ \w+ \d{4}, \d\d:\d\d UTC<\/dd>/)
  expect(leadsTo(await person.edit(guid))).toEqual([303, await linkOf(guid)])

  expect(leadsTo(await person.press(guid, 'amend', [etag(shown.text)]))).toEqual([303, edit(guid)])
  const amended = await person.edit(guid)
  expect(saysOf(amended)).toMatchObject({ ways: ['Complete', 'Save draft', 'Discard amendment'] })
  expect(leadsTo(await person.press(guid, 'discard', [etag(amended.text)]))).toEqual([
    303,
    `${await linkOf(guid)}?done=discard`,
  ])
  const kept = await person.open(`${await linkOf(guid)}?done=discard`)
  expect(saysOf(kept)).toMatchObject({ banner: 'The amendment was discarded', ways: ['Amend'] })
  expect(textsOf(await patient.read(guid))).toEqual({ note: hostile, must: 'b' })
})

test('each version has its page, which says what became of it', async () => {
  const guid = await patient.created()
  await patient.submit(guid, { must: 'first' })
  await patient.amend(guid)
  await patient.save(guid, { must: 'second' }, '*')
  await patient.discard(guid, '*')
  const { body } = await patient.history(guid)
  const pages = await Promise.all(body.compositeInstanceHistory.map(({ viewLink }) => person.open(viewLink)))
  const later = 'There is a later version of this form'
  expect(pages.map(saysOf)).toMatchObject([
    { status: 200, banner: later, ways: ['Show the current version'] },
    { status: 200, banner: '', ways: ['Amend'] },
    { status: 200, banner: 'Discarded', ways: ['Show the current version'] },
    { status: 200, banner: 'Discarded', ways: ['Show the current version'] },
  ])
  expect(pages.map(({ text }) => /<dd>(first|second)<\/dd>/.exec(text)?.[1])).toEqual([
    undefined,
    'first',
    'first',
    'second',
  ])
})

test('a form that was never complete is gone when it is discarded, but for its versions', async () => {
  const guid = await patient.created()
  const link = await linkOf(guid)
  expect(saysOf(await person.press(guid, 'discard'))).toMatchObject({ status: 200, title: 'The form was discarded' })
  expect(saysOf(await person.edit(guid))).toMatchObject({ status: 404, title: 'There is no such form' })
  expect(saysOf(await person.press(guid, 'save', entered))).toMatchObject({ status: 404 })
  expect(saysOf(await person.open(link))).toMatchObject({ status: 200, banner: 'Discarded', ways: [] })
})

test('a withdrawn form is not shown unless that is asked for, and cannot be changed', async () => {
  const guid = await patient.created()
  await patient.submit(guid, { must: 'b' })
  const link = await linkOf(guid)
  const etag: [string, string] = ['etag', await patient.etag(guid)]
  await patient.withdraw(guid)
  const withdrawn = await person.open(link)
  expect(saysOf(withdrawn)).toMatchObject({ status: 404, title: 'This form was withdrawn' })
  expect(withdrawn.text).not.toContain('<dd>b</dd>')
  expect(await tenant.forms.get(link)).toMatchObject({ status: 404, body: { type: '/problems/not-found' } })
  const nevertheless = await person.open(`${link}?includeWithdrawn=true`)
  expect(saysOf(nevertheless)).toMatchObject({ status: 200, banner: 'Withdrawn', ways: [] })
  expect(nevertheless.text).toContain('<dd>b</dd>')
  expect(leadsTo(await person.edit(guid))).toEqual([303, link])
  expect(saysOf(await person.press(guid, 'amend', [etag]))).toMatchObject({ status: 409 })
  await patient.reinstate(guid)
  expect(saysOf(await person.open(link))).toMatchObject({ status: 200, banner: '', ways: ['Amend'] })
})

test('a page has only the buttons that the form allows, and other actions are refused', async () => {
  const guid = await patient.created({ formKey: 'strict' })
  const opened = await person.edit(guid)
  expect(saysOf(opened).ways).toEqual(['Complete'])
  expect(opened.text).not.toContain('data-auto-save')
  for (const action of ['save', 'autosave', 'discard']) {
    expect(saysOf(await person.press(guid, action, entered))).toMatchObject({ status: 403 })
  }
  for (const action of ['', 'send', 'withdraw']) {
    expect(saysOf(await person.press(guid, action, entered))).toMatchObject({ status: 400 })
  }
  expect(await status(guid)).toBe('New')
  await patient.submit(guid, { must: 'b' })
  expect(saysOf(await person.open(await linkOf(guid))).ways).toEqual([])
  expect(saysOf(await person.press(guid, 'amend'))).toMatchObject({ status: 403 })
})

test('a new form begins with the values of its context', async () => {
  const guid = await patient.created({ formKey: 'context', instanceContext: { ward: 'B12' } })
  expect((await person.edit(guid)).text).toContain('name="ward" value="B12"')
  await patient.save(guid, { ward: null })
  expect((await person.edit(guid)).text).toContain('name="ward" value=""')
})

const field = (name: string, value: string): [string, string] => [name, value]
const refused = { status: 403, title: 'This form cannot be opened' }
const unchanged = { status: 403, title: 'Nothing was changed' }

test('reading a page needs ListPatientForms, filling it in needs Create', async () => {
  const guid = await patient.created()
  const [reader = tenant, writer = tenant, neither = tenant] = await tenant.clients(
    [['ListPatientForms'], ['Create'], ['Withdraw']],
    ['FormsApi'],
  )
  for (const client of [reader, neither]) {
    expect(saysOf(await visitorOf(client).edit(guid))).toMatchObject(refused)
    for (const action of ['save', 'autosave', 'complete', 'amend', 'discard', 'add:x:']) {
      expect(saysOf(await visitorOf(client).press(guid, action, [field('must', 'b')]))).toMatchObject(unchanged)
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
    editPath(tenant.tenantKey, randomUUID()),
    `${editPath(tenant.tenantKey, mine)}/versions/${link.split('/').at(-1)}`,
  ]) {
    expect(saysOf(await person.open(path))).toMatchObject(nobody)
  }
  const pressed = await person.press(theirs, 'complete', [field('must', 'b')])
  expect(saysOf(pressed)).toMatchObject({ ...nobody, title: 'Nothing was changed' })
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
    expect(policyOf(headers.get('content-security-policy'))).toEqual(formPolicy())
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
  }
  const refused = await person.open(editPath(tenant.tenantKey, crypto.randomUUID()))
  expect(policyOf(refused.headers.get('content-security-policy'))).toEqual(formPolicy())
})

describe('the person of a form', () => {
  /** The person that a page names at its top, as label and text. */
  const personOn = ({ text }: { text: string }): string[][] => {
    const [, top = ''] = /<div class="page">\s*<section class="person"[^>]*>([\s\S]*?)<\/section>/.exec(text) ?? []
    return [...top.matchAll(/<dt>(.*?)<\/dt><dd><bdi>(.*?)<\/bdi><\/dd>/g)].map(([, label = '', said = '']) => [
      label,
      said,
    ])
  }
  const named = [
    ['Name', 'Zoë Kowalczyk'],
    ['Date of birth', '31 January 1958'],
    ['National id', 'PL-58013112345'],
  ]
  let theirs: Patient
  let reader: Visitor
  let writer: Visitor
  beforeAll(async () => {
    // Nothing is said of names, dates of birth or identifiers but which fields there are and by which one a subject is found.
    const { fields, matchingFields, upsert } = demoSubjects
    await tenant.change({ subjects: { fields, matchingFields, upsert } })
    const values = { givenName: 'Zoë', familyName: 'Kowalczyk' }
    const subjectId = await addPerson(tenant, 'PL-58013112345', values)
    await patch(tenant, subjectId, [{ Key: 'dateOfBirth', Value: { Date: { Value: '1958-01-31' } } }])
    theirs = patientOf({ ...tenant, subjectId })
    const [reads, writes] = await Promise.all([
      tenant.formsClient(['ListPatientForms']),
      tenant.formsClient(['Create']),
    ])
    reader = visitor({ tenantKey: tenant.tenantKey, token: reads.token })
    writer = visitor({ tenantKey: tenant.tenantKey, token: writes.token })
  })

  test('stands on every page, for everybody who may open it, with nothing set', async () => {
    const guid = await theirs.created()
    const { viewLink } = (await theirs.read(guid)).body
    const incomplete = await writer.press(guid, 'complete', [['note', 'a']])
    const unseen = await writer.press(guid, 'discard', [['etag', '"99"']])
    const pages = [await writer.edit(guid), incomplete, unseen, await reader.open(viewLink)]
    const completed = await writer.press(guid, 'complete', [...entered, ['etag', await theirs.etag(guid)]])
    const current = (await theirs.read(guid)).body.viewLink
    pages.push(completed, await reader.open(viewLink), await reader.open(current))
    await theirs.withdraw(guid)
    pages.push(await reader.open(current), await reader.open(`${current}?includeWithdrawn=true`))
    const other = await theirs.created()
    pages.push(await writer.press(other, 'discard'))
    expect(pages.map(page => [page.status, personOn(page)])).toEqual(
      [200, 400, 412, 200, 200, 200, 200, 404, 200, 200].map(status => [status, named]),
    )
    for (const { text, headers } of pages) {
      expect(/<title>(.*)<\/title>/.exec(text)?.[1]).not.toContain('Zo')
      expect([...text.matchAll(/(?:href|action)="([^"]*)"/g)].join()).not.toMatch(/Zo|Kowalczyk|1958-01|58013112345/)
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  test('is as the record says now, and a missing date of birth is said to be missing', async () => {
    const subjectId = await addPerson(tenant, 'PL-2', { givenName: 'Ada' })
    const hers = patientOf({ ...tenant, subjectId })
    const guid = await hers.created()
    const before = await writer.edit(guid)
    await patch(tenant, subjectId, [{ Key: 'familyName', Value: { String: { Value: '</dl>Lovelace' } } }])
    const [then, now] = [before, await writer.edit(guid)].map(personOn)
    const rest = [
      ['Date of birth', 'Not recorded'],
      ['National id', 'PL-2'],
    ]
    expect(then).toEqual([['Name', 'Ada Byron'], ...rest])
    expect(now).toEqual([['Name', 'Ada &lt;/dl&gt;Lovelace'], ...rest])
  })
})
