// What the Temporal UI shows of a run that has failed: it has sealed payloads opened by the API.
import { Client, Connection } from '@temporalio/client'
import proto from '@temporalio/proto'
import { afterAll, expect, inject, test } from 'vitest'
import { admin } from '../support/api.js'
import { tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { endedRun, holdHierarchy } from '../support/jobs.js'

const connection = await Connection.connect({ address: inject('temporalAddress') })
afterAll(() => connection.close())
/** Without the key, as the UI. */
const client = new Client({ connection })

const { Failure } = proto.temporal.api.failure.v1
type Failure = proto.temporal.api.failure.v1.IFailure
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** The failure with its causes, the outermost first. */
const causesOf = (failure: Failure): Failure[] => [failure, ...(failure.cause ? causesOf(failure.cause) : [])]

test('a failed run shows the code, the title and the detail of its problem, which Temporal holds only sealed', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  await tenant.put('/api/v1/structuralEntity', place('home'))
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const { jobId } = await acceptBulk(tenant, [place('child', 'home')])
  await hierarchy.remove('home')
  await hierarchy.release()
  const job = await ended(tenant, jobId)
  expect(job).toMatchObject({ status: 'Failed', problem: { detail: expect.stringContaining('home') } })

  const { workflowId } = await endedRun(client, job)
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory()
  const failure = events?.at(-1)?.workflowExecutionFailedEventAttributes?.failure ?? {}
  expect(Buffer.from(Failure.encode(failure).finish()).includes('home')).toBe(false)

  const payloads = causesOf(failure).flatMap(({ encodedAttributes: sealed }) => {
    if (!sealed?.data) return []
    const metadata = Object.entries(sealed.metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])
    return { metadata: Object.fromEntries(metadata), data: base64(sealed.data) }
  })
  const operator = await admin(inject('baseUrl'))
  const opened = await operator.post<{ payloads: { data: string }[] }>('/temporal/codec/decode', { payloads })
  expect(opened.status).toBe(200)
  const shown = opened.body.payloads.map(({ data }) => Buffer.from(data, 'base64').toString()).join('\n')
  for (const part of ['title', 'detail'] as const) expect(shown).toContain(job.problem?.[part])
  const types = causesOf(failure).map(({ applicationFailureInfo }) => applicationFailureInfo?.type)
  expect(types).toContain(job.problem?.type.split('/').at(-1))
})
