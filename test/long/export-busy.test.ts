// Exports beside busy users.
import { expect, inject, test } from 'vitest'
import { forgetReports } from '../../db/forms/exports/ended-reports.js'
import { deleteJobs } from '../../db/jobs/jobs.js'
import { type ExportedResult, type ExportManifest, filesIn, linesOf, runExport, warehouse } from '../support/exports.js'
import { stopClock } from '../support/extract-history.js'
import { differencesOf, extractModel } from '../support/extract-model.js'
import { allAsked, judged, type Practice, people, practice } from '../support/extract-practice.js'
import { type ExtractBody, extract } from '../support/extracts.js'
import { openDatabase } from '../support/factories.js'
import { openTemporal } from '../support/jobs.js'

const db = openDatabase()
const temporal = await openTemporal()

async function aPractice(): Promise<Practice> {
  const tenant = await practice(db, { count: 120, textLength: 10 })
  const feed = { key: 'feed', every: 3600, mode: 'incremental', destination: 'directory', definitions: allAsked }
  await tenant.change({ forms: { exports: [feed] } })
  return tenant
}

/** The retention, pass by pass, with reports that have just ended. */
function forgetting() {
  let goesOn = true
  const passes = (async () => {
    while (goesOn) await forgetReports(db, 0)
  })()
  // Said by stop().
  passes.catch(() => undefined)
  return {
    stop(): Promise<void> {
      goesOn = false
      return passes
    },
  }
}

/** The results of an export as an extract answers them. */
function inOrder(results: readonly ExportedResult[]): ExtractBody {
  const ordered = results.toSorted(
    (a, b) =>
      Date.parse(b.submissionDateTime) - Date.parse(a.submissionDateTime) || (a.instanceGuid < b.instanceGuid ? -1 : 1),
  )
  return {
    results: allAsked.map(({ identifier, type }) => ({
      identifier,
      type,
      results: ordered.flatMap(({ identifier: own, type: _, ...result }) => (own === identifier ? [result] : [])),
    })),
  }
}

/** Times of changes that are instants of exports. */
async function changesAt(
  { tenantId }: Practice,
  instants: readonly string[],
): Promise<{ begun: number; ended: number }> {
  const times = instants.map(instant => new Date(instant))
  const count = async (column: string) =>
    (await db('form_reports').where({ tenant_id: tenantId }).whereIn(column, times).select('instance_id')).length
  return { begun: await count('counts_from'), ended: await count('counts_until') }
}

test.each([
  ['at any time', false],
  ['in the millisecond of the instant before, as the clock was set back', true],
])(
  'while people submit, amend, withdraw and reinstate %s, a full export and the increments after it have what counted at each instant',
  async (_, isStopped) => {
    const tenant = await aPractice()
    const store = warehouse()
    const had: { manifest: ExportManifest; results: ExportedResult[] }[] = []
    let removed = 0
    const exported = async () => {
      const job = await runExport(temporal, tenant, 'feed')
      expect(job).toMatchObject({ status: 'Completed' })
      const files = await filesIn(inject('exportDir'), job)
      const manifest = store.apply(files)
      if (manifest.mode === 'incremental') removed += linesOf(files, 'removed.ndjson.gz').length
      had.push({ manifest, results: store.results() })
    }

    await exported()
    if (isStopped) await stopClock({ db, tenant })
    const others = people(tenant, 3)
    const retention = forgetting()
    for (let n = 0; n < 4; n++) {
      const kept = await extract(tenant.forms, { definitions: allAsked })
      // The last increment begins after the extract.
      await exported()
      await exported()
      const again = await tenant.forms.get<ExtractBody>(`${kept.headers.get('location')}/result`)
      expect(judged(tenant, { ...again, headers: kept.headers })).toEqual([])
      const id = kept.headers.get('location')?.split('/').at(-1) ?? ''
      await db.transaction(trx => deleteJobs(trx, tenant.tenantId, [{ id, kind: 'multiExtract' }]))
    }
    await Promise.all([others.stop(), retention.stop()])
    await exported()
    const { body } = await extract(tenant.forms, { definitions: allAsked })

    expect(had.map(({ manifest }) => manifest.mode)).toEqual(['full', ...Array(9).fill('incremental')])
    for (const { manifest, results } of had) {
      const counted = extractModel(tenant.instances).answer({ definitions: allAsked }, Date.parse(manifest.instant))
      expect(differencesOf(inOrder(results), counted), manifest.instant).toEqual([])
    }
    expect(inOrder(store.results())).toEqual(body)
    expect(others.steps(), 'there was something to compare').toBeGreaterThan(50)
    expect(removed, 'something was removed').toBeGreaterThan(5)
    // The last increment began there, and goes on from the instant after it.
    const needed = new Date(had.at(-1)?.manifest.from ?? 0)
    await forgetReports(db, 0)
    const reports = () => db('form_reports').where({ tenant_id: tenant.tenantId })
    expect(await reports().where('counts_until', '<', isStopped ? new Date() : needed)).toEqual([])
    expect(await reports().where('counts_until', '>=', needed).first()).toBeDefined()
    if (!isStopped) return
    const { begun, ended } = await changesAt(
      tenant,
      had.map(({ manifest }) => manifest.instant),
    )
    expect(begun).toBeGreaterThan(50)
    expect(ended).toBeGreaterThan(20)
  },
  180_000,
)
