// Tenants of tests with endpoints and data sets, and what their providers answer.
import { inject } from 'vitest'
import { type Api, api, newTenant, type Reply, type Tenant } from './api.js'
import { demoSubjects } from './manifest.js'
import { person } from './people.js'
import { bulkPath, type WrittenSubject } from './subjects.js'

/** An endpoint's call of `subject`, with the body of its answer read. */
export interface EndpointTenant extends Tenant {
  call<Body = unknown>(endpoint: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<Body>>
  /** Path of an endpoint. */
  path(endpoint: string): string
}

/** A tenant with this glue; endpoints without `authentication` are open to everybody. */
export async function glueTenant(
  glue: object,
  limits: object = {},
  baseUrl = inject('baseUrl'),
): Promise<EndpointTenant> {
  const tenant = await newTenant(baseUrl, limits, { glue })
  const stranger = api(baseUrl, '')
  const path = (endpoint: string) => `/glue/${tenant.tenantKey}/${endpoint}`
  return {
    ...tenant,
    path,
    call: (endpoint, body, headers) =>
      body === undefined ? stranger.get(path(endpoint), headers) : stranger.post(path(endpoint), body, headers),
  }
}

/** A tenant with one endpoint, `e`, of these steps, and `p` as its provider. */
export const oneEndpoint = (provider: { url: string }, steps: object[], more: object = {}): Promise<EndpointTenant> =>
  glueTenant({ providers: [{ key: 'p', url: provider.url }], endpoints: [{ key: 'e', steps }], ...more })

/** A data point with one item, as a provider answers it and readers see it. */
export const point = (Id: string, SubjectIdentifier: string, value: unknown = Id, DataType = 'String') => ({
  Id,
  SubjectIdentifier,
  DataPointItems: [{ Key: 'value', Value: { DataType, Value: value } }],
})

export type Point = ReturnType<typeof point>

export interface DataTenant extends Tenant {
  /** The client that announces changes. */
  provider: Api
  /** Ids of its subjects, by national id. */
  subjects: Record<string, { id: string; externalId: string }>
}

/** A tenant with this glue and with subjects of these national ids, by which providers name them. */
export async function dataTenant(
  glue: object,
  nationalIds: readonly string[],
  baseUrl = inject('baseUrl'),
): Promise<DataTenant> {
  const tenant = await newTenant(baseUrl, {}, { subjects: demoSubjects, glue })
  const written: WrittenSubject[] = []
  for (let n = 0; n < nationalIds.length; n += 20) {
    const twenty = nationalIds.slice(n, n + 20)
    const { status, body } = await tenant.post<WrittenSubject[]>(
      bulkPath,
      twenty.map(id => person(id)),
    )
    if (status !== 200) throw new Error(JSON.stringify(body))
    written.push(...body)
  }
  const entries = written.map(({ internalId, externalId }, n) => [nationalIds[n], { id: internalId, externalId }])
  const provider = await tenant.client([], ['FrameGlueDataProviderApi'])
  return { ...tenant, provider, subjects: Object.fromEntries(entries) }
}
