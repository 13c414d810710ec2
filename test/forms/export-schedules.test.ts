import type { Knex } from 'knex'
import pino from 'pino'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { reconcileSchedules } from '../../server/jobs/schedules.js'
import { exportScheduleId } from '../../workflows/forms/contracts.js'
import { exportJobs, filesIn } from '../support/exports.js'
import { formAsked } from '../support/extracts.js'
import { type FormsTenant, formsTenant } from '../support/forms.js'
import { aNote } from '../support/instances.js'
import { temporalClient } from '../support/jobs.js'

let db: Knex
let temporal: Awaited<ReturnType<typeof temporalClient>>
let tenant: FormsTenant
beforeAll(async () => {
  db = connect(inject('databaseUrl'), { poolSize: 1 })
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  tenant = await formsTenant()
  await tenant.publish(aNote())
})
afterAll(async () => {
  await temporal?.close()
  await db?.destroy()
})

const anExport = (key: string, time: object) => ({
  key,
  destination: 'directory',
  definitions: [formAsked('small')],
  ...time,
})

/** What the API processes do every 15 s; they may do so at the same moment. */
async function manifest(...exports: object[]): Promise<void> {
  await tenant.change({ forms: { exports } })
  await reconcileSchedules(db, temporal.client, pino({ level: 'silent' }))
}

const schedule = (exportKey: string) =>
  temporal.client.schedule.getHandle(exportScheduleId({ tenantKey: tenant.tenantKey, exportKey }))

const described = (exportKey: string) =>
  schedule(exportKey)
    .describe()
    .catch(() => undefined)

test('each export of a manifest has a schedule of its rhythm, which changes and goes with the manifest', async () => {
  const vienna = { dailyAt: '02:30', timeZone: 'Europe/Vienna' }
  await manifest(anExport('hourly', { every: 3600 }), anExport('nightly', vienna))
  const day = 86_400_000
  expect(await described('hourly')).toMatchObject({
    spec: { intervals: [{ every: 3_600_000 }] },
    policies: { overlap: 'SKIP', catchupWindow: day },
    action: { workflowType: 'scheduledExport', args: [{ tenantKey: tenant.tenantKey, exportKey: 'hourly' }] },
  })
  const nightly = await described('nightly')
  expect(nightly).toMatchObject({
    spec: { timezone: 'Europe/Vienna' },
    policies: { overlap: 'SKIP', catchupWindow: day },
  })
  const [first, second] = nightly?.info.nextActionTimes ?? []
  const timeThere = (time?: Date) => time?.toLocaleTimeString('en-GB', { timeZone: 'Europe/Vienna' })
  expect([timeThere(first), timeThere(second)]).toEqual(['02:30:00', '02:30:00'])

  await manifest(anExport('hourly', { every: 7200 }), anExport('nightly', { dailyAt: '02:30' }))
  expect(await described('hourly')).toMatchObject({ spec: { intervals: [{ every: 7_200_000 }] } })
  expect((await described('nightly'))?.info.nextActionTimes[0]?.toISOString()).toContain('T02:30:00')

  await manifest(anExport('hourly', { every: 7200 }))
  expect(await described('hourly')).toBeDefined()
  expect(await described('nightly')).toBeUndefined()
})

test('an operator triggers a schedule, and sees the job', async () => {
  await manifest(anExport('triggered', { every: 31_536_000 }))
  await schedule('triggered').trigger()
  const job = async () => (await exportJobs(tenant)).at(0)
  await expect
    .poll(job, { timeout: 30_000 })
    .toMatchObject({ status: 'Completed', actor: 'schedule', input: { export: 'triggered' } })
  const done = await job()
  expect(done && (await filesIn(inject('exportDir'), done)).size).toBe(3)
})
