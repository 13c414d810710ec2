// Mails of portal invitations.
import { describe, expect, inject, test } from 'vitest'
import { admin, newTenant } from '../support/api.js'
import { addSubject, portalTenant } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { list, refusal } from '../support/frame.js'
import { invite, invitedTo, type MailBody, mailsOf, uninvite } from '../support/portal.js'
import { until } from '../support/until.js'

const tenant = await portalTenant(inject('baseUrl'))
const platform = await admin(inject('baseUrl'))
const path = `/admin/v1/tenants/${tenant.tenantKey}/mails`

/** The job of an invitation, which sends its mails. */
async function jobOf(invitation: { headers: Headers }) {
  return ended(tenant, invitation.headers.get('location')?.split('/').at(-1) ?? '')
}
const mailsTo = async (...recipients: string[]) =>
  (await mailsOf(platform, tenant.tenantKey)).filter(({ recipient }) => recipients.includes(recipient))

test('each third party that is invited gets one mail; without a mail server it is kept for operators to read', async () => {
  const subject = await addSubject(tenant)
  const job = await jobOf(await tenant.post(invite(subject), ['Ben@example.org', 'cleo@example.org']))
  expect(job).toMatchObject({
    kind: 'portalInvitation',
    status: 'Completed',
    progress: { done: 2, total: 2 },
    counts: { kept: 2 },
  })
  const mails = await mailsOf(platform, tenant.tenantKey)
  expect(mails).toEqual(
    ['Ben@example.org', 'cleo@example.org'].map(recipient => ({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      state: 'kept',
      recipient,
      subject: `Invitation to the portal of ${tenant.tenantKey}`,
      text: expect.any(String),
      reason: null,
      attempts: 0,
      jobId: job.jobId,
      queuedAt: expect.any(String),
      sentAt: null,
    })),
  )
  expect(Date.parse(mails[0]?.queuedAt ?? '')).toBeCloseTo(Date.parse(job.acceptedAt), -4)
})

test('a mail says who invites and where to go, and nothing about the subject', async () => {
  const subject = await addSubject(tenant)
  await jobOf(await tenant.post(invite(subject), ['reader@example.org']))
  const [mail] = await mailsTo('reader@example.org')
  expect(mail?.text).toContain(tenant.tenantKey)
  expect(mail?.text).toContain('https://portal.example.org')
  for (const secret of ['Ada', 'Lovelace', 'ada@example.org', '1990', subject]) expect(mail?.text).not.toContain(secret)

  const plain = await portalTenant(inject('baseUrl'), { url: undefined })
  await plain.post(invite(await addSubject(plain)), ['reader@example.org'])
  const [without] = await mailsOf(platform, plain.tenantKey)
  expect(without?.text).toContain(plain.tenantKey)
  expect(without?.text).not.toMatch(/http|undefined/)
})

test('the subject itself and people invited before get no mail, and without mails there is no job', async () => {
  const subject = await addSubject(tenant)
  await jobOf(await tenant.post(invite(subject), ['once@example.org']))
  const before = await mailsOf(platform, tenant.tenantKey)
  const self = await tenant.post(invite(subject))
  const again = await tenant.post(invite(subject), ['ONCE@example.org'])
  expect([self.headers.has('location'), again.headers.has('location')]).toEqual([false, false])
  expect(await mailsOf(platform, tenant.tenantKey)).toEqual(before)

  await jobOf(await tenant.post(invite(subject), ['once@example.org', 'more@example.org']))
  expect([await mailsTo('once@example.org'), await mailsTo('more@example.org')].map(({ length }) => length)).toEqual([
    1, 1,
  ])
})

test('somebody who was removed and is invited again gets a new mail', async () => {
  const subject = await addSubject(tenant)
  for (const _ of [1, 2]) {
    await jobOf(await tenant.post(invite(subject), ['twice@example.org']))
    await tenant.delete(uninvite(subject, 'twice@example.org'))
  }
  expect((await mailsTo('twice@example.org')).map(({ state }) => state)).toEqual(['kept', 'kept'])
})

test('a refused invitation leaves no mail and no job', async () => {
  const subject = await addSubject(tenant, { email: null })
  const before = await mailsOf(platform, tenant.tenantKey)
  expect((await tenant.post(invite(subject), ['nobody@example.org'])).status).toBe(409)
  expect((await tenant.post(invite(subject), ['nobody@example.org', 'x'])).status).toBe(400)
  expect(await mailsOf(platform, tenant.tenantKey)).toEqual(before)
})

test('a repeated Idempotency-Key invites once; another body with it is 422, and nobody is invited', async () => {
  const subject = await addSubject(tenant)
  const key = { 'idempotency-key': crypto.randomUUID() }
  const first = await tenant.post(invite(subject), ['key@example.org'], key)
  const again = async () => {
    const { status, headers } = await tenant.post(invite(subject), ['key@example.org'], key)
    return [status, headers.get('location')]
  }
  expect(await again()).toEqual([200, first.headers.get('location')])
  await tenant.delete(uninvite(subject, 'key@example.org'))
  expect(await again()).toEqual([200, first.headers.get('location')])
  expect(refusal(await tenant.post(invite(subject), ['other@example.org'], key))).toMatchObject({
    status: 422,
    code: 'idempotency-key-reused',
  })
  expect(await invitedTo(tenant, subject)).toEqual([])
})

