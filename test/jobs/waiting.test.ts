// Callers that wait for jobs, or do not.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { freePort } from '../../dev/ports.js'
import { projectRoot } from '../../dev/programs.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { api, type Tenant } from '../support/api.js'
import { extractPath, holdExtracts } from '../support/extracts.js'
import { formAsked, notesTenant, tenantWithPlaces, whole } from '../support/factories.js'
import { ended, type JobBody, placesOf } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { holdHierarchy } from '../support/jobs.js'
import { isReady } from '../support/running-stack.js'

const bulk = '/api/v1/structuralEntity/bulk'

const accepted = (kind: string, total: number) => ({
  status: 202,
  body: {
    jobId: expect.any(String),
    kind,
    status: expect.stringMatching(/^(Accepted|Running|Completed)$/),
    progress: { total },
  },
})

describe('Prefer: respond-async', () => {
  test('a bulk of 30 is answered with its job at once, and Location leads to it', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    // The job cannot end before the answer: its writer waits.
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const answer = await tenant.put<JobBody>(bulk, placesOf(30, 1), { prefer: 'respond-async, wait=10' })
    expect(answer).toMatchObject(accepted('structuralEntityBulkUpsert', 30))
    expect(answer.headers.get('preference-applied')).toBe('respond-async')
    const location = answer.headers.get('location') ?? ''
    expect(location).toBe(answer.body.links.self)
    expect(await tenant.get(location)).toMatchObject({ body: { status: 'Accepted', progress: { done: 0, total: 30 } } })
    await hierarchy.release()
    expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 30 } })
  })

  test('does not make a bad batch a job: it is refused at once', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const answer = await tenant.put(bulk, [place('a', 'nowhere')], { prefer: 'respond-async' })
    expect(answer).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'unknown-parent', pointer: '/0/ParentKey' }] },
    })
    expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { Edges: [] } })
  })
})

describe('an API that does not wait (JOB_WAIT_SECONDS=0)', () => {
  let program: Supervised
  let baseUrl: string
  let logDir: string

  beforeAll(async () => {
    logDir = await mkdtemp(join(tmpdir(), 'armature-impatient-'))
    const port = await freePort()
    baseUrl = `http://127.0.0.1:${port}`
    // A second API beside the shared one, which trusts the same identity service.
    const env = {
      ...process.env,
      PORT: String(port),
      PUBLIC_URL: '',
      DATABASE_URL: inject('databaseUrl'),
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      IDENTITY_AUTHORITY: `${inject('baseUrl')}/identity`,
      ENCRYPTION_KEY: inject('encryptionKey'),
      JOB_WAIT_SECONDS: '0',
    }
    const args = [join(projectRoot, 'dist', 'server/main.js')]
    program = supervise({ name: 'api', command: process.execPath, args, env, ours: true }, { logDir, log: () => {} })
    await program.ready(() => isReady(baseUrl))
  })
  afterAll(async () => {
    await program.stop()
    await rm(logDir, { recursive: true })
  })

  test('a large bulk that is not done when the time is up is answered 202 and goes on', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const impatient: Tenant = { ...tenant, ...api(baseUrl, tenant.token) }
    const batch = placesOf(1_001, 30)
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const answer = await impatient.put<JobBody>(bulk, batch)
    await hierarchy.release()
    expect(answer).toMatchObject(accepted('structuralEntityBulkUpsert', 1_001))
    expect(answer.headers.get('location')).toBe(answer.body.links.self)
    expect(answer.headers.get('preference-applied')).toBeNull()
    expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 1_001 } })
  })

  test('so is an extract, whose results are there when it is done', async () => {
    const { tenant, patient } = await notesTenant()
    const guid = await patient.created()
    await patient.submit(guid, whole)
    const impatient = api(baseUrl, tenant.forms.token)
    const extracts = await holdExtracts(inject('databaseUrl'), tenant.tenantKey)
    const answer = await impatient.post<JobBody & { links: { result: string } }>(extractPath, {
      definitions: [formAsked('small')],
    })
    await extracts.release()
    expect(answer).toMatchObject(accepted('multiExtract', 1))
    expect(answer.headers.get('location')).toBe(answer.body.links.self)
    expect(answer.headers.get('preference-applied')).toBeNull()
    expect(await ended(tenant.forms, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { results: 1 } })
    expect((await impatient.get(answer.body.links.result)).status).toBe(200)
  })

  test('so is a small bulk', async () => {
    const { tenant } = await tenantWithPlaces(inject('baseUrl'))
    const impatient: Tenant = { ...tenant, ...api(baseUrl, tenant.token) }
    const answer = await impatient.put<JobBody>(bulk, [place('a')])
    expect(answer).toMatchObject(accepted('structuralEntityBulkUpsert', 1))
    expect(await ended(tenant, answer.body.jobId)).toMatchObject({ status: 'Completed', counts: { created: 1 } })
  })
})
