// The authenticated caller of a request.
import type { Grant } from '../activities/auth/grants.js'

/** The caller of a request: a tenant's client with its present grants. */
export interface Caller {
  tenantKey: string
  tenantId: number
  clientId: string
  /** The token's `sub`: the person, if the client acts for one. */
  subject: string
  allows: Grant['allows']
  limits: Grant['limits']
}
