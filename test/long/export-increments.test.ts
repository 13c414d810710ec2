// Incremental exports against an extract of everything.
import { MockActivityEnvironment } from '@temporalio/testing'
import { DefaultLogger } from '@temporalio/worker'
import pino from 'pino'
import { expect, inject, test } from 'vitest'
import { exportActivities } from '../../activities/forms/export.js'
import { connect } from '../../db/connect.js'
import { createPublishedForms } from '../../db/forms/templates/published-forms.js'
import { noReplicas } from '../../db/replicas.js'
import { directoryTarget } from '../../db/storage/directory.js'
import type { ExportTarget } from '../../db/storage/export-target.js'
import { unavailable } from '../../runtime/problems/problem.js'
import { createOutcomes } from '../../runtime/temporal/outcomes.js'
import {
  type ExportedResult,
  type ExportManifest,
  exportJobs,
  filesIn,
  linesOf,
  manifestOfExport,
  runExport,
  warehouse,
} from '../support/exports.js'
import { extract } from '../support/extracts.js'
import { aTemplate, blockAsked, type FormsTenant, formAsked, formsTenant } from '../support/factories.js'
import { patientOf } from '../support/instances.js'
import { openTemporal } from '../support/jobs.js'
import { randomOf } from '../support/random.js'

const temporal = await openTemporal()

const block = (key: string, control: object) => ({ key, sections: [{ id: 'only', controls: [control] }] })
/** A form whose second building block may have no data. */
const aVisit = aTemplate({
  buildingBlocks: [
    block('core', { id: 'note', label: 'Note', required: true }),
    block('extra', { id: 'more', label: 'More' }),
  ],
})
const definitions = [formAsked('visit'), blockAsked('core'), blockAsked('extra')]
const increments = (more: object = {}) => ({
  exports: [{ key: 'feed', every: 3600, mode: 'incremental', destination: 'directory', definitions, ...more }],
})

async function aTenant(): Promise<FormsTenant> {
  const tenant = await formsTenant(increments())
  await tenant.publish(aVisit)
  return tenant
}

async function exported(tenant: FormsTenant) {
  const job = await runExport(temporal, tenant, 'feed')
  expect(job).toMatchObject({ status: 'Completed' })
  return filesIn(inject('exportDir'), job)
}

const resultsIn = (ndjson: string): ExportedResult[] =>
  ndjson
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))

/** As sets are compared. */
const sorted = (results: readonly ExportedResult[]) => results.map(result => JSON.stringify(result)).sort()

/** Submits, amends, withdraws and reinstates at random, as a person's forms are. */
function clinic(tenant: FormsTenant, seed: number) {
  const { between } = randomOf(seed)
  const patient = patientOf(tenant)
  const instances: { id: string; isWithdrawn: boolean }[] = []
  const values = () => ({ note: `note ${between(0, 1000)}`, ...(between(0, 2) === 0 ? { more: 'some' } : {}) })
  return async () => {
    const one = instances[between(0, instances.length)]
    const what = between(0, 4)
    if (!one || what === 0) {
      const id = await patient.created({ formKey: 'visit' })
      expect((await patient.submit(id, values())).status).toBe(200)
      instances.push({ id, isWithdrawn: false })
    } else if (one.isWithdrawn || what === 1) {
      await (one.isWithdrawn ? patient.reinstate : patient.withdraw)(one.id)
      one.isWithdrawn = !one.isWithdrawn
    } else {
      await patient.amend(one.id)
      expect((await patient.submit(one.id, values(), '*')).status).toBe(200)
    }
  }
}

test('a full export and all increments after it together equal a full extract', async () => {
  const tenant = await aTenant()
  const step = clinic(tenant, 8)
  const store = warehouse()
  const manifests: ExportManifest[] = []
  let removed = 0
  // The first is of nothing, the last one of no change.
  for (const steps of [0, 10, 14, 10, 0]) {
    for (let n = 0; n < steps; n++) await step()
    const files = await exported(tenant)
    const manifest = store.apply(files)
    manifests.push(manifest)
    if (manifest.mode === 'incremental') removed += linesOf(files, 'removed.ndjson.gz').length
    const { body } = await extract(tenant.forms, { definitions }, { accept: 'application/x-ndjson' })
    expect(sorted(store.results())).toEqual(sorted(resultsIn(String(body))))
  }
  expect(manifests.map(({ mode }) => mode)).toEqual(['full', ...Array(4).fill('incremental')])
  expect(manifests[0]).toMatchObject({ fullBecause: 'first-export' })
  expect(manifests.at(-1)?.files.map(({ results }) => results)).toEqual([0, 0, 0, 0])
  expect(store.results().length, 'there was something to compare').toBeGreaterThan(5)
  expect(removed, 'something was removed').toBeGreaterThan(0)
})

test('an increment has nothing of what was submitted and withdrawn since the one before', async () => {
  const tenant = await aTenant()
  const patient = patientOf(tenant)
  await exported(tenant)
  const id = await patient.created({ formKey: 'visit' })
  await patient.submit(id, { note: 'a' })
  await patient.withdraw(id)
  const files = await exported(tenant)
  for (const name of ['visit', 'core', 'extra', 'removed'])
    expect(linesOf(files, `${name}.ndjson.gz`), name).toEqual([])
})

