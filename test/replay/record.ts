// Records the histories that replay.unit.test.ts replays: `node scripts/run.mjs test/replay/record [kind …]`. Do this when a workflow is
// added, or changed in a way that runs under way survive (`patched`); the old files stay for as long as such runs may exist.
// A stack of its own does the work; nothing in the files names a person or this machine.
import { readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { projectRoot } from '../../runtime/process/version.js'
import { eventsSignal, webhookRunId } from '../../workflows/glue/contracts.js'
import { platformScheduleId } from '../../workflows/platform/contracts.js'
import { admin, newTenant } from '../support/api.js'
import {
  type ChangeAnswer,
  changePaths,
  gate,
  refreshPath,
  scriptedGlue,
  scriptedProvider,
} from '../support/data-sets.js'
import { deliveryEndpoint } from '../support/deliveries.js'
import { recordingProvider } from '../support/endpoints.js'
import {
  addPerson,
  addSubject,
  aSmallTemplate,
  dataTenant,
  glueTenant,
  plantWards,
  portalSettings,
  tenantWithPlaces,
} from '../support/factories.js'
import { acceptBulk, type JobBody, placesOf } from '../support/faults.js'
import { putForm } from '../support/forms.js'
import type { Page } from '../support/frame.js'
import { place } from '../support/hierarchy-model.js'
import { csvType, entityImportPath, importPath } from '../support/imports.js'
import { userIssuer } from '../support/issuer.js'
import { endedRun, holdHierarchy, platformRun, temporalClient } from '../support/jobs.js'
import { launchPath } from '../support/launches.js'
import { holdLocation, seedLocations, subjectId } from '../support/locations.js'
import { demoSubjects } from '../support/manifest.js'
import { invite } from '../support/portal.js'
import { recordingKey } from '../support/sealed.js'
import { startStack } from '../support/stack.js'
import { suspendedLong } from '../support/tenant-rows.js'
import { startTransfer, startUndo } from '../support/transfers.js'
import { until } from '../support/until.js'
import { recordExports } from './record-exports.js'
import { recordExtracts } from './record-extracts.js'
import { recordOperations } from './record-nexus.js'

const directory = join(projectRoot, 'test', 'replay')
/** Kinds of job whose files are written; all, when none is given. */
const wanted = process.argv.slice(2)
const stack = await startStack({ ENCRYPTION_KEY: recordingKey })
const db = connect(stack.databaseUrl, { poolSize: 2 })
const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
try {
  const { tenant } = await tenantWithPlaces(stack.baseUrl)
  const written = await tenant.put('/api/v1/structuralEntity/bulk', [place('a'), place('b', 'a')])
  await record('interactive', (await tenant.get<JobBody>(written.headers.get('location') ?? '')).body)
  await record('background', await acceptBulk(tenant, placesOf(21_000, 1)))
  await record('cancelled', await whileHeld(job => tenant.post(`${job.links.self}/cancel`)))
  await record('failed', await whileHeld((_, hierarchy) => hierarchy.remove('parent')))
  await recordOperations({ stack, tenant, whileHeld, write })
  for (const [how, rows] of [
    ['background', 'below,Below,above,place\nabove,Above,,place\n'],
    ['failed', 'lost,Lost,nowhere,place\n'],
  ] as const) {
    const body = `Key,DisplayName,ParentKey,StructureTypeKey\n${rows}`
    await record(how, (await tenant.post<JobBody>(`${entityImportPath}?Mode=all`, body, csvType)).body)
  }
  await tenant.change(portalSettings({}))
  const invitation = await tenant.post(invite(await addSubject(tenant)), ['a@example.org', 'b@example.org'])
  const { body: mails } = await tenant.get<JobBody>(invitation.headers.get('location') ?? '')
  await record('background', mails)

  const clinic = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects })
  await plantWards(clinic, 'east', 'west')
  for (const [how, body] of [
    ['background', 'nationalId,givenName,familyName\n2,Ada,Byron\n'],
    ['failed', 'nationalId,givenName,familyName\n3,,\n'],
  ] as const) {
    const { body: job } = await clinic.post<JobBody>(`${importPath}?Mode=all`, body, csvType)
    await record(how, job)
    if (how === 'background') await record(how, await startUndo(clinic, job.jobId))
  }
  const leaver = await addPerson(clinic, 'leaves')
  await record('background', (await clinic.post<JobBody>(`/api/v2/subject/${leaver}/erase`)).body)
  // More subjects than one activity moves.
  await seedLocations(db, clinic.tenantKey, 'east', { count: 600_000 })
  const there = await startTransfer(clinic, 'east', 'west', 'Move')
  await record('background', there)
  await record('background', await startUndo(clinic, there.jobId))
  const held = await holdLocation(db, clinic.tenantKey, 'east', subjectId(0))
  const stopped = await startTransfer(clinic, 'east', 'west', 'Copy')
  await clinic.post(`${stopped.links.self}/cancel`)
  await held.release()
  await record('cancelled', stopped)

  const provider = await recordingProvider(
    ({ path }) => ({ status: path === '/gone' ? 410 : 200 }),
    stack.providerPorts,
  )
  const issuer = await userIssuer(stack.providerPorts)
  const calls = (key: string, ...urls: string[]) =>
    urls.map((url, n) => ({ name: `call${n}`, httpRequest: { provider: key, url } }))
  const north = await glueTenant(
    {
      providers: [
        { key: 'free', url: provider.url },
        { key: 'limited', url: provider.url, limits: { concurrency: 1 } },
      ],
      // Without `durable` those that only read would be answered without a run.
      endpoints: [
        { key: 'interactive', steps: calls('free', 'one', 'two', 'three') },
        { key: 'limited', steps: calls('limited', 'one', 'two') },
        { key: 'failed', steps: calls('free', 'one', 'gone') },
        {
          key: 'once',
          steps: calls('free', 'one').map(step => ({ ...step, httpRequest: { ...step.httpRequest, method: 'POST' } })),
        },
        {
          key: 'token',
          authentication: [{ openIdConnect: { authority: issuer.authority, audiences: 'app' } }],
          steps: calls('free', 'one', 'two').map(({ name, httpRequest }) => ({
            name,
            httpRequest: { ...httpRequest, headers: { Authorization: 'Bearer {{ request.userToken }}' } },
          })),
        },
      ].map(endpoint => ({ ...endpoint, durable: true })),
    },
    {},
    stack.baseUrl,
  )
  for (const endpoint of ['interactive', 'limited', 'failed', 'once']) {
    await north.call(endpoint)
    await recordRun(endpoint, `${north.tenantKey}/glueEndpoint/${endpoint}/`)
  }
  await north.call('token', undefined, { authorization: `Bearer ${await issuer.token()}` })
  await recordRun('token', `${north.tenantKey}/glueEndpoint/token/`)
  await Promise.all([provider.stop(), issuer.stop()])
  await recordDataSets()
  await recordDeliveries()
  await recordWebhook()
  await recordSuspension()
  await recordDeletion()
  await recordExports({ stack, client, record, recordRun })
  await recordExtracts({ db, baseUrl: stack.baseUrl }, record)
  for (const run of ['retention', 'attentionMail'] as const) await recordRun('due', platformScheduleId(run))
  for (const run of ['outbox', 'searchWords', 'manifestSchedules', 'webhooks'] as const) {
    await (await platformRun(client, run)).cancel()
    await recordRun('cancelled', platformScheduleId(run))
  }

  /** A bulk whose tenant is suspended between two of its steps, and resumed. */
  async function recordSuspension(): Promise<void> {
    const { tenant: pausing } = await tenantWithPlaces(stack.baseUrl)
    const platform = await admin(stack.baseUrl)
    const suspension = `/admin/v1/tenants/${pausing.tenantKey}/suspension`
    const hierarchy = await holdHierarchy(stack.databaseUrl, pausing.tenantKey)
    const job = await acceptBulk(pausing, placesOf(45_000, 1))
    await platform.put(suspension, undefined)
    await until('callers are refused', async () => (await pausing.get('/api/v1/jobs')).status === 403)
    await hierarchy.release()
    await until('the job waits', async () => {
      const { waiting } = await db('jobs').where({ id: job.jobId }).first('waiting')
      return JSON.stringify(waiting).includes('is suspended')
    })
    await platform.delete(suspension)
    await record('suspended', job)
  }

  /** The export and the deletion of a tenant that was suspended for long. */
  async function recordDeletion(): Promise<void> {
    const { tenantKey } = await newTenant(stack.baseUrl)
    const platform = await admin(stack.baseUrl)
    await platform.put(`/admin/v1/tenants/${tenantKey}/suspension`, undefined)
    await suspendedLong(db, await tenantIdOf(db, tenantKey))
    const archive = { recipient: await identityToRecipient(await generateX25519Identity()), destination: 'directory' }
    const exporting = await platform.post<JobBody>(`/admin/v1/tenants/${tenantKey}/export`, archive)
    await record('background', exporting.body)
    const deletion = await platform.send<JobBody>('DELETE', `/admin/v1/tenants/${tenantKey}?confirm=${tenantKey}`)
    await record('background', deletion.body)
  }

  /** A job whose run ends otherwise, because of what is done while it waits for the hierarchy. */
  async function whileHeld(
    act: (job: JobBody, hierarchy: Awaited<ReturnType<typeof holdHierarchy>>) => Promise<unknown>,
  ) {
    await tenant.put('/api/v1/structuralEntity', place('parent'))
    const hierarchy = await holdHierarchy(stack.databaseUrl, tenant.tenantKey)
    const children = Array.from({ length: 45_000 }, (_, n) => place(`child-${n}`, 'parent'))
    const job = await acceptBulk(tenant, children)
    await act(job, hierarchy)
    await hierarchy.release()
    return job
  }

  /** Refreshes and changes of a data set, those that come to their end and others. */
  async function recordDataSets(): Promise<void> {
    const register = await scriptedProvider(stack.providerPorts)
    const glue = scriptedGlue(register.url, {
      by: ['page', 'subject'],
      pageSize: 1,
      extracts: { register: { of: 'all' } },
    })
    const town = await dataTenant(glue, ['ada'], stack.baseUrl)
    const refresh = async () => (await town.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })).body
    const change = async () => {
      const body = { SubjectIdentifier: 'ada', DataExtractsOptionsValuesFilter: { of: 'all' } }
      const answer = await town.provider.post<ChangeAnswer>(changePaths.created, body)
      return (await town.get<JobBody>(`/api/v1/jobs/${answer.body.JobId}`)).body
    }
    /** Begins, and does something else while the provider is asked. */
    const meanwhile = async (begin: () => Promise<JobBody>, act: (job: JobBody) => Promise<unknown>) => {
      const door = gate()
      register.says(async () => {
        door.arrive()
        await door.passed
        return { dataPoints: [] }
      })
      const job = await begin()
      await door.reached
      await act(job)
      door.open()
      return job
    }

    // More pages than one activity fetches.
    register.says(({ cursor }) => ({ dataPoints: [], next: Number(cursor) < 25 ? Number(cursor) + 1 : null }))
    await record('background', await refresh())
    await record('cancelled', await meanwhile(refresh, job => town.post(`${job.links.self}/cancel`)))
    await record('background', await meanwhile(change, change))
    await record('cancelled', await meanwhile(change, job => town.post(`${job.links.self}/cancel`)))
    register.says(() => ({ status: 404 }))
    await record('failed', await refresh())
    await record('failed', await change())
    await town.change({
      glue: { ...glue, dataExtracts: glue.dataExtracts.map(each => ({ ...each, refreshSeconds: 10 })) },
    })
    await recordRun('due', `${town.tenantKey}/scheduledRefresh/`)
    await register.stop()
  }

  /** Deliveries of forms: one that arrives, through a provider's queue, and one that is refused. */
  async function recordDeliveries(): Promise<void> {
    const endpoint = await deliveryEndpoint(stack.providerPorts)
    const practice = await newTenant(
      stack.baseUrl,
      {},
      {
        glue: { providers: [{ key: 'forms', url: endpoint.origin, limits: { concurrency: 1 } }] },
        forms: { delivery: { provider: 'forms', url: '/forms' } },
      },
    )
    const only = aSmallTemplate([{ id: 'note', label: 'Note' }])
    await putForm(await admin(stack.baseUrl), practice.tenantKey, only)
    const send = async () => {
      const body = new URLSearchParams({ note: 'x' })
      await fetch(`${stack.baseUrl}${launchPath(practice.tenantKey, only.key)}`, { method: 'POST', body })
      return (await practice.get<Page<JobBody>>('/api/v1/jobs?First=1')).body.Edges.map(({ Node }) => Node)
    }
    for (const job of await send()) await record('background', job)
    endpoint.answers(404)
    for (const job of await send()) await record('failed', job)
    endpoint.answers(503)
    for (const job of await send()) {
      await until('it is tried', async () => endpoint.tried.length > 2)
      await practice.post(`${job.links.self}/cancel`)
      await record('cancelled', job)
    }
    await endpoint.stop()
  }

  /** The run of a webhook whose receiver fails once, until the manifest has no webhook any more. */
  async function recordWebhook(): Promise<void> {
    let calls = 0
    const receiver = await recordingProvider(() => ({ status: calls++ === 0 ? 500 : 204 }), stack.providerPorts)
    const glue = {
      secrets: [{ name: 's', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }],
      webhooks: [{ key: 'hook', url: receiver.url, events: ['subject.created'], secrets: ['s'] }],
    }
    const ward = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects, glue })
    await addPerson(ward, 'a')
    await until('the event arrives', async () => calls > 1)
    await ward.change({ glue: {} })
    const id = webhookRunId({ tenantKey: ward.tenantKey, webhookKey: 'hook' })
    await client.workflow.getHandle(id).signal(eventsSignal)
    await write('removed', 'webhook', id)
    await receiver.stop()
  }

  async function record(how: string, job: JobBody): Promise<void> {
    await until('the job ends', () => hasEnded(job.jobId))
    if (wanted.length > 0 && !wanted.includes(job.kind)) return
    await write(how, job.kind, (await endedRun(client, job)).workflowId)
  }

  /** A run that has no job: its id begins with this. */
  async function recordRun(how: string, beginning: string): Promise<void> {
    const id = await until(`Temporal lists the run ${beginning}`, async () => {
      for await (const { workflowId } of client.workflow.list()) if (workflowId.startsWith(beginning)) return workflowId
      return undefined
    })
    await write(how, beginning.split('/')[1] ?? '', id)
  }

  async function write(how: string, kind: string, workflowId: string, of = client): Promise<void> {
    const handle = of.workflow.getHandle(workflowId)
    await handle.result().catch(() => undefined)
    if (wanted.length > 0 && !wanted.includes(kind)) return
    const history = await handle.fetchHistory()
    // With the @ of an identity, which is in no base64: a short name may stand there by chance.
    const text = JSON.stringify(JSON.parse(historyToJSON(history))).replaceAll(`@${hostname()}`, '@recorder')
    await writeFile(join(directory, `${kind}.${how}.json`), `${text}\n`)
  }
} finally {
  await close()
  await db.destroy()
  await stack.stop()
}
console.log((await readdir(directory)).filter(name => name.endsWith('.json')).join('\n'))

async function hasEnded(id: string): Promise<boolean> {
  const { status } = await db('jobs').where({ id }).first('status')
  return !['Accepted', 'Running'].includes(status)
}
