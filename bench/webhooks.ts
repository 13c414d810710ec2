// Measures webhooks against bare HTTP calls to the receiver.
import { text } from 'node:stream/consumers'
import { tenantIdOf } from '../db/admin/tenants.js'
import { connect } from '../db/connect.js'
import { noteChanges } from '../db/frame/fields/subject-changes.js'
import { newId } from '../runtime/ids.js'
import { newTenant } from '../test/support/api.js'
import { addPerson, anEntity, aType } from '../test/support/factories.js'
import { acceptBulk, ended } from '../test/support/faults.js'
import { demoSubjects } from '../test/support/manifest.js'
import { allowedServer } from '../test/support/provider.js'
import type { Stack } from '../test/support/stack.js'
import { until } from '../test/support/until.js'
import { line, median, thousands } from './measure.js'

/** Measures the delay from the answer to a write until its event arrives, and the events per second of a burst. */
export async function benchWebhooks(stack: Stack, short: boolean): Promise<void> {
  console.log('Webhooks…')
  const arrivals: number[] = []
  let arrived = () => {}
  const receiver = await allowedServer(stack.providerPorts)
  receiver.answer(async (request, response) => {
    await text(request)
    response.writeHead(204).end()
    arrivals.push(performance.now())
    arrived()
  })
  const value = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const hook = { key: 'hook', url: receiver.url, events: ['subject.created'], secrets: ['s'] }
  const glue = { secrets: [{ name: 's', value }], webhooks: [hook] }
  const tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects, glue })
  const db = connect(stack.databaseUrl, { poolSize: 1 })
  try {
    const times: number[] = []
    for (let call = -10; call < (short ? 50 : 300); call++) {
      const before = arrivals.length
      const next = new Promise<void>(resolve => {
        arrived = resolve
      })
      await addPerson(tenant, `p${call}`)
      const committed = performance.now()
      await next
      if (call >= 0) times.push(Math.max(0, (arrivals[before] ?? 0) - committed))
    }
    const bare = async () => {
      const started = performance.now()
      await fetch(receiver.url, { method: 'POST', body: '{}' })
      return performance.now() - started
    }
    const floors: number[] = []
    for (let call = 0; call < 100; call++) floors.push(await bare())
    const [ours, floor] = [median(times), median(floors)]
    line(
      '  commit to receiver, p50',
      `${ours.toFixed(1)} ms`,
      `${floor.toFixed(1)} ms`,
      `+${(ours - floor).toFixed(1)} ms`,
      '≤ 60 ms',
    )

    const count = short ? 2_000 : 10_000
    const tenantId = await tenantIdOf(db, tenant.tenantKey)
    const burst = async (send: () => Promise<unknown>) => {
      const begun = performance.now()
      const before = arrivals.length
      await send()
      await until('the burst', async () => arrivals.length >= before + count)
      return (count * 1000) / ((arrivals.at(-1) ?? 0) - begun)
    }
    const changes = Array.from({ length: count }, () => ({ id: newId(), kind: 'created' as const }))
    const rate = await burst(() => db.transaction(trx => noteChanges(trx, tenantId, changes)))
    const rounds = Array.from({ length: 16 }, () => count / 16)
    const bareRate = await burst(() =>
      Promise.all(
        rounds.map(async calls => {
          for (let call = 0; call < calls; call++) await bare()
        }),
      ),
    )
    const ratio = `${(rate / bareRate).toFixed(2)}`
    line('  events a second', thousands(rate), thousands(bareRate), ratio, '≥ 500')

    const items = short ? 20_000 : 100_000
    const bulk = async (sections: object) => {
      const own = await newTenant(stack.baseUrl, {}, sections)
      await own.put('/api/v1/structureType', aType('unit'))
      const entities = Array.from({ length: items }, (_, n) => anEntity(`e${n}`))
      const { acceptedAt, finishedAt } = await ended(own, (await acceptBulk(own, entities)).jobId)
      return (items * 1000) / (Date.parse(finishedAt ?? '') - Date.parse(acceptedAt))
    }
    await bulk({})
    const without = await bulk({})
    const before = arrivals.length
    const written = await bulk({ glue: { ...glue, webhooks: [{ ...hook, events: ['entity.created'] }] } })
    await until('their events', async () => arrivals.length >= before + items, 600_000)
    const cost = (written / without).toFixed(2)
    line(
      '  entities of a bulk a second, with events',
      thousands(written),
      thousands(without),
      cost,
      'beside no webhook',
    )
  } finally {
    await Promise.all([receiver.stop(), db.destroy()])
  }
}
