import { beforeAll, expect, inject, test } from 'vitest'
import { type Api, admin, type Tenant } from '../support/api.js'
import { addSubject, invite, invitedTo, mailsOf, portalTenant, uninvite } from '../support/portal.js'

let tenant: Tenant
let platform: Api
beforeAll(async () => {
  tenant = await portalTenant(inject('baseUrl'))
  platform = await admin(inject('baseUrl'))
})
const mailsTo = async (recipients: readonly string[]) =>
  (await mailsOf(platform, tenant.tenantKey)).filter(({ recipient }) => recipients.includes(recipient))
const statuses = async (calls: Promise<{ status: number }>[]) => (await Promise.all(calls)).map(({ status }) => status)

test('the same people invited by many at once, in whatever order, are invited once and get one mail each', async () => {
  const subject = await addSubject(tenant)
  const emails = ['p', 'q', 'r', 's'].map(name => `${name}@once.example.org`)
  const calls = Array.from({ length: 12 }, (_, n) =>
    tenant.post(invite(subject), n % 2 ? emails : emails.toReversed().map(email => email.toUpperCase())),
  )
  expect(await statuses([...calls, ...calls.map(() => tenant.post(invite(subject)))])).toEqual(Array(24).fill(200))
  const invited = (await invitedTo(tenant, subject)).map(email => email.toLowerCase())
  expect(invited.sort()).toEqual([...emails, 'self'].sort())
  expect(await mailsTo([...emails, ...emails.map(email => email.toUpperCase())])).toHaveLength(4)
})

test('invitations of overlapping sets at once make their union', async () => {
  const subject = await addSubject(tenant)
  const name = (n: number) => `n${n % 10}@union.example.org`
  const sets = Array.from({ length: 10 }, (_, n) => [name(n + 2), name(n), name(n + 1)])
  expect(await statuses(sets.map(set => tenant.post(invite(subject), set)))).toEqual(Array(10).fill(200))
  const all = Array.from({ length: 10 }, (_, n) => name(n))
  expect((await invitedTo(tenant, subject)).sort()).toEqual(all)
  expect((await mailsTo(all)).map(({ recipient }) => recipient).sort()).toEqual(all)
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

test('an invitation and a removal at once both succeed and leave all or nobody', async () => {
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
