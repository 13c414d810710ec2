// The authenticated caller of a request.
import type { Grant } from '../activities/auth/grants.js'

/** The caller of a request: a client of a tenant, with its current grants. */
export interface Caller {
  tenantKey: string
  tenantId: number
  clientId: string
  /** `sub` of the token: the person, where a person's client calls. */
  subject: string
  allows: Grant['allows']
  limits: Grant['limits']
}
