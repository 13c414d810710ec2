// Reads what waits for a human.
import { inject } from 'vitest'
import { type Api, admin } from './api.js'
import type { Page } from './frame.js'
import { send } from './http.js'

export interface AttentionRow {
  tenant: string
  kind: string
  subject: string
  since: string
  why: string
  nextStep: string
  action: { method: 'GET' | 'POST'; path: string } | null
}

const rowsOf = ({ body }: { body: Page<AttentionRow> }) => body.Edges.map(({ Node }) => Node)

/** What a tenant's client is shown, the newest first. */
export const ownAttention = async (tenant: Api, query = ''): Promise<AttentionRow[]> =>
  rowsOf(await tenant.get<Page<AttentionRow>>(`/api/v1/attention?First=1000${query}`))

/** What operators are shown of a tenant. */
export const attentionOf = async (tenantKey: string, query = ''): Promise<AttentionRow[]> => {
  const platform = await admin(inject('baseUrl'))
  return rowsOf(await platform.get<Page<AttentionRow>>(`/admin/v1/attention?First=1000&Tenant=${tenantKey}${query}`))
}

/** The lines of the gauge about a tenant. They may be a second old. */
export const attentionGauge = async (tenantKey: string): Promise<string[]> =>
  (await send(inject('metricsUrl'), '/metrics/platform')).text
    .split('\n')
    .filter(line => line.startsWith(`armature_attention{tenant="${tenantKey}"`))
