import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import type { Reply } from '../support/api.js'
import { refusal } from '../support/frame.js'
import { type InstanceBody, notesTenant, type Patient, storedOf, textsOf, whole } from '../support/instances.js'

let patient: Patient
const db = connect(inject('databaseUrl'), { poolSize: 1 })
beforeAll(async () => {
  ;({ patient } = await notesTenant())
})
afterAll(() => db.destroy())

/** A draft that has been seen, and its ETag. */
async function aDraft(): Promise<{ guid: string; etag: string }> {
  const guid = await patient.created()
  const { headers } = await patient.save(guid, { note: 'first' })
  return { guid, etag: headers.get('etag') ?? '' }
}

const refused = (reply: Reply) => ({ ...refusal(reply), etag: reply.headers.get('etag') })
const changed = (etag: string) => ({ status: 412, code: 'instance-changed', errors: [], etag })

test('of two editors who have seen the same draft the second is refused, told the ETag, and may read and save again', async () => {
  const { guid, etag } = await aDraft()
  const first = await patient.save(guid, { note: 'one' }, etag)
  const second = await patient.save(guid, { note: 'two' }, etag)
  const current = first.headers.get('etag') ?? ''
  expect(refused(second)).toEqual(changed(current))
  expect(second.body).toMatchObject({ detail: expect.stringContaining(current) })
  expect(textsOf(await patient.read(guid))).toEqual({ note: 'one', must: undefined })
  expect((await patient.save(guid, { note: 'two' }, current)).status).toBe(200)
})

test.each(['save', 'submit', 'discard', 'amend'] as const)('%s with an ETag that is passed is refused', async step => {
  const { guid, etag } = await aDraft()
  await patient.save(guid, whole, etag)
  const before = await storedOf(db, guid)
  const act = {
    save: () => patient.save(guid, whole, etag),
    submit: () => patient.submit(guid, whole, etag),
    discard: () => patient.discard(guid, etag),
    amend: () => patient.amend(guid, etag),
  }
  expect(refused(await act[step]())).toEqual(changed(await patient.etag(guid)))
  expect(await storedOf(db, guid)).toEqual(before)
})

test('who would overwrite a draft must say which one; who finds nothing to overwrite need not', async () => {
  const { guid, etag } = await aDraft()
  const before = await storedOf(db, guid)
  const unseen = { status: 428, code: 'if-match-required', errors: [], etag }
  expect(refused(await patient.save(guid, { note: 'blind' }))).toEqual(unseen)
  expect(refused(await patient.submit(guid, whole))).toEqual(unseen)
  expect(refused(await patient.discard(guid))).toEqual(unseen)
  expect(await storedOf(db, guid)).toEqual(before)
  expect((await patient.submit(guid, whole, etag)).status).toBe(200)
  expect((await patient.amend(guid)).status).toBe(200)
})

test.each<[ifMatch: (etag: string) => string, status: number]>([
  [etag => etag, 200],
  [() => '*', 200],
  [etag => `"77", ${etag}`, 200],
  [etag => `W/${etag}`, 412],
  [etag => etag.replaceAll('"', ''), 412],
  [() => '"no-etag-of-ours"', 412],
  [() => '"99999999999999999999"', 412],
])('If-Match is read as RFC 9110 has it: %o gives %i', async (ifMatch, status) => {
  const { guid, etag } = await aDraft()
  expect((await patient.save(guid, { note: 'again' }, ifMatch(etag))).status).toBe(status)
})

test('an ETag is the same until something changes, and every change gives another', async () => {
  const guid = await patient.created()
  const seen = [await patient.etag(guid), await patient.etag(guid)]
  expect(new Set(seen).size).toBe(1)
  const steps = [
    () => patient.save(guid, {}, '*'),
    () => patient.save(guid, {}, '*', '?autoSave=true'),
    () => patient.save(guid, {}, '*', '?autoSave=true'),
    () => patient.submit(guid, whole, '*'),
    () => patient.amend(guid),
    () => patient.discard(guid, '*'),
    () => patient.withdraw(guid),
    () => patient.reinstate(guid),
  ]
  for (const step of steps) {
    const { headers } = await step()
    expect(seen).not.toContain(headers.get('etag'))
    seen.push(headers.get('etag') ?? '')
    expect(await patient.etag(guid)).toBe(seen.at(-1))
  }
})

const many = 8
const atOnce = <Body>(work: () => Promise<Reply<Body>>) => Promise.all(Array.from({ length: many }, work))
const outcomes = (replies: Reply[]) =>
  replies.map(reply => (reply.status === 200 ? '200' : `${reply.status} ${refusal(reply).code}`)).sort()

test.each<[string, (guid: string, etag: string) => Promise<Reply<InstanceBody>>, string]>([
  ['submits with the same ETag', (guid, etag) => patient.submit(guid, whole, etag), '412 instance-changed'],
  ['submits of whatever there is', guid => patient.submit(guid, whole, '*'), '409 instance-is-complete'],
  ['saves with the same ETag', (guid, etag) => patient.save(guid, whole, etag), '412 instance-changed'],
])('of %s at once one is taken', async (_, step, refused) => {
  const { guid, etag } = await aDraft()
  expect(outcomes(await atOnce(() => step(guid, etag)))).toEqual(['200', ...Array(many - 1).fill(refused)])
  const { versions } = await storedOf(db, guid)
  expect(versions).toHaveLength(3)
})

test('of first saves at once one is taken, and the others are told that there is a draft now', async () => {
  const guid = await patient.created()
  const replies = await atOnce(() => patient.save(guid, { note: 'x' }))
  expect(outcomes(replies)).toEqual(['200', ...Array(many - 1).fill('428 if-match-required')])
})

test('of amends at once one is taken', async () => {
  const guid = await patient.created()
  await patient.submit(guid, whole)
  const replies = await atOnce(() => patient.amend(guid))
  expect(outcomes(replies)).toEqual(['200', ...Array(many - 1).fill('409 instance-is-draft')])
})

test('withdraws at once are one withdrawal, which all of them answer', async () => {
  const guid = await patient.created()
  let n = 0
  const replies = await atOnce(() => patient.withdraw(guid, `reason ${n++}`))
  expect(outcomes(replies)).toEqual(Array(many).fill('200'))
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect((await patient.history(guid)).body.withdrawalHistory).toEqual([replies[0]?.body])
})

test('a submit and a withdraw at once leave one state that the history explains', async () => {
  for (let round = 0; round < 5; round++) {
    const guid = await patient.created()
    const [submitted, withdrawn] = await Promise.all([patient.submit(guid, whole), patient.withdraw(guid)])
    expect(withdrawn.status).toBe(200)
    expect(outcomes([submitted])[0]).toMatch(/^(200|409 instance-withdrawn)$/)
    const status = submitted.status === 200 ? 'Complete' : 'New'
    expect((await patient.read(guid, '?includeWithdrawn=true')).body).toMatchObject({ status, isWithdrawn: true })
    const { body } = await patient.history(guid, '?includeWithdrawn=true')
    expect(body.compositeInstanceHistory.at(-1)?.status).toBe(status)
  }
})
