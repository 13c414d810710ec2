// The daily mail about what waits for a human.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { platformScheduleId } from '../../workflows/platform/contracts.js'
import { newTenant } from '../support/api.js'
import { storeJob, temporalClient } from '../support/jobs.js'
import { type MailServer, mailServer } from '../support/mail-server.js'
import { type Stack, startStack } from '../support/stack.js'
import { until } from '../support/until.js'

const recipient = 'operators@armature.example'

let mails: MailServer
let stack: Stack
beforeAll(async () => {
  mails = await mailServer()
  stack = await startStack({
    SMTP_URL: mails.url,
    SMTP_FROM: 'Armature <no-reply@armature.example>',
    ATTENTION_MAIL_TO: recipient,
  })
})
afterAll(async () => {
  await mails?.close()
  await stack?.stop()
})

test('a day on which nothing waits has no mail, and one on which something does has one, however long the mail server is away', async () => {
  const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  const schedule = client.schedule.getHandle(platformScheduleId('attentionMail'))
  /** Begins a run of the schedule. @returns its result, once there is one. */
  const begin = async () => {
    const taken = async () => (await schedule.describe()).info.numActionsTaken
    const before = await taken()
    await schedule.trigger('BUFFER_ONE')
    await until('it has begun', async () => (await taken()) > before)
    const [last] = (await schedule.describe()).info.recentActions.toReversed()
    if (!last) throw new Error('There is no run')
    return client.workflow.getHandle(last.action.workflow.workflowId, last.action.workflow.firstExecutionRunId)
  }
  await mails.open()
  expect(await (await begin()).result()).toEqual({ waiting: 0, isMailed: false })
  expect(mails.taken).toEqual([])

  const db = connect(stack.databaseUrl, { poolSize: 1 })
  const { tenantKey } = await newTenant(stack.baseUrl)
  const jobId = await storeJob(db, await tenantIdOf(db, tenantKey), {
    ...{ kind: 'singlePassDelivery', status: 'Failed', finished_at: new Date() },
  })
  await db.destroy()
  await mails.close()
  const run = await begin()
  await until('the server was asked in vain', async () => {
    const { raw } = await run.describe()
    return raw.pendingActivities?.some(({ attempt }) => (attempt ?? 0) > 1)
  })
  await mails.open()
  expect(await run.result()).toEqual({ waiting: 1, isMailed: true })
  const [mail, ...others] = mails.taken
  expect(others).toEqual([])
  expect(mail).toMatchObject({ recipient, headers: { subject: 'Armature: 1 thing waits for a human' } })
  for (const told of [`${tenantKey}: failed-job ${jobId}`, `${stack.baseUrl}/console/`])
    expect(mail?.body).toContain(told)
  await close()
})
