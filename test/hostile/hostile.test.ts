import { beforeAll, expect, inject, test } from 'vitest'
import { type Api, admin } from '../support/api.js'
import { aRequest, aTemplate, formsTenant } from '../support/factories.js'

import { createPath, type InstanceBody } from '../support/instances.js'
import { startOwnApp } from '../support/own-app.js'
import { sharedStack } from '../support/running-stack.js'
import { corpus, type HostileCase, headersOf, type Kind } from './corpus.js'
import { collected, longestMs, watched } from './watched.js'

/** Requests at the same time. */
const atOnce = 4

interface Target {
  method: string
  path: string
  kinds: readonly Kind[]
}

const baseUrl = inject('baseUrl')
const { api: apiProcess } = sharedStack()
let targets: Target[]
let clients: { platform: Api; tenant: Api }
let pid: number | undefined
let memory: number

beforeAll(async () => {
  const tenant = await formsTenant({ delivery: { url: 'https://forms.example.org/' } })
  await tenant.publish(aTemplate())
  // Open to everybody.
  await tenant.change({ glue: { endpoints: [{ key: 'open', steps: [{ name: 'r', respond: { body: 'fine' } }] }] } })
  clients = { platform: await admin(baseUrl), tenant: await tenant.client(['*'], ['FrameApi', 'FormsApi']) }
  const { body } = await clients.tenant.post<InstanceBody>(createPath, aRequest(tenant.subjectId, { formKey: 'visit' }))
  const { instanceGuid } = body
  const named = { tenantKey: tenant.tenantKey, formKey: 'visit', formVersion: '1', instanceGuid, endpointKey: 'open' }
  targets = await targetsOf({ ...named, subjectId: tenant.subjectId, patientId: tenant.subjectId })
  // What every endpoint needs once.
  const harmless = { name: '', kind: 'headers', body: () => Buffer.from('{}') } as const
  for (const target of targets) await post(target, harmless, harmless.body())
  await watched(() => Promise.resolve())
  pid = apiProcess.pid
  memory = await collected()
})

/** Every route of the API that takes a body, with the kinds that it takes: what the description does not list may take any. */
async function targetsOf(named: Record<string, string>): Promise<Target[]> {
  const own = await startOwnApp(inject('databaseUrl'))
  await own.stop()
  const { body } = await clients.tenant.get<Description>('/openapi.json')
  const filled = (path: string) =>
    path.replace(/:(\w+)/g, (_, name) =>
      name === 'tenantKey' && path.startsWith('/admin') ? 'hostile' : (named[name] ?? 'hostile'),
    )
  return own.routes.flatMap(({ method, path }) => {
    const operation = body.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    const types = Object.keys(operation?.requestBody?.content ?? {})
    const kinds: Kind[] = operation ? types.map(type => (type.startsWith('multipart') ? 'multipart' : 'json')) : any
    // Another test counts the keys, which belong to all tenants.
    const isLeftOut = method === 'GET' || method === 'HEAD' || path.endsWith('/signingKeys')
    return isLeftOut ? [] : [{ method, path: filled(path), kinds }]
  })
}

const any: Kind[] = ['json', 'form', 'multipart']

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
  const answer = await fetch(new URL(path, baseUrl), { method, headers, body, redirect: 'manual' })
  await answer.arrayBuffer()
  return { to: `${method} ${path}`, status: answer.status, type: answer.headers.get('content-type') ?? '' }
}

test('endpoints of every kind are found', () => {
  const all = targets.map(({ method, path }) => `${method} ${path}`).join('\n')
  for (const path of ['/sign-in', '/launch', '/SinglePass/visit/1', '/open', '/structuralEntity/bulk'])
    expect(all).toContain(path)
})

test.each(corpus.map(each => [each.kind, each.name, each] as const))('%s: %s', async (kind, _, hostile) => {
  const body = hostile.body()
  const taking = targets.filter(({ kinds }) => kind === 'headers' || kinds.includes(kind))
  const answers: Answered[] = []
  const sendTo = (some: Target[]) =>
    watched(async () => {
      for (let n = 0; n < some.length; n += atOnce) {
        answers.push(...(await Promise.all(some.slice(n, n + atOnce).map(target => post(target, hostile, body)))))
      }
    })
  // Other files use the same process meanwhile: a request that holds it up does so each time, and alone.
  const isSlow = async (target: Target) => {
    for (let tries = 0; tries < 3; tries++) if ((await sendTo([target])) <= longestMs) return false
    return true
  }
  if ((await sendTo(taking)) > longestMs) {
    const slow: string[] = []
    for (const target of taking) if (await isSlow(target)) slow.push(target.path)
    expect(slow).toEqual([])
  }
  expect(
    answers.filter(({ status, type }) => status >= 500 || (status >= 400 && !/^application\/problem\+json/.test(type))),
  ).toEqual([])
})

test('it is the same process, and its memory is back', async () => {
  expect(apiProcess.pid).toBe(pid)
  // Other files use the same process meanwhile: what it remembers for a moment goes by itself.
  console.log(`held: ${Math.round(memory / 1e6)} MB before, ${Math.round((await collected()) / 1e6)} MB afterwards`)
  await expect.poll(async () => (await collected()) / memory, { timeout: 30_000, interval: 200 }).toBeLessThan(1.1)
})
