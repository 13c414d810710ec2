// What the subject portal refuses.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import type { Api, Problem, Reply, Tenant } from '../support/api.js'
import { addSubject, portalSettings, portalTenant } from '../support/factories.js'
import { invalid, refusal } from '../support/frame.js'
import { demoSubjects } from '../support/manifest.js'
import { invite, invitedTo, uninvite, users } from '../support/portal.js'

const tenant = await portalTenant(inject('baseUrl'))

describe('refusals', () => {
  const permissions = ['View', 'Create', 'Delete'].map(action => `${action}:SubjectAccessInvite`)

  let other: Tenant
  let subject: string
  let theirs: string
  const allowed = new Map<string, Api>()
  const denied = new Map<string, Api>()
  beforeAll(async () => {
    other = await portalTenant(inject('baseUrl'))
    const made = await tenant.clients([
      ...permissions.map(permission => [permission]),
      ...permissions.map(permission => permissions.filter(each => each !== permission)),
    ])
    for (const [n, permission] of permissions.entries()) {
      allowed.set(permission, made[n] as Api)
      denied.set(permission, made[n + permissions.length] as Api)
    }
    subject = await addSubject(tenant)
    theirs = await addSubject(other)
    await tenant.post(invite(subject))
    await tenant.post(invite(subject), ['here@example.org'])
  })
  const there = ['self', 'here@example.org']

  /** The five calls, and the permission of each. */
  const calls: [string, string, (client: Api, id: string) => Promise<Reply>][] = [
    ['the list', 'View:SubjectAccessInvite', (client, id) => client.get(users(id))],
    ['an invitation of the subject', 'Create:SubjectAccessInvite', (client, id) => client.post(invite(id))],
    [
      'an invitation of others',
      'Create:SubjectAccessInvite',
      (client, id) => client.post(invite(id), ['new@example.org']),
    ],
    ['a removal of the subject', 'Delete:SubjectAccessInvite', (client, id) => client.delete(uninvite(id))],
    [
      'a removal of others',
      'Delete:SubjectAccessInvite',
      (client, id) => client.delete(uninvite(id, 'here@example.org')),
    ],
  ]

  test.each(calls)('%s needs %s, and nothing else', async (_, permission, call) => {
    const subjectId = await addSubject(tenant)
    const refused = await call(denied.get(permission) as Api, subject)
    expect(refusal(refused)).toEqual({ status: 403, code: 'forbidden', errors: [] })
    expect((refused.body as Problem).detail).toContain(permission)
    expect(await invitedTo(tenant, subject)).toEqual(there)
    expect((await call(allowed.get(permission) as Api, subjectId)).status).toBe(200)
  })

  test.each(calls)(
    '%s of a subject that is not there, or another tenant’s, is 404; an id that is no guid 400',
    async (_, __, call) => {
      for (const id of [crypto.randomUUID(), theirs, theirs.toUpperCase()]) {
        expect(refusal(await call(tenant, id))).toEqual({ status: 404, code: 'not-found', errors: [] })
      }
      for (const id of ['x', 'ä'.repeat(36), `${subject} `]) {
        expect(refusal(await call(tenant, encodeURIComponent(id)))).toEqual(invalid('wrong-format /path/subjectId'))
      }
      expect(await invitedTo(other, theirs)).toEqual([])
    },
  )

  test('a caller without the permission learns nothing else: 403 comes before 404, and 404 before 409', async () => {
    const closed = await portalTenant(inject('baseUrl'), { selfAccess: false, thirdParty: false })
    const [nobody] = await closed.clients([[]])
    for (const [, , call] of calls) {
      expect(refusal(await call(nobody as Api, crypto.randomUUID()))).toMatchObject({ status: 403 })
      expect(refusal(await call(closed, crypto.randomUUID()))).toMatchObject({ status: 404 })
    }
  })

  describe('a portal that is not, or not all, enabled', () => {
    let closing: Tenant
    let id: string
    beforeAll(async () => {
      closing = await portalTenant(inject('baseUrl'))
      id = await addSubject(closing)
      await closing.post(invite(id))
      await closing.post(invite(id), ['here@example.org'])
    })
    const conflict = (code: string) => ({ status: 409, code, errors: [] })

    const states: [string, object, (string | undefined)[]][] = [
      ['neither access', { selfAccess: false, thirdParty: false }, Array(5).fill('portal-not-configured')],
      [
        'only third parties',
        { selfAccess: false, thirdParty: true },
        [undefined, 'self-access-not-enabled', undefined, 'self-access-not-enabled', undefined],
      ],
      [
        'only self access',
        { selfAccess: true, thirdParty: false },
        [undefined, undefined, 'third-party-access-not-enabled', undefined, 'third-party-access-not-enabled'],
      ],
    ]
    test.each(states)('with %s, what is not enabled is 409 and changes nothing', async (_, access, expected) => {
      await closing.change(portalSettings(access))
      const answers = []
      for (const [, , call] of calls) answers.push(await call(closing, id))
      for (const [n, code] of expected.entries()) {
        const answer = answers[n] as Reply
        if (code) expect(refusal(answer)).toEqual(conflict(code))
        else expect(answer.status).toBe(200)
      }
      await closing.change(portalSettings({}))
      const invited = await invitedTo(closing, id)
      if (expected[3]) expect(invited).toContain('self')
      if (expected[4]) expect(invited).toContain('here@example.org')
      if (expected[2]) expect(invited).not.toContain('new@example.org')
      await closing.post(invite(id))
      await closing.post(invite(id), ['here@example.org'])
      await closing.delete(uninvite(id, 'new@example.org'))
    })

    test('a tenant whose manifest says nothing of a portal has none', async () => {
      await closing.change({ subjects: { ...demoSubjects, portal: undefined } })
      for (const [, , call] of calls)
        expect(refusal(await call(closing, id))).toEqual(conflict('portal-not-configured'))
    })
  })

  describe('a subject without the values that the invitation needs', () => {
    let own: Tenant
    beforeAll(async () => {
      own = await portalTenant(inject('baseUrl'))
    })
    const lacking = (...keys: string[]) => ({
      status: 409,
      code: 'portal-values-missing',
      errors: keys.map(key => `missing-value /CustomFieldValues/${key}`),
    })
    const blank = { String: { Value: ' ' } }

    const cases: [string, object, object, string[], string[]][] = [
      ['one of them', {}, { email: null }, ['email'], ['email']],
      ['all of them', {}, { email: null, dateOfBirth: null }, ['email', 'dateOfBirth'], ['email', 'dateOfBirth']],
      ['a blank is no value', {}, { email: blank }, ['email'], ['email']],
      ['the e-mail address is needed by the subject itself', { matchingFields: [] }, { email: null }, ['email'], []],
      [
        'the e-mail address besides others',
        { matchingFields: ['phone'] },
        { email: null },
        ['phone', 'email'],
        ['phone'],
      ],
    ]
    test.each(cases)('%s: 409 names every field, and nobody is invited', async (_, portal, values, self, others) => {
      await own.change(portalSettings(portal))
      const id = await addSubject(own, values as Record<string, object | null>)
      expect(refusal(await own.post(invite(id)))).toEqual(lacking(...self))
      const third = await own.post(invite(id), ['a@example.org'])
      if (others.length > 0) expect(refusal(third)).toEqual(lacking(...others))
      else expect(third.status).toBe(200)
      expect(await invitedTo(own, id)).toEqual(others.length > 0 ? [] : ['a@example.org'])
    })

    test('people invited before can still be listed and removed', async () => {
      const id = await addSubject(tenant)
      await tenant.post(invite(id))
      await tenant.post(invite(id), ['a@example.org'])
      const gone = [
        { Key: 'email', Value: null },
        { Key: 'dateOfBirth', Value: null },
      ]
      expect((await tenant.send('PATCH', `/api/v2/subject/${id}`, gone)).status).toBe(200)
      expect(refusal(await tenant.post(invite(id)))).toEqual(lacking('email', 'dateOfBirth'))
      expect(refusal(await tenant.post(invite(id), ['a@example.org']))).toEqual(lacking('email', 'dateOfBirth'))
      expect(await invitedTo(tenant, id)).toEqual(['self', 'a@example.org'])
      expect((await tenant.delete(uninvite(id))).status).toBe(200)
      expect((await tenant.delete(uninvite(id, 'a@example.org'))).status).toBe(200)
      expect(await invitedTo(tenant, id)).toEqual([])
    })
  })

  const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}`
  const bodies: [string, unknown, string[]][] = [
    ['no list', { emails: ['a@b.org'] }, ['wrong-type ']],
    ['a text', '"a@b.org"', ['wrong-type ']],
    ['no texts', ['a@b.org', 7, null], ['wrong-type /1 #1', 'wrong-type /2 #2']],
    [
      'no e-mails',
      ['a@b.org', '', 'b', 'a b@c.org', '@c.org', 'a@', 'a@b@c.org', ' a@b.org', 'a@b.org ', 'ä@b.org'],
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map(n => `wrong-format /${n} #${n}`),
    ],
    ['a line break between quotes', ['"a\r\nBcc: x"@b.org'], ['wrong-format /0 #0']],
    ['255 characters', [`${long}.${'e'.repeat(255 - long.length - 1)}`], ['too-long /0 #0']],
    [
      'the same twice',
      ['a@b.org', 'c@d.org', 'A@b.ORG', 'a@b.org'],
      ['duplicate-email /2 #2', 'duplicate-email /3 #3'],
    ],
    ['more than 1,000', Array.from({ length: 1001 }, (_, n) => `a${n}@b.org`), ['too-many ']],
  ]
  test.each(bodies)('a body with %s is 400, names every fault, and invites nobody', async (_, body, errors) => {
    const answer = await tenant.post(invite(subject), body)
    expect(refusal(answer)).toEqual(invalid(...errors.map(error => error.trim())))
    expect(await invitedTo(tenant, subject)).toEqual(there)
  })

  test('an e-mail of 254 characters is one', async () => {
    const id = await addSubject(tenant)
    const email = `${long}.${'e'.repeat(254 - long.length - 1)}`
    expect((await tenant.post(invite(id), [email])).status).toBe(200)
    expect(await invitedTo(tenant, id)).toEqual([email])
  })

  test('a body of another content type is 415', async () => {
    const answer = await tenant.post(invite(subject), 'a@b.org', { 'content-type': 'text/plain' })
    expect(refusal(answer)).toEqual({ status: 415, code: 'content-type', errors: [] })
  })

  test('a removal with bad e-mails is 400, names every one, and removes nobody', async () => {
    const answer = await tenant.delete(uninvite(subject, 'here@example.org', 'x', 'HERE@example.org', ''))
    const at = '/query/thirdPartyUserEmails'
    expect(refusal(answer)).toEqual(invalid(`wrong-format ${at}/1`, `wrong-format ${at}/3`))
    const double = await tenant.delete(uninvite(subject, 'here@example.org', 'HERE@example.org'))
    expect(refusal(double)).toEqual(invalid(`duplicate-email ${at}/1`))
    const unknown = await tenant.delete(`${invite(subject)}?emails=here@example.org`)
    expect(refusal(unknown)).toEqual(invalid('unknown-parameter /query/emails'))
    expect(await invitedTo(tenant, subject)).toEqual(there)
  })

  test('a refusal repeats no e-mail address', async () => {
    const answers = [
      await tenant.post(invite(subject), ['a@b.org', 'A@b.org']),
      await tenant.post(invite(subject), ['not an@address.org']),
      await tenant.delete(uninvite(subject, 'not an@address.org')),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(400)
      expect(JSON.stringify(body)).not.toMatch(/@|b\.org|address\.org/)
    }
  })
})
