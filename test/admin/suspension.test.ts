// Tenants that are suspended: their callers are refused, their work waits and loses nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Api, admin, newTenant, type Problem } from '../support/api.js'
import { armature } from '../support/armature.js'
import { auditForPlatform } from '../support/audit.js'
import { type ScriptedProvider, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { aSmallTemplate, dataTenant, launchTenant, oneEndpoint, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { temporalClient } from '../support/jobs.js'
import { page } from '../support/launches.js'
import { type AllowedServer, allowedServer } from '../support/provider.js'
import { until } from '../support/until.js'

let platform: Api
let provider: ScriptedProvider
let receiver: AllowedServer
let temporal: Awaited<ReturnType<typeof temporalClient>>
beforeAll(async () => {
  platform = await admin(inject('baseUrl'))
  provider = await scriptedProvider()
  receiver = await allowedServer()
  temporal = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
})
afterAll(() => Promise.all([temporal?.close(), provider?.stop(), receiver?.stop()]))

const pathOf = (tenantKey: string) => `/admin/v1/tenants/${tenantKey}/suspension`
const isRefused = (answer: { status: number }) => answer.status === 403

test('callers of a suspended tenant are told whom to ask, and are served again when it is resumed', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const other = await newTenant(inject('baseUrl'))
  expect(await platform.get(pathOf(tenant.tenantKey))).toMatchObject({ status: 200, body: {} })
  const first = await platform.put<{ suspendedAt: string }>(pathOf(tenant.tenantKey), undefined)
  expect(first.status).toBe(200)
  await until('callers are refused', async () => isRefused(await tenant.get('/api/v1/jobs')))
  const { body } = await tenant.get<Problem>('/api/v1/jobs')
  expect(body).toMatchObject({ type: '/problems/tenant-suspended', title: 'The tenant is suspended' })
  expect(body.detail).toContain('Ask those who operate this installation')
  expect((await other.get('/api/v1/jobs')).status).toBe(200)
  // Asked for again, it stays suspended since then.
  expect((await platform.put(pathOf(tenant.tenantKey), undefined)).body).toEqual(first.body)
  const { body: listed } = await platform.get(`/admin/v1/tenants?SearchTerm=${tenant.tenantKey}`)
  expect(listed).toMatchObject({ Edges: [{ Node: first.body }] })

  expect((await platform.delete(pathOf(tenant.tenantKey))).body).toEqual({})
  await until('callers are served', async () => (await tenant.get('/api/v1/jobs')).status === 200)
  const told = (await auditForPlatform(tenant.tenantKey)).map(({ action }) => action)
  expect(told.filter(action => action !== 'putTenant')).toEqual(['suspendTenant', 'resumeTenant'])
})

test('whoever asks cannot suspend the own tenant, nor that of those who operate the installation', async () => {
  for (const key of ['demo', 'platform'])
    expect(await platform.put(pathOf(key), undefined)).toMatchObject({
      status: 409,
      body: { type: '/problems/own-tenant' },
    })
  expect(await platform.put(pathOf('nowhere'), undefined)).toMatchObject({ status: 404 })
})

test('pages and endpoints that anybody may open refuse everybody', async () => {
  const forms = await launchTenant([aSmallTemplate([{ id: 'note', label: 'Note' }])])
  const glue = await oneEndpoint({ url: receiver.url }, [{ name: 'answer', respond: { body: 'hello' } }])
  expect((await glue.call('e')).status).toBe(200)
  for (const { tenantKey } of [forms, glue]) await platform.put(pathOf(tenantKey), undefined)
  await until('the endpoint is refused', async () => isRefused(await glue.call('e')))
  expect((await glue.call<Problem>('e')).body.type).toBe('/problems/tenant-suspended')
  await until('the page is refused', async () => isRefused(await page(forms.path('small'))))
  expect((await page(forms.path('small'))).text).toContain('is suspended. Ask those')
})

test('jobs, schedules and webhooks wait, and go on when the tenant is resumed', async () => {
  const received: string[] = []
  let isReachable = false
  receiver.answer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    if (isReachable) received.push(JSON.parse(text).type)
    response.writeHead(isReachable ? 204 : 503).end()
  })
  const glue = scriptedGlue(provider.url, { pageSize: 1 })
  const dataExtracts = glue.dataExtracts.map(extract => ({ ...extract, refreshSeconds: 86_400 }))
  const secret = { name: 'hook', value: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }
  const webhooks = [
    { key: 'hook', url: `${receiver.url}/`, secrets: ['hook'], events: ['subject.created', 'job.completed'] },
  ]
  const tenant = await dataTenant({ ...glue, dataExtracts, secrets: [secret], webhooks }, ['1'])
  const { tenantKey } = tenant

  // A refresh whose first page is under way when the tenant is suspended. The processes know that at most two seconds later.
  const pages = 200
  const { promise: door, resolve: open } = Promise.withResolvers<void>()
  provider.questions.length = 0
  provider.says(async ({ cursor }) => {
    await door
    await sleep(20)
    const page = Number(cursor ?? 1)
    return { dataPoints: [point(`p${page}`, '1')], next: page < pages ? String(page + 1) : null }
  })
  const begun = await tenant.post<JobBody>('/api/v1/dataSet/register/refresh', undefined, { prefer: 'respond-async' })
  expect(begun.status).toBe(202)
  await until('the provider is asked', async () => provider.questions.length > 0)
  expect((await armature(['tenant', 'suspend', tenantKey])).stdout).toContain(`armature tenant resume ${tenantKey}`)
  await until('callers are refused', async () => isRefused(await tenant.get('/api/v1/jobs')))
  open()
  const seen = async () => {
    const { body } = await platform.get<{ Edges: { Node: JobBody & { waiting?: { reason: string } } }[] }>(
      `/admin/v1/jobs?Tenant=${tenantKey}&Kind=dataSetRefresh`,
    )
    return body.Edges.map(({ Node }) => Node).find(({ jobId }) => jobId === begun.body.jobId)
  }
  await until('the job waits', async () => (await seen())?.waiting !== undefined)
  expect(await seen()).toMatchObject({
    status: 'Running',
    waiting: { reason: expect.stringContaining('is suspended') },
  })
  const due = await temporal.client.workflow.start('scheduledRefresh', {
    taskQueue: 'background',
    workflowId: `${tenantKey}/due/1`,
    args: [{ tenantKey, dataExtractKey: 'register' }],
  })
  expect((await due.describe()).status.name).toBe('RUNNING')
  isReachable = true
  const { body: attention } = await platform.get<{ Edges: object[] }>(`/admin/v1/attention?Tenant=${tenantKey}`)
  expect(attention.Edges).toEqual([])
  expect(received).toEqual([])

  expect((await armature(['tenant', 'resume', tenantKey])).code).toBe(0)
  await until('callers are served', async () => (await tenant.get('/api/v1/jobs')).status === 200)
  expect(await ended(tenant, begun.body.jobId)).toMatchObject({ status: 'Completed', progress: { done: pages } })
  expect(await due.result()).toMatchObject({ job: expect.stringContaining('/api/v1/jobs/') })
  await until('all events have come', async () => received.length >= 2)
  expect(new Set(received)).toEqual(new Set(['armature.job.completed', 'armature.subject.created']))
})
