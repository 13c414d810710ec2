// Everything that can wait for a human is broken at once, and is on the console's page and in the gauge.
import { expect, inject, onTestFinished, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { attentionKinds } from '../../db/attention/attention.js'
import { newTenant } from '../support/api.js'
import { attentionGauge } from '../support/attention.js'
import { consoleOf } from '../support/console.js'
import { scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { addSubject, formAsked, openDatabase } from '../support/factories.js'
import { ended } from '../support/faults.js'
import { accessibilityFaults, show } from '../support/form-pages.js'
import { csv, imported } from '../support/imports.js'
import { storeJob } from '../support/jobs.js'
import { demoSubjects } from '../support/manifest.js'
import { invite } from '../support/portal.js'
import { unreliableProvider } from '../support/provider.js'

const db = openDatabase()

test('each kind is on the page and in the gauge within a minute', async () => {
  const tables = await scriptedProvider()
  onTestFinished(() => tables.stop())
  const glue = scriptedGlue(tables.url, { extracts: { vaccinations: {} } })
  const tenant = await newTenant(
    inject('baseUrl'),
    {},
    {
      subjects: demoSubjects,
      glue: {
        ...glue,
        providers: [...glue.providers, { key: 'one', url: 'https://provider.example' }],
        dataExtracts: glue.dataExtracts.map(extract => ({ ...extract, refreshSeconds: 86_400 })),
        secrets: [{ name: 's', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }],
        webhooks: [{ key: 'hook', url: tables.url, events: ['subject.erased'], secrets: ['s'] }],
      },
      forms: {
        exports: [{ key: 'warehouse', every: 3_600, destination: 'directory', definitions: [formAsked('visit')] }],
      },
    },
  )
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const longAgo = new Date(Date.now() - 7 * 86_400_000)
  const problem = { code: 'unexpected', status: 500, title: 'Unexpected', detail: 'It failed.', faults: [] }

  await storeJob(db, tenant_id, { status: 'Failed', finished_at: new Date(), problem: JSON.stringify(problem) })
  await storeJob(db, tenant_id, { status: 'Accepted', accepted_at: longAgo, started_at: longAgo })
  await db('data_sets').where({ tenant_id }).update({ as_of: longAgo })
  await db('form_exports').where({ tenant_id }).update({ instant: longAgo })
  await imported(tenant, csv('1001,Ada,Byron,31.02.1980,,,,'))
  await expect.poll(() => db('webhooks').where({ tenant_id }).update({ state: 'stopped' })).toBeGreaterThan(0)
  const provider = await unreliableProvider({ tenant: tenant_id })
  onTestFinished(() => provider.stop())
  await db('worker_heartbeats').insert({ worker: provider.process, queue: 'test', build: '', seen_at: new Date() })
  await provider.failsTimes(5)
  const invited = await tenant.post(invite(await addSubject(tenant)), ['ben@example.org'])
  await ended(tenant, invited.headers.get('location')?.split('/').at(-1) ?? '')
  await db('portal_mails').where({ tenant_id }).update({ state: 'failed', reason: 'SMTP 550 at RCPT TO' })

  const broken = performance.now()
  const each = attentionKinds.map(kind => `armature_attention{tenant="${tenant.tenantKey}",kind="${kind}"} 1`)
  await expect.poll(async () => (await attentionGauge(tenant.tenantKey)).sort()).toEqual(each.sort())
  const page = await consoleOf(tenant)
  await page.getByText(`${attentionKinds.length} things wait`).waitFor()
  expect(performance.now() - broken).toBeLessThan(60_000)
  await show(page, 'console-attention-drill')
  expect(await accessibilityFaults(page)).toEqual([])
})
