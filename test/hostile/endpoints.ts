// Sends the hostile corpus to the endpoints of the API.
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Api, admin } from '../support/api.js'
import { aTemplate, formsTenant } from '../support/factories.js'
import { aRequest, createPath, type InstanceBody } from '../support/instances.js'
import { startOwnApi } from '../support/own-api.js'
import { startOwnApp } from '../support/own-app.js'
import { collecting } from '../support/stack.js'
import { type HostileCase, headersOf, type Kind } from './corpus.js'
import { collected, longestMs, minWatched, watched } from './watched.js'

interface Target {
  method: string
  path: string
  kinds: readonly Kind[]
}

/** A process of its own: whatever holds it up, or stays in its memory, came with one of these requests. */
let own: Awaited<ReturnType<typeof startOwnApi>>
let targets: Target[]
let clients: { platform: Api; tenant: Api }
let memory: number

/** Every route of the API that takes a body, with the kinds that it takes: what the description does not list may take any. */
async function targetsOf(named: Record<string, string>): Promise<Target[]> {
  const app = await startOwnApp(inject('databaseUrl'))
  await app.stop()
  const { body } = await clients.tenant.get<Description>('/openapi.json')
  const filled = (path: string) =>
    path.replace(/:(\w+)/g, (_, name) =>
      name === 'tenantKey' && path.startsWith('/admin') ? 'hostile' : (named[name] ?? 'hostile'),
    )
  return app.routes.flatMap(({ method, path }) => {
    const operation = body.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    const types = Object.keys(operation?.requestBody?.content ?? {})
    const kinds: Kind[] = operation ? types.map(kindOf) : any
    // Another test counts the keys, which belong to all tenants.
    const isLeftOut = method === 'GET' || method === 'HEAD' || path.endsWith('/signingKeys')
    return isLeftOut ? [] : [{ method, path: filled(path), kinds }]
  })
}

const any: Kind[] = ['json', 'form', 'multipart']

const kindOf = (type: string): Kind =>
  type.startsWith('multipart') ? 'multipart' : type === 'text/csv' ? 'csv' : type.endsWith('ndjson') ? 'ndjson' : 'json'

interface Description {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, object> } }>>
}

interface Answered {
  to: string
  status: number
  type: string
}

async function post({ method, path }: Target, hostile: HostileCase, body: Buffer): Promise<Answered> {
  const { token } = path.startsWith('/admin') ? clients.platform : clients.tenant
  const headers = { authorization: `Bearer ${token}`, ...headersOf(hostile) }
  const answer = await fetch(new URL(path, own.baseUrl), { method, headers, body, redirect: 'manual' })
  await answer.arrayBuffer()
  return { to: `${method} ${path}`, status: answer.status, type: answer.headers.get('content-type') ?? '' }
}

/** To how many endpoints a case goes where it does not go to all. */
const some = 3

/**
 * The tests of some cases. Each goes to the endpoints that take its kind: to some in turn, so that each endpoint gets several
 * cases, or to all. All take a minute, and one middleware reads the bodies of all endpoints.
 */
export function sendToEndpoints(cases: readonly HostileCase[], reach: 'some' | 'all' = 'some'): void {
  beforeAll(async () => {
    const baseUrl = inject('baseUrl')
    own = await startOwnApi({
      IDENTITY_AUTHORITY: `${baseUrl}/identity`,
      TEMPORAL_ADDRESS: inject('temporalAddress'),
      NODE_OPTIONS: collecting,
    })
    const tenant = await formsTenant({ delivery: { url: 'https://forms.example.org/' } })
    await tenant.publish(aTemplate())
    // Open to everybody.
    await tenant.change({ glue: { endpoints: [{ key: 'open', steps: [{ name: 'r', respond: { body: 'fine' } }] }] } })
    clients = { platform: await admin(baseUrl), tenant: await tenant.client(['*'], ['FrameApi', 'FormsApi']) }
    const { body } = await clients.tenant.post<InstanceBody>(
      createPath,
      aRequest(tenant.subjectId, { formKey: 'visit' }),
    )
    const { instanceGuid } = body
    const named = { tenantKey: tenant.tenantKey, formKey: 'visit', formVersion: '1', instanceGuid, endpointKey: 'open' }
    targets = await targetsOf({ ...named, subjectId: tenant.subjectId, patientId: tenant.subjectId })
    // What every endpoint needs once.
    const harmless = { name: '', kind: 'headers', body: () => Buffer.from('{}') } as const
    await own.live()
    for (const target of targets) await post(target, harmless, harmless.body())
    await watched(() => Promise.resolve(), own)
    memory = await collected(own)
  })
  afterAll(() => own.stop())

  test('endpoints of every kind are found', () => {
    const all = targets.map(({ method, path }) => `${method} ${path}`).join('\n')
    for (const path of [
      '/sign-in',
      '/launch',
      '/SinglePass/visit/1',
      '/open',
      '/structuralEntity/bulk',
      '/subject/import',
    ])
      expect(all).toContain(path)
  })

  test.each(cases.map((each, n) => [each.kind, each.name, each, n] as const))('%s: %s', async (kind, _, hostile, n) => {
    const body = hostile.body()
    const all = targets.filter(({ kinds }) => kind === 'headers' || kinds.includes(kind))
    const taking = reach === 'all' ? all : all.filter((_, place) => (place + n * some) % all.length < some)
    const answers: Answered[] = []
    // One after another: together they would hold up others for longer than each alone.
    const sendTo = async (those: Target[]) => {
      for (const target of those) answers.push(await post(target, hostile, body))
    }
    if ((await watched(() => sendTo(taking), own)) > longestMs) {
      const slow: string[] = []
      for (const target of taking)
        if ((await minWatched(() => sendTo([target]), own)) > longestMs) slow.push(target.path)
      expect(slow).toEqual([])
    }
    expect(
      answers.filter(
        ({ status, type }) => status >= 500 || (status >= 400 && !/^application\/problem\+json/.test(type)),
      ),
    ).toEqual([])
  })

  test('it is the same process, and its memory is back', async () => {
    expect(await Promise.race([own.ended, Promise.resolve('it runs')])).toBe('it runs')
    console.log(
      `held: ${Math.round(memory / 1e6)} MB before, ${Math.round((await collected(own)) / 1e6)} MB afterwards`,
    )
    // Caches of seconds go by themselves.
    await expect.poll(async () => (await collected(own)) / memory, { timeout: 30_000, interval: 200 }).toBeLessThan(1.1)
  })
}
