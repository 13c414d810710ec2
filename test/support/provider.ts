// Providers for tests: the demo’s register, servers that the stack may call, and servers with limits or faults.
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
  /** Stops the server and closes all connections. */
  stop(): Promise<void>
}

/**
 * Starts a server on a port that the stack's OUTBOUND_ALLOW lists, so that the glue of tenants can call it. No port is used twice, because
 * somebody may still call the server that used it before, or remember its keys.
 * @param ports the ports of the test's own stack; by default those of the shared stack.
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

/**
 * Starts a register of vaccinations.
 * @param options.people how many people it has, 20 by default.
 * @param options.doses how many vaccinations each has; by default none to six.
 */
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
 * Creates a tenant with the demo's glue for this provider, and with the provider's people as subjects. Its data set `vaccinations` has the
 * routine programme.
 * @param change changes the section `glue` of the manifest, such as {@link asDataPoints}.
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

/** Changes the glue so that the provider answers with data points. That is faster for many rows, because no expression converts them. */
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

/** Returns the data points that a data set must have after a refresh, ordered by id. */
export const expectedRows = (provider: TestProvider, programme = 'routine'): DataPoint[] =>
  provider.vaccinations.all(programme).map(dataPointOf)

/** Reads the data points of a data set, ordered by id. */
export async function readRows(tenant: Tenant, key = 'vaccinations'): Promise<DataPoint[]> {
  const rows = await readAll<DataPoint & { SubjectId: string }>(tenant, `/api/v1/dataSet/${key}/rows`)
  return rows.map(({ SubjectId, ...point }) => point).sort((a, b) => (a.Id < b.Id ? -1 : 1))
}

/** Starts a provider whose calls take 100 ms. It records when each call arrives, and how many are under way at once. */
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
     * Makes the section `glue` of a tenant. Its endpoint `call` calls this provider within these limits.
     * @param others how many further providers with the same limits it has. Nobody calls them.
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
    /** Calls the endpoint `count` times at once. @returns status and body of each call. */
    callAtOnce: ({ tenantKey }: Tenant, count: number) =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const answer = await fetch(`${of.baseUrl}/glue/${tenantKey}/call`, { method: 'POST' })
          return `${answer.status} ${await answer.text()}`
        }),
      ),
  }
}

/** Starts a provider that answers with a status of the test's choice, and returns ways to call it as one process does. */
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
    /** Sets the status of all further answers. */
    answers(status: number): void {
      told.status = status
    },
    /** Delays all answers until the returned function is called. */
    hold(): () => void {
      const gate = new EventEmitter()
      held = once(gate, 'open')
      return () => gate.emit('open')
    },
    call: (key = 'one', more: { signal?: AbortSignal; run?: string } = {}) => calls.call(to(key, more)),
    fails,
    /** Makes this many calls, all of which fail with status 503. */
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
