// Data providers of tests: the demo’s register, servers that the stack may call, and sites with limits or faults.
import { EventEmitter, once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import { demoGlue, demoProviderClient } from '../../dev/demo-glue.js'
import type { Behaviour } from '../../dev/provider/behaviour.js'
import { createVaccinationProvider, type VaccinationProvider } from '../../dev/provider/provider.js'
import { dataPointOf, strangers, vaccinationsOf } from '../../dev/provider/vaccinations.js'
import { newTenant, type Tenant } from './api.js'
import { readAll } from './frame.js'
import { loopbackServer } from './http.js'
import { demoSubjects } from './manifest.js'
import { providerAt, providerCalls } from './provider-calls.js'
import { bulkPath, person } from './subjects.js'

/** A web server in this process, at an address that the processes of the stack may call. */
export interface AllowedServer {
  url: string
  /** Answers requests in this way from now on. */
  answer(listener: RequestListener): void
  /** Cuts what is under way. */
  stop(): Promise<void>
}

/**
 * Listens on one of the ports that the stack's OUTBOUND_ALLOW lists: what a tenant's glue calls in a test stands there. No
 * port is used twice: what was there before may still be called, and its keys be remembered.
 * @param ports of a stack of one's own; otherwise of the shared one, whose files share the list of those that were used.
 */
export async function allowedServer(ports?: readonly number[]): Promise<AllowedServer> {
  for (const port of ports ?? inject('providerPorts')) {
    if (!claims(port, ports === undefined)) continue
    const server = createServer()
    if (!(await listens(server, port))) continue
    return {
      url: `http://127.0.0.1:${port}`,
      answer: listener => void server.removeAllListeners('request').on('request', listener),
      async stop() {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
      },
    }
  }
  throw new Error('All ports of providers are taken: give the stack more.')
}

const claimed = new Set<number>()

/** Claims a port. Returns true only for the first claim, over all processes if the stack is shared. */
function claims(port: number, isShared: boolean): boolean {
  if (claimed.has(port)) return false
  claimed.add(port)
  if (!isShared) return true
  try {
    closeSync(openSync(join(inject('dataDir'), `claimed-port-${port}`), 'wx'))
    return true
  } catch {
    return false
  }
}

const listens = (server: Server, port: number): Promise<boolean> =>
  new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })

export interface TestProvider extends VaccinationProvider {
  url: string
  /** National ids of its people. */
  people: string[]
  stop(): Promise<void>
}

/** A register of vaccinations of so many people, with exactly so many doses each, or with none to six. */
export async function startProvider(
  options: { people?: number; doses?: number; behaviour?: Behaviour; ports?: readonly number[] } = {},
): Promise<TestProvider> {
  const people = strangers(options.people ?? 20)
  const rows = people.flatMap(nationalId => vaccinationsOf(nationalId, options.doses))
  const { url, answer, stop } = await allowedServer(options.ports)
  const { behaviour = {} } = options
  const provider = createVaccinationProvider({ url, client: demoProviderClient, rows, behaviour })
  answer(provider.listener)
  return { ...provider, url, people, stop }
}

type DemoGlue = ReturnType<typeof demoGlue>

/**
 * A new tenant with the demo's glue on this provider, that is the data set `vaccinations` of the routine programme, and with
 * the provider's people as subjects.
 * @param change what is to be otherwise in its manifest's section `glue`, such as {@link asDataPoints}.
 */
