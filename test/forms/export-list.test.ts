// Scheduled exports of forms are listed with how far they are, and paused.
import { expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { attentionOf } from '../support/attention.js'
import { runExport } from '../support/exports.js'
import { aTemplate, formAsked, formsTenant, openDatabase } from '../support/factories.js'
import { openTemporal } from '../support/jobs.js'

const db = openDatabase()
const temporal = await openTemporal()
const anExport = (key: string, more: object) => ({
  key,
  destination: 'directory',
  definitions: [formAsked('visit')],
  ...more,
})
const path = '/api/v1/formExport'

test('exports are listed with rhythm, instant and newest job', async () => {
  const tenant = await formsTenant({
    exports: [anExport('hourly', { every: 3_600 }), anExport('nightly', { dailyAt: '02:30', mode: 'incremental' })],
  })
  await tenant.publish(aTemplate())
  const nightly = {
    Key: 'nightly',
    Destination: 'directory',
    Mode: 'incremental',
    DailyAt: '02:30',
    TimeZone: 'UTC',
    Instant: null,
  }
  const hourly = { Key: 'hourly', Destination: 'directory', Mode: 'full', EverySeconds: 3_600 }
  expect((await tenant.forms.get(path)).body).toEqual([{ ...hourly, Instant: null }, nightly])
  const job = await runExport(temporal, tenant, 'hourly')
  expect((await tenant.forms.get(path)).body).toEqual([
    {
      ...hourly,
      Instant: job.input.instant,
      LastJob: { JobId: job.jobId, Status: 'Completed', FinishedAt: job.finishedAt },
    },
    nightly,
  ])
})

test('one that is paused is not begun by its schedule, and is not late; one that nobody has does not exist', async () => {
  const tenant = await formsTenant({ exports: [anExport('hourly', { every: 3_600 })] })
  await tenant.publish(aTemplate())
  const first = await runExport(temporal, tenant, 'hourly')
  const id = await tenantIdOf(db, tenant.tenantKey)
  await db('form_exports')
    .where({ tenant_id: id })
    .update({ instant: new Date(Date.now() - 10 * 3_600_000) })
  expect(await attentionOf(tenant.tenantKey)).toMatchObject([{ kind: 'export', subject: 'hourly' }])
  const paused = async () => (await tenant.forms.get<{ PausedAt?: string }[]>(path)).body[0]?.PausedAt
  expect((await tenant.forms.post(`${path}/hourly/pause`)).status).toBe(204)
  const since = await paused()
  expect((await tenant.forms.post(`${path}/hourly/pause`)).status).toBe(204)
  expect([await paused(), typeof since]).toEqual([since, 'string'])
  expect(await attentionOf(tenant.tenantKey)).toEqual([])
  expect((await runExport(temporal, tenant, 'hourly')).jobId).toBe(first.jobId)
  expect((await tenant.forms.post(`${path}/hourly/resume`)).status).toBe(204)
  expect(await paused()).toBeUndefined()
  expect((await runExport(temporal, tenant, 'hourly')).jobId).not.toBe(first.jobId)
  expect((await tenant.forms.post(`${path}/nightly/pause`)).status).toBe(404)
})
