// The authenticated caller of a request.
import type { Grant } from '../activities/auth/grants.js'

/** The caller of a request: a tenant's client, or a person who has signed in, with their present grants. */
export interface Caller {
  tenantKey: string
  tenantId: number
  /** Who acts: the id of the client, or `account:<id>` for a person. Jobs, limits and repeated requests belong to it. */
  clientId: string
  /** The token's `sub`: the person, if the client acts for one. */
  subject: string
  scopes: Grant['scopes']
  allows: Grant['allows']
  limits: Grant['limits']
}
