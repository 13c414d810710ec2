// Invitations to the subject portal, and their removal.
import { describe, expect, inject, test } from 'vitest'
import { addSubject, portalSettings, portalTenant } from '../support/factories.js'
import { send } from '../support/http.js'
import { invite, invitedTo, type PortalPage, uninvite, users } from '../support/portal.js'

const uuid = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/)
const text = (Value: string) => ({ String: { Value } })

const tenant = await portalTenant(inject('baseUrl'))

describe('invitation and removal', () => {
  test('a subject that nobody is invited for has an empty list, in lower-camel names', async () => {
    const subject = await addSubject(tenant)
    const answer = await tenant.get(users(subject))
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: '', endCursor: '', totalCount: 0 },
        edges: [],
      },
    ])
  })

  test('an invitation without a body invites the subject itself, one with e-mails invites these; both answer 200', async () => {
    const subject = await addSubject(tenant)
    const self = await tenant.post(invite(subject))
    expect([self.status, self.body]).toEqual([200, ''])
    const others = await tenant.post(invite(subject), ['Ben@Example.org', 'c.d+e@sub.example.org'])
    expect([others.status, others.body]).toEqual([200, ''])

    const { body } = await tenant.get<PortalPage>(users(subject))
    const cursors = body.edges.map(({ cursor }) => cursor)
    expect(body).toEqual({
      pageInfo: {
        hasNextPage: false,
        hasPreviousPage: false,
        startCursor: cursors[0],
        endCursor: cursors[2],
        totalCount: 3,
      },
      edges: [
        ['Ada Lovelace', 'ada@example.org', 'SelfAccess'],
        ['Ben@Example.org', 'Ben@Example.org', 'ThirdParty'],
        ['c.d+e@sub.example.org', 'c.d+e@sub.example.org', 'ThirdParty'],
      ].map(([displayName, email, inviteMethod], n) => ({
        node: { id: uuid, displayName, email, inviteMethod },
        cursor: cursors[n],
      })),
    })
    expect(new Set([...cursors, ...body.edges.map(({ node }) => node.id)]).size).toBe(6)
  })

  describe('what counts as an invitation of the subject itself', () => {
    const bodies: [string, Record<string, string>, string[]][] = [
      ['no body and no content type', {}, []],
      ['no body with a content type', { 'content-type': 'application/json' }, []],
      ['an empty body of length 0', { 'content-type': 'application/json', 'content-length': '0' }, []],
      ['an empty body in no chunk', { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }, []],
      ['an empty list of e-mails', { 'content-type': 'application/json' }, ['[]']],
      ['null', { 'content-type': 'application/json' }, ['null']],
    ]
    test.each(bodies)('%s', async (_, headers, body) => {
      const subject = await addSubject(tenant)
      const authorization = `Bearer ${tenant.token}`
      const asked = { method: 'POST', headers: { ...headers, authorization }, body }
      expect((await send(inject('baseUrl'), invite(subject), asked)).status).toBe(200)
      expect(await invitedTo(tenant, subject)).toEqual(['self'])
    })
  })

  test('inviting again changes nothing, in whatever letter case, and invites only who is new', async () => {
    const subject = await addSubject(tenant)
    await tenant.post(invite(subject), ['ben@example.org'])
    await tenant.post(invite(subject))
    const before = await tenant.get<PortalPage>(users(subject))
    expect((await tenant.post(invite(subject))).status).toBe(200)
    expect((await tenant.post(invite(subject), ['BEN@example.ORG'])).status).toBe(200)
    expect((await tenant.get(users(subject))).body).toEqual(before.body)

    expect((await tenant.post(invite(subject), ['new@example.org', 'Ben@example.org'])).status).toBe(200)
    const { body } = await tenant.get<PortalPage>(users(subject))
    expect(body.edges.slice(0, 2)).toEqual(before.body.edges)
    expect(body.edges.slice(2).map(({ node }) => node.email)).toEqual(['new@example.org'])
  })

  test('a removal removes the named e-mails in any letter case, and without any the subject itself', async () => {
    const subject = await addSubject(tenant)
    await tenant.post(invite(subject))
    await tenant.post(invite(subject), ['a@example.org', 'b@example.org', 'c@example.org'])

    const some = await tenant.delete(uninvite(subject, 'A@EXAMPLE.org', 'c@example.org'))
    expect([some.status, some.body]).toEqual([200, ''])
    expect(await invitedTo(tenant, subject)).toEqual(['self', 'b@example.org'])

    const self = await tenant.delete(uninvite(subject))
    expect([self.status, self.body]).toEqual([200, ''])
    expect(await invitedTo(tenant, subject)).toEqual(['b@example.org'])
  })

  test('removing somebody who is not invited is no fault, and removed people can be invited again', async () => {
    const subject = await addSubject(tenant)
    await tenant.post(invite(subject), ['a@example.org'])
    const [first] = (await tenant.get<PortalPage>(users(subject))).body.edges
    for (const _ of [1, 2]) {
      expect((await tenant.delete(uninvite(subject))).status).toBe(200)
      expect((await tenant.delete(uninvite(subject, 'a@example.org', 'never@example.org'))).status).toBe(200)
      expect(await invitedTo(tenant, subject)).toEqual([])
    }
    await tenant.post(invite(subject), ['a@example.org'])
    const [second] = (await tenant.get<PortalPage>(users(subject))).body.edges
    expect(second?.node).toMatchObject({ email: 'a@example.org' })
    expect(second?.node.id).not.toBe(first?.node.id)
  })

  test('names of parameters are taken in any letter case', async () => {
    const subject = await addSubject(tenant)
    await tenant.post(invite(subject), ['a@example.org'])
    const path = uninvite(subject, 'a@example.org').replace('thirdPartyUserEmails', 'ThirdPartyUSEREmails')
    expect((await tenant.delete(path)).status).toBe(200)
    expect(await invitedTo(tenant, subject)).toEqual([])
  })

  test('the subject itself appears by the values it has now: name from the fields of the settings, else its e-mail', async () => {
    const subject = await addSubject(tenant, { givenName: text(' Grace '), languages: [text('de'), text('en')] })
    await tenant.post(invite(subject))
    const self = async () => (await tenant.get<PortalPage>(users(subject))).body.edges[0]?.node
    const { id } = (await self()) ?? {}
    expect(await self()).toEqual({
      id,
      displayName: ' Grace  Lovelace',
      email: 'ada@example.org',
      inviteMethod: 'SelfAccess',
    })

    await tenant.send('PATCH', `/api/v2/subject/${subject}`, [
      { Key: 'familyName', Value: text('Hopper') },
      { Key: 'email', Value: text('grace@example.org') },
    ])
    await tenant.change(portalSettings({ displayNameFields: ['familyName', 'phone', 'languages'] }))
    expect(await self()).toMatchObject({ id, displayName: 'Hopper de en', email: 'grace@example.org' })
    await tenant.change(portalSettings({ displayNameFields: ['phone'] }))
    expect(await self()).toMatchObject({ id, displayName: 'grace@example.org' })
    await tenant.send('PATCH', `/api/v2/subject/${subject}`, [{ Key: 'email', Value: null }])
    expect(await self()).toMatchObject({ id, displayName: '', email: '' })
    await tenant.change(portalSettings({}))
  })

  test('people invited for one subject are not those of another', async () => {
    const first = await addSubject(tenant)
    await tenant.post(invite(first), ['a@example.org'])
    const subject = await addSubject(tenant)
    await tenant.post(invite(subject), ['a@example.org', 'b@example.org'])
    await tenant.delete(uninvite(subject, 'a@example.org'))
    expect([await invitedTo(tenant, first), await invitedTo(tenant, subject)]).toEqual([
      ['a@example.org'],
      ['b@example.org'],
    ])
  })
})
