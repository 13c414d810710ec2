// Events of webhooks beside kills.
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { newTenant } from '../../support/api.js'
import { addPerson } from '../../support/factories.js'
import { kill } from '../../support/faults.js'
import { demoSubjects } from '../../support/manifest.js'
import { allowedServer } from '../../support/provider.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const people = 40

test('while worker and API are killed, every event of every subject arrives, first in the order of its commits', async () => {
  const receiver = await allowedServer(stack.providerPorts)
  /** Types by subject, each event once. */
  const received = new Map<string, string[]>()
  const seen = new Set<string>()
  receiver.answer(async (request, response) => {
    const { id, subject, type } = JSON.parse(await text(request))
    if (!seen.has(id)) received.set(subject, [...(received.get(subject) ?? []), type])
    seen.add(id)
    response.writeHead(204).end()
  })
  const value = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const events = ['subject.created', 'subject.updated']
  const webhooks = [{ key: 'hook', url: receiver.url, events, secrets: ['s'] }]
  const glue = { secrets: [{ name: 's', value }], webhooks }
  const tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects, glue })
  const model = new Map<string, string[]>()
  const write = async () => {
    for (let n = 0; n < people; n++) {
      const upsert = (more: Record<string, string> = {}) =>
        until('the write', () => addPerson(tenant, `p${n}`, more).catch(() => undefined))
      const id = await upsert()
      await upsert({ email: `${n}@example.org` })
      model.set(id, ['armature.subject.created', 'armature.subject.updated'])
    }
  }
  const fire = async () => {
    for (const victim of [stack.worker, stack.api, stack.worker]) await kill(victim)
  }
  try {
    await Promise.all([write(), fire()])
    await until('all events', async () => seen.size >= people * 2)
    expect(received).toEqual(model)
  } finally {
    await receiver.stop()
  }
}, 300_000)
