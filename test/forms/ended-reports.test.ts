// Retention of reports that have ended.
import { expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { forgetReports } from '../../db/forms/exports/ended-reports.js'
import { type Cell, insertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'
import { newTenant } from '../support/api.js'
import { type ExportedResult, filesIn, linesOf, runExport } from '../support/exports.js'
import { extract, extractedIds } from '../support/extracts.js'
import { aNote, formAsked, formsTenant, openDatabase, whole } from '../support/factories.js'
import { patientOf } from '../support/instances.js'
import { forgetNow, openTemporal } from '../support/jobs.js'

const db = openDatabase()
const temporal = await openTemporal()

const forever = new Date('9999-12-31T00:00:00Z')
const daysAgo = (days: number): Date => new Date(Date.now() - days * 86_400_000)
const anExport = (key: string, definitions: object[]) => ({
  exports: [{ key, every: 31_536_000, mode: 'incremental', destination: 'directory', definitions }],
})

/** How many days ago reports have ended; 0: not at all. */
const ends = [40, 30, 20, 10, 5, 2, 0.5, 0]

/** A form and its building block, with reports of each as {@link ends} says. */
async function storeReports(tenant_id: number): Promise<void> {
  const by = { written_by: 'a', written_at: new Date() }
  const form = { form_key: 'visit', status: 'Production', title: 'Visit', classification: 'Observation', ...by }
  await db('form_templates').insert({ tenant_id, ...form, version: 1, definition: '{}' })
  await db('form_building_blocks').insert({ tenant_id, block_key: 'wounds', version: 1, definition: '{}' })
  const rows = ['visit', 'wounds'].flatMap((definition_key, is_block) =>
    ends.map((days): Record<string, Cell> => {
      const times = { submitted_at: daysAgo(50), counts_from: daysAgo(50) }
      const until = days === 0 ? forever : daysAgo(days)
      const definition = { tenant_id, is_block, definition_key, definition_version: 1 }
      const ids = { instance_id: newId(), version_id: newId(), subject_id: newId() }
      return { ...definition, ...times, counts_until: until, ...ids, submitted_by: 'a', correlation_id: null, bytes: 1 }
    }),
  )
  await insertRows(db, 'form_reports', Object.keys(rows[0] ?? {}), rows.map(Object.values))
}

/** How many days ago the reports that are left have ended, those of both definitions. */
async function endsLeft(tenant_id: number): Promise<number[][]> {
  const left = (definition_key: string): Promise<Date[]> =>
    db('form_reports').where({ tenant_id, definition_key }).orderBy('counts_until').pluck('counts_until')
  const daysOf = (end: Date) => (end > new Date() ? 0 : Math.round((Date.now() - end.getTime()) / 43_200_000) / 2)
  return Promise.all(['visit', 'wounds'].map(async key => (await left(key)).map(daysOf)))
}

/** Situations of a tenant: what it has when the retention comes. */
type Situation = (tenant_id: number) => Promise<unknown>

const extractAt =
  (days: number): Situation =>
  tenant_id =>
    db('form_extracts').insert({ tenant_id, job_id: newId(), instant: daysAgo(days), request: '{}' })

const exportOf =
  (export_key: string, reached: number | undefined, plan?: { instant: number; from?: number }): Situation =>
  async tenant_id => {
    const job_id = newId()
    const instant = reached === undefined ? null : daysAgo(reached)
    await db('form_exports').insert({ tenant_id, export_key, job_id, instant }).onConflict().merge()
    if (!plan) return
    const from = plan.from && daysAgo(plan.from)
    const text = JSON.stringify({ instant: daysAgo(plan.instant), from })
    await db('form_export_jobs').insert({ tenant_id, job_id, plan: text, files: '[]' })
  }

test.each<[name: string, situations: Situation[], left: number[]]>([
  ['no extract', [], [0.5, 0]],
  ['an extract of today', [extractAt(0)], [0.5, 0]],
  ['extracts that are kept', [extractAt(3), extractAt(15)], [10, 5, 2, 0.5, 0]],
  ['an export that goes on from an instant', [exportOf('feed', 25)], [20, 10, 5, 2, 0.5, 0]],
  ['an export that begins again with everything', [exportOf('feed', undefined)], [0.5, 0]],
  ['an export that is under way', [exportOf('feed', undefined, { instant: 4, from: 8 })], [5, 2, 0.5, 0]],
  ['a first export under way', [exportOf('feed', undefined, { instant: 15 })], [10, 5, 2, 0.5, 0]],
  ['an export that no manifest has any more, and its job is forgotten', [exportOf('gone', 35)], [0.5, 0]],
  [
    'an export that no manifest has any more, whose job is kept',
    [exportOf('gone', 35, { instant: 35 })],
    [30, 20, 10, 5, 2, 0.5, 0],
  ],
])('with %s, the reports that may still be shown are left', async (_, situations, left) => {
  const { tenantKey } = await newTenant(inject('baseUrl'), {}, { forms: anExport('feed', [formAsked('visit')]) })
  const tenant_id = await tenantIdOf(db, tenantKey)
  for (const situation of situations) await situation(tenant_id)
  await storeReports(tenant_id)
  await forgetReports(db, 86_400_000)
  expect(await endsLeft(tenant_id)).toEqual([left, left])
})

test('the retention changes neither kept extracts, nor the next increment, nor new extracts', async () => {
  const definitions = [formAsked('small')]
  const tenant = await formsTenant(anExport('feed', definitions))
  await tenant.publish(aNote())
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const patient = patientOf(tenant)
  const ids = (lines: readonly { instanceGuid: string }[]) => lines.map(({ instanceGuid }) => instanceGuid).toSorted()
  const exported = async () => {
    const job = await runExport(temporal, tenant, 'feed')
    const files = await filesIn(inject('exportDir'), job)
    const removed = job.input.mode === 'full' ? [] : linesOf<ExportedResult>(files, 'removed.ndjson.gz')
    return { mode: job.input.mode, has: ids(linesOf<ExportedResult>(files, 'small.ndjson.gz')), removed: ids(removed) }
  }
  /** As if all until now had happened three days earlier. */
  const age = async () => {
    for (const column of ['counts_from', 'counts_until'])
      await db.raw(
        `UPDATE form_reports SET ${column} = ${column} - INTERVAL 3 DAY WHERE tenant_id = ? AND ${column} < ?`,
        [tenant_id, forever],
      )
    for (const table of ['form_extracts', 'form_exports'])
      await db.raw(`UPDATE ${table} SET instant = instant - INTERVAL 3 DAY WHERE tenant_id = ?`, [tenant_id])
    await db('form_export_jobs').where({ tenant_id }).delete()
  }
  const reports = () => db('form_reports').where({ tenant_id, is_block: 0 }).count({ rows: '*' }).first()
  const submitted = async () => {
    const id = await patient.created()
    await patient.submit(id, whole)
    return id
  }
  const change = async (amended: string, withdrawn: string) => {
    await patient.amend(amended)
    expect((await patient.submit(amended, { ...whole, note: newId() }, '*')).status).toBe(200)
    await patient.withdraw(withdrawn)
  }

  const [a, b, c, d, e] = [
    await submitted(),
    await submitted(),
    await submitted(),
    await submitted(),
    await submitted(),
  ]
  await change(a, b)
  await age()
  const kept = await extract(tenant.forms, { definitions })
  const { headers } = kept
  expect(await exported()).toEqual({ mode: 'full', has: [a, c, d, e].toSorted(), removed: [] })
  await change(a, c)
  await age()
  await change(d, e)
  const result = () => tenant.forms.get(`${headers.get('location')}/result`)
  expect((await result()).body).toEqual(kept.body)
  // Five submissions, three amendments; two that had ended before the extract and the export.
  expect(await reports()).toEqual({ rows: 8 })
  await forgetNow(temporal)
  expect(await reports()).toEqual({ rows: 6 })

  expect((await result()).body).toEqual(kept.body)
  expect(await exported()).toEqual({ mode: 'incremental', has: [a, d].toSorted(), removed: [c, e].toSorted() })
  const now = async () => (await extractedIds(tenant.forms, { definitions })).flat().toSorted()
  expect(await now()).toEqual([a, d].toSorted())
  await patient.reinstate(b)
  expect(await now()).toEqual([a, b, d].toSorted())
})
