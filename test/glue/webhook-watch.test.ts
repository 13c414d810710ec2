// The watch of the feeds, which tells runs of webhooks that there is something to send.
import type { Client } from '@temporalio/client'
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import pino from 'pino'
import { afterAll, expect, inject, test } from 'vitest'
import { webhookActivities } from '../../activities/platform/webhooks.js'
import { dueWebhooks } from '../../db/glue/webhooks.js'
import { callsOf } from '../../runtime/temporal/calls.js'
import { newTenant } from '../support/api.js'
import { addPerson, openDatabase } from '../support/factories.js'
import { openTemporal } from '../support/jobs.js'
import { demoSubjects } from '../support/manifest.js'
import { allowedServer } from '../support/provider.js'
import { until } from '../support/until.js'

const db = openDatabase()
const client = await openTemporal()
const receiver = await allowedServer()
afterAll(() => receiver.stop())

test('a webhook whose run cannot be told does not keep the others from it, and is told later', async () => {
  // Nothing is ever answered, so that the events wait.
  receiver.answer(() => undefined)
  const keys = await Promise.all(
    ['one', 'two'].map(async () => {
      const secrets = [{ name: 'signing', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }]
      const webhooks = [{ key: 'hook', url: receiver.url, events: ['subject.created'], secrets: ['signing'] }]
      const tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects, glue: { secrets, webhooks } })
      await addPerson(tenant, 'ada')
      return tenant.tenantKey
    }),
  )
  const isDue = (due: { tenant_key: string }[]) => keys.every(key => due.some(each => each.tenant_key === key))
  await until('both have something to send', async () => isDue(await dueWebhooks(db)))

  let refused = 0
  let answered = 0
  const call = callsOf(client)
  const temporal = () => ({
    call: async <T>(work: (client: Client) => Promise<T>) => {
      if (refused++ === 0) throw new Error('no answer')
      const answer = await call(work)
      answered++
      return answer
    },
  })
  const logger = new DefaultLogger('ERROR')
  const environment = new MockActivityEnvironment(undefined, { logger })
  const { watchFeeds } = webhookActivities({ db, log: pino({ level: 'silent' }), temporal })
  const watch = environment.run(watchFeeds)
  const ended = watch.then(
    () => 'ended',
    () => 'failed',
  )
  const told = until('both are told', async () => answered >= 2).then(() => 'told')
  expect(await Promise.race([ended, told])).toBe('told')
  environment.cancel()
  expect(await ended).toBe('failed')
})
