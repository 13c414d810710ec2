import type { Grant } from '../activities/auth/grants.js'

/** Who calls: a client of a tenant, with what the platform grants it now. */
export interface Caller {
  tenantKey: string
  tenantId: number
  clientId: string
  /** `sub` of the token: the person, where a person's client calls. */
  subject: string
  allows: Grant['allows']
  limits: Grant['limits']
}
