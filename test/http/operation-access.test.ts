// Who may call each operation, as the description says.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { platformRoles, tenantRoles } from '../../runtime/secrets/roles.js'
import { scopes as allScopes } from '../../runtime/secrets/scopes.js'
import { type Api, api, newTenant, type Tenant } from '../support/api.js'
import { type ScriptedProvider, scriptedProvider } from '../support/data-sets.js'
import { type FurnishedTenant, furnishedTenant } from '../support/furnished-tenant.js'
import { requestOf } from '../support/operation-requests.js'
import { isOfPlatform, type Operation, readOperations } from '../support/operations.js'

// Operations, and what they need, come from the description: a new one is tested without being named here.

const described = await readOperations(inject('baseUrl'))
/** Those of the platform come last, because what they write may take away what the clients of the tenant are allowed. */
const guarded = described.operations
  .filter(({ scopes }) => scopes.length > 0)
  // Keys belong to all tenants of the stack: test/admin/armature.test.ts rotates them.
  .filter(({ operationId }) => operationId !== 'rotateSigningKeys')
  .sort((a, b) => Number(isOfPlatform(a)) - Number(isOfPlatform(b)))
const everyPermission = [...new Set(guarded.flatMap(({ permissions }) => permissions.flat()))]
const tenantScopes = allScopes.filter(scope => scope !== 'PlatformAdmin')

let provider: ScriptedProvider
let tenant: FurnishedTenant
let platform: Tenant
const clients = new Map<string, Api>()

test('each operation of the platform needs a permission', () => {
  const open = guarded.filter(operation => isOfPlatform(operation) && operation.permissions.length === 0)
  expect(open.map(({ operationId }) => operationId)).toEqual([])
})

test('each permission of a role is one that an operation needs', () => {
  const named = [tenantRoles, platformRoles].flatMap(Object.values).flatMap(({ permissions }) => permissions)
  // Payloads are opened for the Temporal UI, by a protocol of its own.
  const known = new Set([...described.operations.flatMap(({ permissions }) => permissions.flat()), 'Open:Payload'])
  expect(named.filter(each => !each.includes('*') && !known.has(each))).toEqual([])
})

const nameOf = (scopes: readonly string[], permissions: readonly string[]) =>
  `${[...scopes].sort().join(' ')}: ${[...permissions].sort().join(' ')}`
/** The client with exactly these scopes and permissions. */
function clientWith(scopes: readonly string[], permissions: readonly string[]): Api {
  const client = clients.get(nameOf(scopes, permissions))
  if (!client) throw new Error(`No client was made with ${nameOf(scopes, permissions)}`)
  return client
}
const without = (all: readonly string[], some: readonly string[]) => all.filter(each => !some.includes(each))

/** The clients that an operation is called by. */
const lackingPermission = ({ scopes, permissions }: Operation) =>
  permissions.map((any): readonly [string[], string[]] => [scopes, without(everyPermission, any)])
const lackingScope = ({ scopes }: Operation) => [without(tenantScopes, scopes), everyPermission] as const
/** Whether any token will do. */
const takesAnyScope = ({ scopes }: Operation) => tenantScopes.every(each => scopes.includes(each))
const sufficient = ({ scopes, clientScope, permissions }: Operation) =>
  scopes.map((scope): readonly [string[], string[]] => [
    [...new Set([scope, clientScope ?? scope])],
    permissions.flat(),
  ])

beforeAll(async () => {
  provider = await scriptedProvider()
  tenant = await furnishedTenant(provider)
  platform = await newTenant(inject('baseUrl'))
  const wanted = new Map<string, readonly [readonly string[], readonly string[]]>()
  for (const operation of guarded) {
    const lacking = takesAnyScope(operation) ? [] : [lackingScope(operation)]
    for (const each of [...lacking, ...lackingPermission(operation), ...sufficient(operation)])
      wanted.set(nameOf(...each), each)
  }
  const byScopes = Map.groupBy(wanted.values(), ([scopes]) => [...scopes].sort().join(' '))
  for (const [names, those] of byScopes) {
    const scopes = names.split(' ')
    // Those of the platform are in another tenant, whose manifest they do not change.
    const home = scopes.includes('PlatformAdmin') ? platform : tenant
    // Twenty at a time: more secrets are not checked at once.
    for (let from = 0; from < those.length; from += 20) {
      const some = those.slice(from, from + 20)
      const added = await home.clients(
        some.map(([, permissions]) => [...permissions]),
        scopes,
      )
      for (const [n, client] of added.entries()) clients.set(nameOf(scopes, some[n]?.[1] ?? []), client)
    }
  }
})
afterAll(() => provider?.stop())

/** Calls an operation with a valid request. @returns the status, the code of a problem, and its text. */
async function answerTo(operation: Operation, caller: Api, otherBody?: string) {
  const { method, path, body, headers } = requestOf(operation, described, tenant.ids)
  const answer = await caller.send(method, path, otherBody ?? body, headers)
  const { type = '', detail = '' }: { type?: string; detail?: string } = Object(answer.body)
  return { status: answer.status, code: type.replace('/problems/', ''), detail, body: answer.body }
}

const cases = guarded.map(operation => [operation.operationId, operation] as const)

test.each(cases)('%s refuses a stranger', async (_, operation) => {
  const status = '401' in operation.problems ? 401 : 403
  expect(await answerTo(operation, api(inject('baseUrl'), ''))).toMatchObject({ status })
})

const ofScopes = cases.filter(([, operation]) => !takesAnyScope(operation))
test.each(ofScopes)('%s refuses a client that has every scope but those that it takes', async (_, operation) => {
  const answer = await answerTo(operation, clientWith(...lackingScope(operation)))
  // Providers of data are told the same whatever their tokens lack.
  const refused = operation.problems[403]?.includes('insufficient-scope')
    ? { status: 403, code: 'insufficient-scope' }
    : { status: 401, code: 'unauthenticated' }
  expect(answer).toMatchObject(refused)
  if (refused.status === 403) for (const scope of operation.scopes) expect(answer.detail).toContain(scope)
})

test.each(cases.filter(([, { permissions }]) => permissions.length > 0))(
  '%s refuses a client that has every permission but the one that it needs, and names that',
  async (_, operation) => {
    for (const [n, client] of lackingPermission(operation).entries()) {
      const answer = await answerTo(operation, clientWith(...client))
      expect(answer).toMatchObject({ status: 403, code: 'forbidden' })
      for (const permission of operation.permissions[n] ?? []) expect(answer.detail).toContain(permission)
      if (operation.body?.type !== 'application/json') continue
      const malformed = await answerTo(operation, clientWith(...client), '{')
      expect(malformed, 'before the body is looked at').toMatchObject({ status: 403, code: 'forbidden' })
    }
  },
)

test.each(cases)('%s takes a client that has what the description says, and nothing else', async (_, operation) => {
  for (const client of sufficient(operation)) {
    const answer = await answerTo(operation, clientWith(...client))
    expect([401, 403], JSON.stringify(answer.body)).not.toContain(answer.status)
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
  }
})
