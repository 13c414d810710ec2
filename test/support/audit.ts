// Reads the audit of a tenant.

import { inject } from 'vitest'
import { type Api, admin } from './api.js'

export interface AuditEvent {
  position: number
  at: string
  client: string
  person?: string
  address?: string
  action: string
  kind: string
  ids: string[]
  outcome: string
  traceId: string
  members: string[]
  changes?: { path: string; change: string }[]
  tenant?: string
  deleted?: Record<string, number>
  previousHash: string
  hash: string
}

/** Reads all events of a tenant, the oldest first, as lines. @param query parameters of the filter. */
export async function auditOf(tenant: Api, query: Record<string, string> = {}): Promise<AuditEvent[]> {
  const path = `/api/v1/audit?${new URLSearchParams({ ...query, OrderDirection: 'Ascending' })}`
  return linesOf(await tenant.get<string>(path, { accept: 'application/x-ndjson' }))
}

/** Reads all events of a tenant as the platform, or with `''` those of the installation. */
export async function auditForPlatform(tenantKey: string): Promise<AuditEvent[]> {
  const whose = tenantKey === '' ? '' : `&Tenant=${tenantKey}`
  const platform = await admin(inject('baseUrl'))
  return linesOf(
    await platform.get<string>(`/admin/v1/audit?OrderDirection=Ascending${whose}`, { accept: 'application/x-ndjson' }),
  )
}

/**
 * Compares the audit with requests, which have their operations by id.
 * @returns the operations that have left no event, and those that have left one although they were refused or only read.
 */
export function toldOf(
  events: readonly AuditEvent[],
  { written, others }: Record<'written' | 'others', ReadonlyMap<string, string>>,
) {
  const done = new Set(events.filter(({ outcome }) => outcome === 'done').map(({ traceId }) => traceId))
  const of = (requests: ReadonlyMap<string, string>, isTold: boolean) =>
    new Set([...requests].flatMap(([id, operation]) => (done.has(id) === isTold ? [operation] : [])))
  return { untold: [...of(written, false)].sort(), toldWrongly: [...of(others, true)].sort() }
}

function linesOf({ status, body }: { status: number; body: string }): AuditEvent[] {
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
}
