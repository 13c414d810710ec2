// Events of webhooks beside kills.
import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { admin, newTenant, type Reply } from '../../support/api.js'
import { addPerson, aNote, anEntity, aType, formsTenant, whole } from '../../support/factories.js'
import { type JobBody, kill } from '../../support/faults.js'
import { paths, put, readAll } from '../../support/frame.js'
import { aRequest, createPath, type InstanceBody, patientOf } from '../../support/instances.js'
import { demoSubjects } from '../../support/manifest.js'
import { allowedServer } from '../../support/provider.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const rounds = 40

test('while worker and API are killed, every event of every kind arrives, first in the order of its commits', async () => {
  const receiver = await allowedServer(stack.providerPorts)
  /** Types by subject of the event, each event once. */
  const received = new Map<string, string[]>()
  const seen = new Set<string>()
  receiver.answer(async (request, response) => {
    const { id, subject, type } = JSON.parse(await text(request))
    if (!seen.has(id)) received.set(subject, [...(received.get(subject) ?? []), type.replace('armature.', '')])
    seen.add(id)
    response.writeHead(204).end()
  })
  const tenant = await formsTenant({}, stack.baseUrl)
  await put(tenant, paths.types, aType('unit'))
  await tenant.publish(aNote())
  const value = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const kinds = [
    'subject.created',
    'subject.updated',
    'entity.created',
    'entity.updated',
    'entity.moved',
    'entity.deleted',
  ]
  const events = [...kinds, 'job.completed', 'job.failed', 'job.cancelled', 'form.created', 'form.completed']
  const webhooks = [{ key: 'hook', url: receiver.url, events, secrets: ['s'] }]
  await tenant.change({ glue: { secrets: [{ name: 's', value }], webhooks } })
  // It came before the webhook.
  const model = new Map<string, string[]>([[tenant.subjectId, ['subject.created']]])

  /** Sends until there is an answer of these; one that was lost may have been written. */
  const insist = <Body>(send: () => Promise<Reply<Body>>, ...others: number[]) =>
    until('the answer', async () => {
      const answer = await send().catch(() => undefined)
      return answer && (answer.status < 300 || others.includes(answer.status)) && answer
    })
  const patient = patientOf(tenant)
  const round = async (n: number) => {
    const upsert = (more: Record<string, string> = {}) =>
      until('the write', () => addPerson(tenant, `p${n}`, more).catch(() => undefined))
    const id = await upsert()
    await upsert({ email: `${n}@example.org` })
    model.set(id, ['subject.created', 'subject.updated'])

    const entity = `e${n}`
    const change = (more: object) => insist(() => tenant.put(paths.entities, anEntity(entity, more)))
    await change({})
    await change({ DisplayName: 'Other' })
    await change({ DisplayName: 'Other', ParentKey: n > 0 ? 'e0' : undefined })
    model.set(entity, ['entity.created', 'entity.updated', ...(n > 0 ? ['entity.moved'] : [])])
    if (n % 4 === 3) {
      await insist(() => tenant.delete(`${paths.entities}/${entity}`), 404)
      model.get(entity)?.push('entity.deleted')
    }
    const bulk = [
      anEntity(`b${n}`),
      anEntity(entity === 'e0' ? 'b' : entity, { DisplayName: 'Other', ParentKey: 'e0' }),
    ]
    const headers = { prefer: 'respond-async', 'idempotency-key': `bulk-${n}` }
    if (n % 4 !== 3) await insist(() => tenant.put<JobBody>(`${paths.entities}/bulk`, bulk, headers))

    const asked = aRequest(tenant.subjectId)
    const { body } = await insist(() => tenant.forms.post<InstanceBody>(createPath, asked))
    await insist(() => patient.submit(body.instanceGuid, whole, '*'), 409)
    model.set(body.instanceGuid, ['form.created', 'form.completed'])
  }
  const write = async () => {
    for (let n = 0; n < rounds; n++) await round(n)
  }
  const fire = async () => {
    for (const victim of [stack.worker, stack.api, stack.worker]) await kill(victim)
  }
  try {
    await Promise.all([write(), fire()])
    const jobs = await until('all jobs have ended', async () => {
      const all = await readAll<JobBody>(tenant, '/api/v1/jobs')
      return all.every(({ status }) => status === 'Completed') && all
    })
    for (const { jobId } of jobs) model.set(jobId, ['job.completed'])
    for (let n = 0; n < rounds; n++) if (n % 4 !== 3) model.set(`b${n}`, ['entity.created'])
    model.set('b', ['entity.created'])
    const count = [...model.values()].flat().length
    await until('all events', async () => seen.size >= count)
    expect(received).toEqual(model)
  } finally {
    await receiver.stop()
  }
})

test('a receiver that hangs is failing after ten seconds, and gets the event once it answers', async () => {
  const receiver = await allowedServer(stack.providerPorts)
  const open: ServerResponse[] = []
  let isWell = false
  receiver.answer(async (_, response) => {
    if (isWell) response.writeHead(204).end()
    else open.push(response)
  })
  const value = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const webhooks = [{ key: 'hook', url: receiver.url, events: ['subject.created'], secrets: ['s'] }]
  const glue = { secrets: [{ name: 's', value }], webhooks }
  const tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects, glue })
  const platform = await admin(stack.baseUrl)
  type State = { state: string; reason: string | null; deliveredAt: string | null }
  const shown = async () => (await platform.get<State[]>(`/admin/v1/tenants/${tenant.tenantKey}/webhooks`)).body[0]
  try {
    await addPerson(tenant, 'ada')
    const failing = await until('the failure', async () => {
      const webhook = await shown()
      return webhook?.state === 'failing' && webhook
    })
    expect(failing).toMatchObject({ reason: expect.stringContaining('took longer than 10 s'), deliveredAt: null })
    isWell = true
    await until('the event', async () => (await shown())?.state === 'active')
    expect(await shown()).toMatchObject({ reason: null, deliveredAt: expect.any(String) })
  } finally {
    for (const response of open) response.destroy()
    await receiver.stop()
  }
})
