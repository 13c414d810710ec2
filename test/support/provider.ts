// The vaccination provider, and tenants that use it.
import { closeSync, openSync } from 'node:fs'
import { createServer, type RequestListener, type Server } from 'node:http'
import { join } from 'node:path'
import { inject } from 'vitest'
import { demoGlue, demoProviderClient } from '../../dev/demo-glue.js'
import type { Behaviour } from '../../dev/provider/behaviour.js'
import { createVaccinationProvider, type VaccinationProvider } from '../../dev/provider/provider.js'
import { dataPointOf, strangers, vaccinationsOf } from '../../dev/provider/vaccinations.js'
import { newTenant, type Tenant } from './api.js'
import { readAll } from './frame.js'
import { demoSubjects } from './manifest.js'
import { person } from './people.js'
import { bulkPath } from './subjects.js'

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

/** True for who asks first; where the stack is shared, of all processes. */
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
        : { name, respond: { expression: 'steps.register.body' } },
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
