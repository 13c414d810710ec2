// The payload codec.
import type { Payload, SerializationContext } from '@temporalio/common'
import { describe, expect, it, test } from 'vitest'
import { keyId } from '../../runtime/secrets/encryption-keys.js'
import { CannotOpen, createPayloadCodec } from '../../runtime/temporal/payload-codec.js'

const [key, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const codec = createPayloadCodec({ current: key, old: [] })
const payload: Payload = {
  metadata: { encoding: Buffer.from('json/plain'), messageType: Buffer.from('m') },
  data: Buffer.from('{"name":"Ada"}'),
}
const ofWorkflow = (workflowId: string): SerializationContext => ({
  type: 'workflow',
  namespace: 'default',
  workflowId,
})
const ofActivity = (ids: { workflowId?: string; activityId?: string }): SerializationContext => ({
  type: 'activity',
  namespace: 'default',
  isLocal: false,
  ...ids,
})

async function sealed(context: SerializationContext | undefined = ofWorkflow('demo/kind/1'), by = codec) {
  const [only] = await by.encode([payload], context)
  if (!only?.metadata || !only.data) throw new Error('nothing was sealed')
  return { metadata: only.metadata, data: Buffer.from(only.data) }
}
const opened = async (given: Payload, by = codec) => (await by.decode([given]))[0]
const keyOf = (given: Payload) => String(given.metadata?.['encryption-key-id'])
/** As texts, whatever class of bytes the parts are of. */
const texts = (given: Payload | undefined) => ({
  metadata: Object.fromEntries(Object.entries(given?.metadata ?? {}).map(([name, it]) => [name, `${Buffer.from(it)}`])),
  data: String(Buffer.from(given?.data ?? [])),
})

test("Temporal's own word for a cancelled activity passes, and no other text that is not sealed", async () => {
  const text = (data: string): Payload => ({
    metadata: { encoding: Buffer.from('json/plain') },
    data: Buffer.from(data),
  })
  const own = text('"ACTIVITY_ID_NOT_STARTED"')
  const context = ofWorkflow('demo/kind/1')
  expect(await codec.decode([own], context)).toEqual([own])
  await expect(codec.decode([text('"ACTIVITY_ID_STARTED"')], context)).rejects.toThrow('not sealed')
})

describe('a sealed payload', () => {
  it('is opened again whole, and shows neither its data nor its metadata', async () => {
    const one = await sealed()
    expect(texts(await opened(one))).toEqual(texts(payload))
    expect(Object.keys(one.metadata)).toEqual(['encoding', 'encryption-key-id', 'encryption-workflow-id'])
    expect(String(one.metadata.encoding)).toBe('binary/encrypted')
    for (const text of ['Ada', 'json/plain', 'messageType']) expect(one.data.includes(text)).toBe(false)
    expect(await sealed()).not.toEqual(one)
  })

  it('may be empty, or large', async () => {
    for (const given of [{}, { data: Buffer.alloc(0) }, { metadata: {}, data: Buffer.alloc(2_000_000, 'x') }]) {
      const all = await codec.encode([given, payload], ofWorkflow('demo/kind/1'))
      expect((await codec.decode(all)).map(texts)).toEqual([given, payload].map(texts))
    }
    expect(await codec.encode([], undefined)).toEqual([])
  })

  it.each([
    ['a workflow’s, by the first part of its id', ofWorkflow('demo/kind/1'), '/demo'],
    ['an activity’s of a workflow', ofActivity({ workflowId: 'other-1/kind/1', activityId: '1' }), '/other-1'],
    ['an activity’s without a workflow', ofActivity({ workflowId: '', activityId: 'demo/validateToken/1' }), '/demo'],
    ['a workflow’s of no tenant', ofWorkflow('temporal-sys-scheduler'), ''],
    ['of a workflow whose id has no tenant in it', ofWorkflow('/kind/1'), ''],
    ['of an activity that is known by its token', undefined, ''],
  ])('%s, names key and tenant', async (_, context, tenant) => {
    const one = await codec.encode([payload], context)
    expect(one.map(keyOf)).toEqual([`${keyId(key)}${tenant}`])
    expect((await codec.decode(one)).map(texts)).toEqual([texts(payload)])
  })

  it('that was changed in any byte is refused', async () => {
    const one = await sealed()
    for (let at = 0; at < one.data.length; at++) {
      const data = Buffer.from(one.data)
      data[at] = (data[at] ?? 0) ^ 1
      await expect(opened({ ...one, data })).rejects.toThrow(CannotOpen)
    }
    for (const data of [Buffer.alloc(0), one.data.subarray(0, 20), one.data.subarray(0, -1)]) {
      await expect(opened({ ...one, data })).rejects.toThrow(/^A sealed payload does not open with its key .*\.$/)
    }
  })

  it.each(['/other', '/Demo', '', '/demo/x'])('of a tenant is refused under the key %j', async tenant => {
    const one = await sealed()
    const swapped = { ...one.metadata, 'encryption-key-id': Buffer.from(`${keyId(key)}${tenant}`) }
    await expect(opened({ ...one, metadata: swapped })).rejects.toThrow('it was changed or is damaged')
  })

  it('of an unknown key is refused in a sentence that names both keys', async () => {
    const foreign = await sealed(undefined, createPayloadCodec({ current: other, old: [] }))
    const sentence = `ENCRYPTION_KEY is not the key that sealed this payload: it was sealed with key ${keyId(other)}, this process has key ${keyId(key)}.`
    await expect(opened(foreign)).rejects.toThrow(new CannotOpen(sentence))
    const nameless = { ...foreign, metadata: { encoding: Buffer.from('binary/encrypted') } }
    await expect(opened(nameless)).rejects.toThrow('it was sealed with key of no name')
  })
})

test('payloads that are not ours pass unchanged', async () => {
  const foreign: Payload[] = [payload, {}, { metadata: { encoding: Buffer.from('binary/null') } }, { data: key }]
  for (const one of foreign) expect(await opened(one)).toBe(one)
})

test('after a change of the key, what the old one sealed is still opened, and the new one seals', async () => {
  const rotated = createPayloadCodec({ current: other, old: [key] })
  expect(texts(await opened(await sealed(), rotated))).toEqual(texts(payload))
  const fresh = await sealed(ofWorkflow('demo/kind/1'), rotated)
  expect(keyOf(fresh)).toBe(`${keyId(other)}/demo`)
  await expect(opened(fresh)).rejects.toThrow(CannotOpen)
})

describe('in a run', () => {
  const run = ofWorkflow('demo/kind/1')
  const open = (given: Payload, context: SerializationContext) => codec.decode([given], context)

  test('a payload that is not sealed for the run is refused', async () => {
    for (const context of [
      run,
      ofActivity({ workflowId: 'demo/kind/1', activityId: '1' }),
      ofActivity({ activityId: 'demo/a/1' }),
    ]) {
      await expect(open(payload, context)).rejects.toThrow(CannotOpen)
    }
    const [withoutOwner] = await codec.encode([payload], undefined)
    if (!withoutOwner) throw new Error('nothing was sealed')
    await expect(open(withoutOwner, run)).rejects.toThrow(CannotOpen)
  })

  test('a refused payload ends the run, while a missing key is waited for', async () => {
    const told: string[] = []
    const refused = ({ message }: Error) => void told.push(message)
    const worker = createPayloadCodec({ current: key, old: [] }, { refused })
    const one = await sealed(run)
    const last = (one.data.at(-1) ?? 0) ^ 1
    const damaged = { ...one, data: Buffer.concat([one.data.subarray(0, -1), Buffer.from([last])]) }
    const ofAnActivity = ofActivity({ workflowId: 'demo/kind/1', activityId: '1' })
    for (const given of [payload, await sealed(ofWorkflow('demo/kind/2')), damaged]) {
      for (const context of [run, ofAnActivity]) {
        const [marked] = await worker.decode([given], context)
        expect(JSON.parse(texts(marked).data)).toEqual({ 'armature-refused': told.at(-1) })
      }
    }
    expect(told).toHaveLength(6)
    const foreign = await sealed(run, createPayloadCodec({ current: other, old: [] }))
    await expect(worker.decode([foreign], run)).rejects.toThrow(CannotOpen)
  })

  test('what was sealed for another run is refused, and nobody can rename it', async () => {
    const one = await sealed(run)
    expect((await open(one, run)).map(texts)).toEqual([texts(payload)])
    // The next run of a schedule is given the result of the last.
    const ofSchedule = (time: string) => ofWorkflow(`demo/kind/1-2026-11-23T${time}Z`)
    const last = await sealed(ofSchedule('02:00:00'))
    for (const given of [one, last])
      expect((await open(given, ofSchedule('02:05:00'))).map(texts)).toEqual([texts(payload)])
    for (const id of ['demo/kind/2', 'other/kind/1', 'demo/kind/1-2']) {
      await expect(open(one, ofWorkflow(id))).rejects.toThrow(CannotOpen)
      const renamed = { ...one, metadata: { ...one.metadata, 'encryption-workflow-id': Buffer.from(id) } }
      await expect(open(renamed, ofWorkflow(id))).rejects.toThrow(CannotOpen)
    }
  })
})