export async function vaccinationTenant(
  provider: Pick<TestProvider, 'url' | 'people'>,
  {
    baseUrl = inject('baseUrl'),
    change = glue => glue,
  }: { baseUrl?: string; change?: (glue: DemoGlue) => object } = {},
): Promise<Tenant> {
  const tenant = await newTenant(baseUrl, {}, { subjects: demoSubjects, glue: change(demoGlue(provider.url)) })
  for (let n = 0; n < provider.people.length; n += 20) {
    const twenty = provider.people.slice(n, n + 20).map(nationalId => person(nationalId))
    const { status, body } = await tenant.post(bulkPath, twenty)
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  return tenant
}

/** The glue with answers that are data points already: many rows come sooner when no expression makes them. */
export const asDataPoints = (glue: DemoGlue): DemoGlue => ({
  ...glue,
  endpoints: (glue.endpoints ?? []).map(endpoint => ({
    ...endpoint,
    steps: endpoint.steps.map(({ name, httpRequest }) =>
      httpRequest
        ? { name, httpRequest: { ...httpRequest, query: { ...httpRequest.query, as: 'dataPoints' } } }
        : { name, respond: { rows: 'steps.register.body.dataPoints', next: 'steps.register.body.next' } },
    ),
  })),
})

export type DataPoint = ReturnType<typeof dataPointOf>

/** What a data set is to hold: the provider's rows as data points, by their ids. */
export const expectedRows = (provider: TestProvider, programme = 'routine'): DataPoint[] =>
  provider.vaccinations.all(programme).map(dataPointOf)

/** What a data set holds, read page by page, by the data points' ids. */
export async function readRows(tenant: Tenant, key = 'vaccinations'): Promise<DataPoint[]> {
  const rows = await readAll<DataPoint & { SubjectId: string }>(tenant, `/api/v1/dataSet/${key}/rows`)
  return rows.map(({ SubjectId, ...point }) => point).sort((a, b) => (a.Id < b.Id ? -1 : 1))
}

/** A provider whose calls take 100 ms, with a note of when they came and how many were under way at once. */
export async function limitedSite(of: { baseUrl: string; providerPorts?: number[] } = { baseUrl: inject('baseUrl') }) {
  const site = await allowedServer(of.providerPorts)
  const seen = { arrivals: [] as number[], maxInFlight: 0 }
  let inFlight = 0
  site.answer(async (_, response) => {
    seen.arrivals.push(performance.now())
    seen.maxInFlight = Math.max(seen.maxInFlight, ++inFlight)
    await sleep(100)
    inFlight--
    response.end('answered')
  })
  return {
    seen,
    stop: site.stop,
    /**
     * The section `glue` of a tenant whose endpoint `call` calls this provider within the limits.
     * @param others so many more providers with these limits, which nobody calls.
     */
    glueWith: (limits: object, others = 0) => ({
      providers: [
        { key: 'limited', url: site.url, limits },
        ...Array.from({ length: others }, (_, n) => ({ key: `other-${n}`, url: site.url, limits })),
      ],
      endpoints: [
        {
          key: 'call',
          steps: [
            { name: 'answer', httpRequest: { provider: 'limited', method: 'GET', url: '/' } },
            { name: 'end', respond: { body: '{{ steps.answer.body }}' } },
          ],
        },
      ],
    }),
    /** Calls the endpoint so often at once. @returns the statuses and bodies. */
    callAtOnce: ({ tenantKey }: Tenant, count: number) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const answer = await fetch(`${of.baseUrl}/glue/${tenantKey}/call`, { method: 'POST' })
          return `${answer.status} ${await answer.text()}`
        }),
      ),
  }
}

/** A provider that answers with the status it is told, and the calls of it by a process of its own. */
export async function unreliableProvider(options: { tenant?: number } = {}) {
  const told = { status: 200 }
  let held: Promise<unknown> | undefined
  const site = await loopbackServer(async (_, response) => {
    await held
    response.writeHead(told.status).end()
  })
  const calls = providerCalls({ allow: [site.host], ...options })
  const to = (key: string, more = {}) => ({ provider: providerAt(site.url, { key }), url: `${site.url}/`, ...more })
  const fails = (key = 'one', more: { run?: string } = {}) => calls.failure(to(key, more))
  return {
    site,
    process: calls.process,
    lines: calls.lines,
    /** From now on it answers so. */
    answers(status: number): void {
      told.status = status
    },
    /** Answers wait until what this returns is called. */
    hold(): () => void {
      const gate = new EventEmitter()
      held = once(gate, 'open')
      return () => gate.emit('open')
    },
    call: (key = 'one', more: { signal?: AbortSignal; run?: string } = {}) => calls.call(to(key, more)),
    fails,
    /** Fails so often with the provider's own status. */
    async failsTimes(count: number, key?: string): Promise<void> {
      told.status = 503
      for (let n = 0; n < count; n++) expect(await fails(key)).toMatchObject({ reason: 'status', status: 503 })
    },
    async stop() {
      await calls.stop()
      await site.stop()
    },
  }
}