test('operators page through mails, the newest first, and filter them by state', async () => {
  const own = await portalTenant(inject('baseUrl'))
  const emails = Array.from({ length: 5 }, (_, n) => `page${n}@example.org`)
  await own.post(invite(await addSubject(own)), emails)
  const from = `/admin/v1/tenants/${own.tenantKey}/mails`
  const read = async (query: Record<string, string>) => {
    const { body } = await platform.get<{ PageInfo: object; Edges: { Node: MailBody; Cursor: string }[] }>(
      list(from, query),
    )
    return {
      recipients: body.Edges.map(({ Node }) => Node.recipient),
      cursor: body.Edges.at(-1)?.Cursor ?? '',
      ...body,
    }
  }
  await until('all are kept', async () => (await read({ State: 'kept' })).recipients.length === 5)
  const first = await read({ First: '2' })
  expect(first.recipients).toEqual(['page4@example.org', 'page3@example.org'])
  expect(first.PageInfo).toMatchObject({ HasNextPage: true, HasPreviousPage: false, TotalCount: 5 })
  expect((await read({ First: '9', After: first.cursor })).recipients).toEqual([
    'page2@example.org',
    'page1@example.org',
    'page0@example.org',
  ])
  expect((await read({ State: 'sent' })).recipients).toEqual([])
  expect(await platform.get(list(path, { State: 'lost' }))).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/query/State/0', code: 'unknown-value' }] },
  })
})

test('mails are for the platform’s administrators only; a tenant that is not there is 404', async () => {
  const client = await newTenant(inject('baseUrl'))
  expect((await client.get(`/admin/v1/tenants/${client.tenantKey}/mails`)).status).toBe(403)
  expect((await client.send('GET', path, undefined, { authorization: '' })).status).toBe(401)
  expect((await platform.get('/admin/v1/tenants/no-such-tenant/mails')).status).toBe(404)
})

describe('at the same moment', () => {
  const statuses = async (calls: Promise<{ status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status)

  test('the same people invited by many at once, in whatever order, are invited once and get one mail each', async () => {
    const subject = await addSubject(tenant)
    const emails = ['p', 'q', 'r', 's'].map(name => `${name}@once.example.org`)
    const calls = Array.from({ length: 12 }, (_, n) =>
      tenant.post(invite(subject), n % 2 ? emails : emails.toReversed().map(email => email.toUpperCase())),
    )
    expect(await statuses([...calls, ...calls.map(() => tenant.post(invite(subject)))])).toEqual(Array(24).fill(200))
    const invited = (await invitedTo(tenant, subject)).map(email => email.toLowerCase())
    expect(invited.sort()).toEqual([...emails, 'self'].sort())
    expect(await mailsTo(...emails, ...emails.map(email => email.toUpperCase()))).toHaveLength(4)
  })

  test('simultaneous invitations of overlapping sets invite everybody once', async () => {
    const subject = await addSubject(tenant)
    const name = (n: number) => `n${n % 10}@union.example.org`
    const sets = Array.from({ length: 10 }, (_, n) => [name(n + 2), name(n), name(n + 1)])
    expect(await statuses(sets.map(set => tenant.post(invite(subject), set)))).toEqual(Array(10).fill(200))
    const all = Array.from({ length: 10 }, (_, n) => name(n))
    expect((await invitedTo(tenant, subject)).sort()).toEqual(all)
    expect((await mailsTo(...all)).map(({ recipient }) => recipient).sort()).toEqual(all)
  })

  test('many subjects at once do not hold one another up', async () => {
    const subjects = await Promise.all(Array.from({ length: 30 }, () => addSubject(tenant)))
    const calls = subjects.flatMap(subject => [
      tenant.post(invite(subject), ['one@many.example.org']),
      tenant.post(invite(subject)),
    ])
    expect(await statuses(calls)).toEqual(Array(60).fill(200))
    for (const subject of subjects)
      expect((await invitedTo(tenant, subject)).sort()).toEqual(['one@many.example.org', 'self'])
  })

  test('a simultaneous invitation and removal both succeed, and leave everybody or nobody', async () => {
    for (let round = 0; round < 10; round++) {
      const subject = await addSubject(tenant)
      const emails = ['x', 'y'].map(name => `${name}${round}@race.example.org`)
      if (round % 2) await tenant.post(invite(subject), emails)
      const calls = [
        tenant.post(invite(subject), emails),
        tenant.delete(uninvite(subject, ...emails.toReversed())),
        tenant.post(invite(subject)),
        tenant.delete(uninvite(subject)),
      ]
      expect(await statuses(calls)).toEqual([200, 200, 200, 200])
      const invited = await invitedTo(tenant, subject)
      expect([[], emails]).toContainEqual(invited.filter(who => who !== 'self').sort())
    }
  })
})
