// Lists of portal users.
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { addSubject, portalTenant } from '../support/factories.js'
import { invalid, list, refusal } from '../support/frame.js'
import { invite, type PortalPage, users } from '../support/portal.js'

const tenant = await portalTenant(inject('baseUrl'))

describe('the list of portal users', () => {
  /** In the order of invitation; the subject itself is the fourth. Letter case does not order. */
  const emails = [
    'Delta@example.org',
    'alpha@example.org',
    'echo@example.org',
    'Bravo@example.org',
    'foxtrot@example.org',
  ]
  const self = 'charlie@example.org'
  const invited = [...emails.slice(0, 3), self, ...emails.slice(3)]

  let subject: string
  beforeAll(async () => {
    subject = await addSubject(tenant, { email: { String: { Value: self } } })
    await tenant.post(invite(subject), emails.slice(0, 3))
    await tenant.post(invite(subject))
    await tenant.post(invite(subject), emails.slice(3))
  })

  const page = async (query: Record<string, string>) => (await tenant.get<PortalPage>(list(users(subject), query))).body
  const emailsOf = ({ edges }: PortalPage) => edges.map(({ node }) => node.email)

  const byEmail = [...invited].sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))
  // The name of the subject itself is Ada Lovelace.
  const byName = [self, ...emails.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))]

  const orders: [Record<string, string>, string[]][] = [
    [{}, invited],
    [{ OrderBy: 'InvitedAt', OrderDirection: 'Descending' }, invited.toReversed()],
    [{ orderby: 'email' }, byEmail],
    [{ OrderBy: 'Email', OrderDirection: 'Descending' }, byEmail.toReversed()],
    [{ OrderBy: 'DisplayName' }, byName],
    [{ OrderBy: 'DisplayName', OrderDirection: 'Descending' }, byName.toReversed()],
  ]

  test.each(orders)('ordered by %o, whole and page by page, forwards and backwards', async (order, expected) => {
    expect(emailsOf(await page(order))).toEqual(expected)

    const forwards: string[] = []
    let after: Record<string, string> = {}
    for (let more = true; more; ) {
      const { pageInfo, ...rest } = await page({ ...order, first: '2', ...after })
      expect(pageInfo).toMatchObject({ totalCount: 6, hasPreviousPage: forwards.length > 0 })
      forwards.push(...emailsOf({ pageInfo, ...rest }))
      after = { after: pageInfo.endCursor }
      more = pageInfo.hasNextPage
    }
    expect(forwards).toEqual(expected)

    const backwards: string[] = []
    let before: Record<string, string> = {}
    for (let more = true; more; ) {
      const { pageInfo, ...rest } = await page({ ...order, Last: '4', ...before })
      expect(pageInfo).toMatchObject({ totalCount: 6, hasNextPage: backwards.length > 0 })
      backwards.unshift(...emailsOf({ pageInfo, ...rest }))
      before = { Before: pageInfo.startCursor }
      more = pageInfo.hasPreviousPage
    }
    expect(backwards).toEqual(expected)
  })

  test('20 without First and Last', async () => {
    const own = await addSubject(tenant)
    await tenant.post(
      invite(own),
      Array.from({ length: 25 }, (_, n) => `a${n}@example.org`),
    )
    const { body } = await tenant.get<PortalPage>(users(own))
    expect(body.edges).toHaveLength(20)
    expect(body.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false, totalCount: 25 })
  })

  const bad: [Record<string, string>, ReturnType<typeof invalid> | { code: string }][] = [
    [{ First: '0' }, invalid('out-of-range /query/First')],
    [{ First: '1', Last: '1' }, invalid('first-and-last /query/Last')],
    [{ OrderBy: 'Phone' }, invalid('unknown-value /query/OrderBy')],
    [{ SearchTerm: 'a' }, invalid('unknown-parameter /query/SearchTerm')],
    [{ After: 'x' }, { code: 'foreign-cursor' }],
  ]
  test.each(bad)('%o is 400', async (query, expected) => {
    expect(refusal(await tenant.get(list(users(subject), query)))).toMatchObject({ status: 400, ...expected })
  })

  test('a cursor is refused with another subject or order', async () => {
    const { pageInfo } = await page({ First: '1' })
    const other = await addSubject(tenant)
    const foreign = await tenant.get(list(users(other), { After: pageInfo.endCursor }))
    expect(refusal(foreign)).toMatchObject({ status: 400, code: 'foreign-cursor' })
    const reordered = await tenant.get(list(users(subject), { After: pageInfo.endCursor, OrderBy: 'Email' }))
    expect(refusal(reordered)).toMatchObject({ status: 400, code: 'foreign-cursor' })
  })
})
