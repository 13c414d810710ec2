// Undelivered forms and failed exports wait for a human, and are in the gauge of the installation.
import { afterAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { armature } from '../support/armature.js'
import { attentionOf, attentionGauge as gauge } from '../support/attention.js'
import { runExport } from '../support/exports.js'
import { aSmallTemplate, aTemplate, formAsked, formsTenant, launchTenant, openDatabase } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { openTemporal } from '../support/jobs.js'
import { form, page, referenceOf } from '../support/launches.js'

const db = openDatabase()
const temporal = await openTemporal()
const forms = await launchTenant([aSmallTemplate([{ id: 'note', label: 'Note', required: true }])])
afterAll(() => forms.endpoint.stop())

async function sentForm() {
  const answer = await page(forms.path('small', 1), form(['note', 'x']))
  const { id } = await db('jobs')
    .where({ idempotency_key: referenceOf(answer) })
    .first('id')
  return ended(forms, id)
}

test('a form that was refused waits, in the list and in the gauge, until it is delivered or given up', async () => {
  forms.endpoint.answers(400)
  const [first, second] = [await sentForm(), await sentForm()]
  const row = {
    tenant: forms.tenantKey,
    kind: 'failed-job',
    subject: second.jobId,
    since: second.finishedAt,
    why: 'A job of the kind singlePassDelivery has failed. The receiver refuses the form.',
    nextStep: 'Remove the cause and retry the job, or cancel it if it is not wanted any more.',
    action: { method: 'POST', path: `/api/v1/jobs/${second.jobId}/retry` },
  }
  expect(await attentionOf(forms.tenantKey)).toMatchObject([row, { subject: first.jobId }])
  await expect
    .poll(() => gauge(forms.tenantKey), { timeout: 5_000 })
    .toEqual([`armature_attention{tenant="${forms.tenantKey}",kind="failed-job"} 2`])
  expect((await forms.post(`/api/v1/jobs/${first.jobId}/cancel`)).status).toBe(202)
  expect(await attentionOf(forms.tenantKey)).toEqual([row])
  forms.endpoint.answers(204)
  expect((await forms.post(row.action.path)).status).toBe(202)
  expect(await ended(forms, second.jobId)).toMatchObject({ status: 'Completed' })
  expect(await attentionOf(forms.tenantKey)).toEqual([])
  await expect.poll(() => gauge(forms.tenantKey), { timeout: 5_000 }).toEqual([])
})

test('each kind is in the gauge although nothing waits', async () => {
  for (const kind of ['failed-job', 'waiting-job', 'data-set', 'export', 'refused-rows', 'webhook', 'provider', 'mail'])
    expect(await gauge('')).toContain(`armature_attention{tenant="",kind="${kind}"} 0`)
})

test('an export that has failed, or is older than two of its rhythms, waits until it arrives', async () => {
  const nightly = {
    key: 'nightly',
    every: 3600,
    destination: 'directory',
    definitions: [formAsked('visit', { identifier: 'visits', buildingBlocks: [{ key: 'visit' }] })],
  }
  const tenant = await formsTenant({ exports: [nightly] })
  expect(await attentionOf(tenant.tenantKey)).toEqual([])
  const failed = await runExport(temporal, tenant, 'nightly')
  expect(failed).toMatchObject({ status: 'Failed', problem: { type: '/problems/export-not-published' } })
  expect(await attentionOf(tenant.tenantKey)).toMatchObject([
    {
      kind: 'export',
      subject: 'nightly',
      why: expect.stringMatching(/^The export 'nightly' did not arrive: its last job has failed\. /),
      action: { method: 'POST', path: `/api/v1/jobs/${failed.jobId}/retry` },
    },
  ])
  await tenant.publish(aTemplate())
  await tenant.post(`/api/v1/jobs/${failed.jobId}/retry`)
  expect(await ended(tenant, failed.jobId)).toMatchObject({ status: 'Completed' })
  expect(await attentionOf(tenant.tenantKey)).toEqual([])
  const id = await tenantIdOf(db, tenant.tenantKey)
  await db('form_exports')
    .where({ tenant_id: id })
    .update({ instant: new Date(Date.now() - 7_260_000) })
  expect(await attentionOf(tenant.tenantKey)).toMatchObject([{ kind: 'export', subject: 'nightly', action: null }])
  await tenant.change({ forms: {} })
  expect(await attentionOf(tenant.tenantKey)).toEqual([])
})

test('`armature today` shows each row with its reason and its next step', async () => {
  forms.endpoint.answers(400)
  const { jobId } = await sentForm()
  const shown = (...args: string[]) => armature(['today', '--tenant', forms.tenantKey, ...args])
  const table = await shown()
  expect(table).toMatchObject({ code: 0, stderr: '' })
  expect(table.stdout.split('\n').map(line => line.replace(/ +/g, ' '))).toEqual([
    'since tenant kind subject',
    `0 min ${forms.tenantKey} failed-job ${jobId}`,
    ' A job of the kind singlePassDelivery has failed. The receiver refuses the form.',
    ' Remove the cause and retry the job, or cancel it if it is not wanted any more.',
    ` POST /api/v1/jobs/${jobId}/retry`,
    '',
  ])
  expect(JSON.parse((await shown('--output', 'json')).stdout)).toMatchObject([{ subject: jobId }])
  expect((await shown('--kind', 'webhook')).stdout).toBe('Nothing waits for a human.\n')
  expect(await shown('--kind', 'webhok')).toMatchObject({ code: 2, stderr: expect.stringContaining('webhook') })
  await forms.post(`/api/v1/jobs/${jobId}/cancel`)
})
