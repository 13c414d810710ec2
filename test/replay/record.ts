// Records the histories that replay.test.ts replays: `node scripts/run.mjs test/replay/record`. Do this when a workflow is
// added, or changed in a way that runs under way survive (`patched`); the old files stay for as long as such runs may exist.
// A stack of its own does the work; nothing in the files names a person or this machine.
import { readdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { projectRoot } from '../../dev/programs.js'
import { acceptBulk, ended, type JobBody, placesOf } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { holdHierarchy, temporalClient, tenantWithPlaces } from '../support/jobs.js'
import { addSubject, invite, portalSettings } from '../support/portal.js'
import { startStack } from '../support/stack.js'

const directory = join(projectRoot, 'test', 'replay')
const stack = await startStack()
const { client, close } = await temporalClient(stack.temporalAddress)
try {
  const { tenant } = await tenantWithPlaces(stack.baseUrl)
  const accept = async (path: string, body: unknown) =>
    (await tenant.put<JobBody>(`/api/v1/${path}/bulk`, body, { prefer: 'respond-async' })).body

  await record('interactive', await acceptBulk(tenant, [place('a'), place('b', 'a')]))
  await record('background', await acceptBulk(tenant, placesOf(21_000, 1)))
  await record('interactive', await accept('structureType', [type('ward')]))
  await record('interactive', await accept('group', [{ Key: 'g', Name: 'G', StructuralEntityKeys: ['a'] }]))
  await record('cancelled', await whileHeld(job => tenant.post(`${job.links.self}/cancel`)))
  await record('failed', await whileHeld((_, hierarchy) => hierarchy.remove('parent')))
  await tenant.change(portalSettings({}))
  const invitation = await tenant.post(invite(await addSubject(tenant)), ['a@example.org', 'b@example.org'])
  const { body: mails } = await tenant.get<JobBody>(invitation.headers.get('location') ?? '')
  await record('background', mails)

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

  async function record(how: string, job: JobBody): Promise<void> {
    await ended(tenant, job.jobId)
    const handle = client.workflow.getHandle(decodeURIComponent(job.links.temporalUi.split('/').at(-1) ?? ''))
    await handle.result().catch(() => undefined)
    const history = await handle.fetchHistory()
    const text = JSON.stringify(JSON.parse(historyToJSON(history)), undefined, 1).replaceAll(hostname(), 'recorder')
    await writeFile(join(directory, `${job.kind}.${how}.json`), `${text}\n`)
  }
} finally {
  await close()
  await stack.stop()
}
console.log((await readdir(directory)).filter(name => name.endsWith('.json')).join('\n'))

function type(Key: string) {
  return { Key, Name: 'Type', SubjectAssignable: true, CustomFields: [] }
}
