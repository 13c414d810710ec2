// A receiver of webhooks that takes the call and never answers.
import { expect, inject, test } from 'vitest'
import { admin, newTenant } from '../support/api.js'
import { addPerson } from '../support/factories.js'
import { demoSubjects } from '../support/manifest.js'
import { allowedServer } from '../support/provider.js'
import { until } from '../support/until.js'

test('a receiver that hangs is failing with the reason, and gets its event once it answers', async () => {
  const receiver = await allowedServer()
  const arrived: string[] = []
  let hangs = true
  receiver.answer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (hangs) return
    arrived.push(JSON.parse(text).subject)
    response.writeHead(204).end()
  })
  const glue = {
    secrets: [{ name: 'signing', value: `whsec_${Buffer.alloc(32, 3).toString('base64')}` }],
    webhooks: [{ key: 'hook', url: `${receiver.url}/x`, events: ['subject.created'], secrets: ['signing'] }],
  }
  try {
    const tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects, glue })
    const platform = await admin(inject('baseUrl'))
    const path = `/admin/v1/tenants/${tenant.tenantKey}/webhooks`
    const id = await addPerson(tenant, 'hangs')
    const state = await until('the failure', async () => {
      const { body } = await platform.get<{ state: string; reason: string | null }[]>(path)
      return body[0]?.state === 'failing' ? body[0] : undefined
    })
    expect(state.reason).toContain('took longer than 10 s')
    hangs = false
    await platform.post(`${path}/hook/replay`, {})
    await until('the event', async () => arrived.length > 0)
    expect(new Set(arrived)).toEqual(new Set([id]))
  } finally {
    await receiver.stop()
  }
})
