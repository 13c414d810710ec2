// Every id that an operation takes, of another tenant.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { sealForReader } from '../../db/audit/chain.js'
import { type Api, aKey, api } from '../support/api.js'
import { type ScriptedProvider, scriptedProvider } from '../support/data-sets.js'
import { openDatabase } from '../support/factories.js'
import { type FurnishedTenant, furnishedTenant, type Ids } from '../support/furnished-tenant.js'
import { type Place, placesOf, requestOf } from '../support/operation-requests.js'
import { isOfPlatform, type Operation, readOperations } from '../support/operations.js'
import { until } from '../support/until.js'

// Both tenants have one of everything. Each test sends a request that is valid but for one id, first with that of the other tenant, then
// with one that does not exist, and finds the same answer. Operations and their ids come from the description.

const described = await readOperations(inject('baseUrl'))
/** The key of a tenant is none where its caller may be anybody, or an administrator. */
const isForeign = (operation: Operation) => (place: Place) =>
  place.kind !== 'tenant' || (operation.scopes.length > 0 && !isOfPlatform(operation))
const cases = described.operations.flatMap(operation => {
  const places = placesOf(operation, described).filter(isForeign(operation))
  return places.map(place => [operation.operationId, `${place.in} ${place.at.join('/')}`, operation, place] as const)
})
// Those that create something with a key of the other tenant come last: from then on it is one of ours, too.
const creates = ({ method }: Operation, { in: part, at, kind }: Place) =>
  part === 'body' &&
  ((method === 'PUT' && at.at(-1) === 'Key') || kind === 'correlation' || at.includes('NewOrUpdatedDataPoints'))
cases.sort(([, , a, at], [, , b, on]) => Number(creates(a, at)) - Number(creates(b, on)))

const db = openDatabase()
let provider: ScriptedProvider
let ours: FurnishedTenant
let theirs: FurnishedTenant
let before: Record<string, string>
beforeAll(async () => {
  provider = await scriptedProvider()
  ours = await furnishedTenant(provider)
  theirs = await furnishedTenant(provider)
  const tenantId = await tenantIdOf(db, theirs.tenantKey)
  // Runs that what was furnished has begun.
  await until('the other tenant is at rest', async () => {
    // Else the retention does it at any time.
    await sealForReader(db, tenantId)
    const earlier = JSON.stringify(before)
    before = await everythingOf(theirs.tenantKey)
    await sleep(500)
    // Both come longer after their call than one look takes: words wait for their turn in the index, and the audit of reads is written by the second.
    const isIndexed = before.subject_word_marks === '[]'
    const isAudited = before.audit_events?.includes('getFormInstanceHistory')
    return isIndexed && isAudited && earlier === JSON.stringify(before)
  })
})
afterAll(() => provider?.stop())

/** Changes are moved from one of these to another when they get their numbers in the feeds, later. */
const numbered = ['events', 'event_feeds', 'events_unnumbered']

const tables: { name: string }[] = await db('information_schema.columns')
  .where({ table_schema: db.raw('DATABASE()'), column_name: 'tenant_id' })
  .whereNotIn('table_name', numbered)
  .select({ name: 'table_name' })

/** Reads all rows of a tenant, by table. */
async function everythingOf(tenantKey: string): Promise<Record<string, string>> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const rows = tables.map(async ({ name }) => [name, JSON.stringify(await db(name).where({ tenant_id }))])
  return Object.fromEntries(await Promise.all(rows))
}

/** Makes an id of this form that nobody has. */
const unknownLike = (id: string) => (/^[0-9a-f-]{36}$/.test(id) ? randomUUID() : aKey('unknown'))

/** Returns an answer without what differs in each: the id that was sent, other ids, traces, times, cursors, and how often a set was refreshed. */
const comparable = (text: string, id: string) =>
  text
    .replaceAll(id, '<id>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<uuid>')
    .replaceAll(/\b[0-9a-f]{32}\b/g, '<trace>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '<time>')
    .replaceAll(/"\w*cursor":"[^"]*"/gi, '"cursor"')
    .replaceAll(/"Generations":\{[^}]*\}/g, '"Generations"')

const callerOf = (operation: Operation): Api =>
  isOfPlatform(operation) ? ours.platform : operation.scopes.length > 0 ? ours.all : api(inject('baseUrl'), '')

async function answerTo(operation: Operation, place: Place, id: string) {
  // The client makes this one up anew for each instance.
  const ids: Ids = { ...ours.ids, instanceIdentifier: randomUUID() }
  const { method, path, body, headers } = requestOf(operation, described, ids, { place, id })
  const { status, body: answered } = await callerOf(operation).send(method, path, body, headers)
  return { id, status, answered, text: comparable(JSON.stringify(answered), id) }
}

test.each(cases)('%s: the %s of another tenant is as one that does not exist', async (_, __, operation, place) => {
  const foreign = theirs.ids[place.kind]
  if (foreign === ours.ids[place.kind]) return
  const there = await answerTo(operation, place, foreign)
  const none = await answerTo(operation, place, unknownLike(foreign))
  expect({ status: there.status, text: there.text }).toEqual({ status: none.status, text: none.text })
  expect(there.text, 'what they have').not.toContain(theirs.prefix)
  // Otherwise something else of the request was refused, and the id has not been looked at.
  const faults: { pointer: string; detail: string }[] = Object(none.answered).errors ?? []
  const name = place.at.findLast(step => typeof step === 'string') ?? '-'
  const isAboutId =
    none.status < 400 ||
    none.status === 404 ||
    faults.some(({ pointer, detail }) => new RegExp(`\\b${name}\\b`, 'i').test(pointer) || detail.includes(none.id)) ||
    (await answerTo(operation, place, ours.ids[place.kind])).status < 400
  expect(isAboutId, `the answer is about the id: ${none.status} ${none.text}`).toBe(true)
  if (operation.method !== 'GET') expect(await everythingOf(theirs.tenantKey)).toEqual(before)
})