test('after other definitions, or to another destination, the next export is full and says why; then increments go on', async () => {
  const tenant = await aTenant()
  const store = warehouse()
  const next = async () => store.apply(await exported(tenant))
  await next()
  expect(await next()).toMatchObject({ mode: 'incremental' })
  await tenant.change({ forms: increments({ definitions: definitions.slice(1), every: 7200 }) })
  expect(await next()).toMatchObject({ mode: 'full', fullBecause: 'definitions-changed' })
  expect(await next()).toMatchObject({ mode: 'incremental' })

  const changed = { definitions: definitions.slice(1) }
  await tenant.change({ forms: increments({ ...changed, destination: 's3' }) })
  expect((await runExport(temporal, tenant, 'feed')).input).toMatchObject({
    mode: 'full',
    fullBecause: 'destination-changed',
  })
  await tenant.change({ forms: increments(changed) })
  expect(await next()).toMatchObject({ mode: 'full', fullBecause: 'destination-changed' })
  await tenant.change({ forms: increments({ ...changed, mode: 'full' }) })
  const whole = await next()
  expect([whole.mode, whole.fullBecause]).toEqual(['full', undefined])
  await tenant.change({ forms: increments(changed) })
  expect(await next()).toMatchObject({ mode: 'incremental', from: whole.instant })
})

test('after an export that was given up while its manifest was written, the next one is full and says why', async () => {
  const tenant = await aTenant()
  const place = { ...directoryTarget(inject('exportDir')), write: givesUp('manifest.json') }
  await exported(tenant)
  await interrupted(tenant, place)
  const [cancelled] = await exportJobs(tenant)
  expect((await tenant.post(`${cancelled?.links.self}/cancel`)).status).toBe(202)
  const store = warehouse()
  expect(store.apply(await exported(tenant))).toMatchObject({ mode: 'full', fullBecause: 'interrupted' })
  expect(store.apply(await exported(tenant))).toMatchObject({ mode: 'incremental' })
})

test('after an export that was cancelled when its manifest appeared, the next one is full and says why', async () => {
  const tenant = await aTenant()
  const step = clinic(tenant, 9)
  const store = warehouse()
  for (let n = 0; n < 6; n++) await step()
  store.apply(await exported(tenant))
  for (let n = 0; n < 6; n++) await step()
  const directory = directoryTarget(inject('exportDir'))
  const cancelling: ExportTarget = {
    ...directory,
    async write(folder, name, content) {
      await directory.write(folder, name, content)
      if (name !== 'manifest.json') return
      const [job] = await exportJobs(tenant)
      expect((await tenant.post(`${job?.links.self}/cancel`)).status).toBe(202)
    },
  }
  await interrupted(tenant, cancelling, 'job-cancelled')
  const [cancelled] = await exportJobs(tenant)
  if (!cancelled) throw new Error('There is no export')
  expect(cancelled.status).toBe('Cancelled')
  // Some who read have seen it, others have not.
  const early = store.apply(await filesIn(inject('exportDir'), cancelled))
  expect(early).toMatchObject({ mode: 'incremental', instant: cancelled.input.instant })
  for (let n = 0; n < 6; n++) await step()
  expect(store.apply(await exported(tenant))).toMatchObject({ mode: 'full', fullBecause: 'interrupted' })
  for (let n = 0; n < 6; n++) await step()
  expect(store.apply(await exported(tenant))).toMatchObject({ mode: 'incremental' })
  const { body } = await extract(tenant.forms, { definitions }, { accept: 'application/x-ndjson' })
  expect(sorted(store.results())).toEqual(sorted(resultsIn(String(body))))
})

test('an export that was given up does not continue after a later one has begun', async () => {
  const tenant = await aTenant()
  await exported(tenant)
  await interrupted(tenant, { ...directoryTarget(inject('exportDir')), write: givesUp('core.ndjson.gz') })
  const [cancelled] = await exportJobs(tenant)
  await tenant.post(`${cancelled?.links.self}/cancel`)
  const later = manifestOfExport(await exported(tenant))
  expect(later).toMatchObject({ mode: 'incremental', from: cancelled?.input.from })
  expect((await tenant.post(`${cancelled?.links.self}/retry`)).status).toBe(202)
  const failed = async () => (await exportJobs(tenant)).find(({ jobId }) => jobId === cancelled?.jobId)
  await expect
    .poll(failed, { timeout: 20_000 })
    .toMatchObject({ status: 'Failed', problem: { type: '/problems/export-superseded' } })
})

/** Takes files, but for this one. */
const givesUp = (refused: string) => async (_: string, name: string, content: AsyncIterable<Buffer>) => {
  for await (const _block of content) if (name === refused) throw unavailable('The directory for exports')
}

/** Carries an export as far as its place lets it. @param type of the failure that it ends with. */
async function interrupted({ tenantKey }: FormsTenant, place: ExportTarget, type = 'unavailable'): Promise<void> {
  const db = connect(inject('databaseUrl'), { poolSize: 2 })
  const targets = { directory: place, s3: undefined }
  const { beginExport, formExport } = exportActivities({
    db,
    reads: noReplicas(db),
    log: pino({ level: 'silent' }),
    temporal: () => expect.unreachable(),
    jobEnds: createOutcomes(),
    forms: createPublishedForms({ db }),
    targets,
    publicUrl: inject('baseUrl'),
  })
  const environment = new MockActivityEnvironment(undefined, { logger: new DefaultLogger('ERROR') })
  try {
    await environment.run(beginExport, { tenantKey, exportKey: 'feed' })
    const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
    const { job_id } = await db('form_exports').where({ tenant_id: id }).first('job_id')
    const input = { tenantKey, jobId: job_id, limit: 10 }
    // Where the first activity has written a file before the outage, the next one says that there is one.
    const activity = () => environment.run(formExport, input)
    await expect(activity().then(activity)).rejects.toMatchObject({ type })
  } finally {
    await db.destroy()
  }
}
