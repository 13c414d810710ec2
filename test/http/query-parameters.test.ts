// Query parameters.
import { hash } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import { Problem as Refusal } from '../../runtime/problems/problem.js'
import { listing } from '../../server/paging.js'
import { newTenant, type Problem } from '../support/api.js'

const tenant = await newTenant(inject('baseUrl'))

const faultsOf = async (query: string) => {
  const { status, body } = await tenant.get<Problem>(`/api/v1/jobs?${query}`)
  return [status, body.errors?.map(({ code, pointer }) => `${code} ${pointer}`)]
}

test.each([
  ['colour=red', 'unknown-parameter /query/colour'],
  ['a%2Fb~c=1', 'unknown-parameter /query/a~1b~0c'],
  ['__proto__=1', 'unknown-parameter /query/__proto__'],
  ['First=1&first=2', 'duplicate-parameter /query/First'],
  ['First=', 'wrong-type /query/First'],
  ['First=ten', 'wrong-type /query/First'],
  ['First=1.5', 'wrong-type /query/First'],
  ['First=0', 'out-of-range /query/First'],
  ['First=-1', 'out-of-range /query/First'],
  ['First=0x10', 'wrong-type /query/First'],
  ['First=1e3', 'wrong-type /query/First'],
  ['First=1&Last=1', 'first-and-last /query/Last'],
  ['OrderBy=Colour', 'unknown-value /query/OrderBy'],
  ['OrderBy=constructor', 'unknown-value /query/OrderBy'],
  ['OrderDirection=up', 'unknown-value /query/OrderDirection'],
  ['Status=Completed&Status=Lost', 'unknown-value /query/Status/1'],
  ['AcceptedFrom=yesterday', 'wrong-format /query/AcceptedFrom'],
  ['AcceptedFrom=2024-02-30T00:00:00Z', 'wrong-format /query/AcceptedFrom'],
  ['AcceptedFrom=2016-12-31T23:59:60Z', 'wrong-format /query/AcceptedFrom'],
  ['AcceptedFrom=2024-02-29T00:00:00', 'wrong-format /query/AcceptedFrom'],
])('%s is 400: %s', async (query, fault) => {
  expect(await faultsOf(query)).toEqual([400, [fault]])
})

test('every fault is told at once', async () => {
  expect(await faultsOf('First=0&Kind=x&colour=red')).toEqual([
    400,
    ['unknown-parameter /query/colour', 'unknown-value /query/Kind/0', 'out-of-range /query/First'],
  ])
})

test.each(['first=5&ORDERBY=acceptedat&orderdirection=DESCENDING', 'First=1001', 'First=99999999999999999999'])(
  '%s is accepted',
  async query => {
    expect((await tenant.get(`/api/v1/jobs?${query}`)).body).toMatchObject({ Edges: [] })
  },
)

describe('a cursor that was made by hand, with the right mark', () => {
  const orders = { Key: 'k' }
  const scope = ['things', 7]
  const forged = (place: string) => {
    const encoded = Buffer.from(place).toString('base64url')
    const list = JSON.stringify([scope, 'k', false])
    return `${encoded}.${hash('sha256', `${list}\n${encoded}`, 'base64url').slice(0, 16)}`
  }

  test('is a place when it says one', () => {
    expect(listing({ After: forged('["a","b"]') }, orders, scope).request.after).toEqual({ sort: 'a', key: 'b' })
  })

  test.each([
    '',
    'x',
    '{}',
    '7',
    'null',
    '[]',
    '["a"]',
    '["a",7]',
    '["a",{"k":1}]',
    '[null,"a"]',
    '[["a"],"b"]',
    '[{"k":1},"b"]',
  ])('is refused when it says %s', place => {
    const read = () => listing({ After: forged(place) }, orders, scope)
    expect(read).toThrow(Refusal)
    expect(read).toThrow('After is not a cursor of this list with this filter and order.')
  })
})
