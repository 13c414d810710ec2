// The tenant of a request, by the request alone. Nothing is verified here: the cell does that.
import Router from '@koa/router'
import { decodeJwt } from 'jose'
import type { Context } from 'koa'
import { pages } from '../forms/pages/page-declarations.js'
import { glueRoutes } from '../glue/endpoints.js'
import { identityPath, identityRoutes } from '../identity/paths.js'
import { bearerToken } from '../middleware/authenticate.js'
import type { TenantName } from './directory.js'

const tokenPath = identityPath + identityRoutes.token

/** Declared paths that name their tenant. Those of `/admin` belong to the cell of the operator's token. */
const pathsWithTenant = new Set(
  [...Object.values(pages), ...Object.values(glueRoutes)].flatMap(({ path }) =>
    path.includes('/:tenantKey/') ? [path] : [],
  ),
)

/** Notes the tenant that the path names. */
export function tenantOfPath(): Router {
  const router = new Router()
  router.all([...pathsWithTenant], (ctx, next) => {
    ctx.state.tenantOfPath = ctx.params.tenantKey
    return next()
  })
  return router
}

/**
 * The tenant of a request: of its path, else of the client that wants a token, else of its token.
 * @param body undefined where it is large.
 * @returns undefined for a request that names none.
 */
export function tenantNameOf(ctx: Context, body: Buffer | undefined): TenantName | undefined {
  const { tenantOfPath: tenantKey }: { tenantOfPath?: string } = ctx.state
  if (tenantKey !== undefined) return { tenantKey }
  const authorization = ctx.get('authorization')
  if (ctx.path === tokenPath) {
    const clientId = clientOfBasic(authorization) ?? new URLSearchParams(body?.toString('latin1')).get('client_id')
    return clientId ? { clientId } : undefined
  }
  return tenantOfToken(bearerToken(authorization))
}

/** RFC 6749, 2.3.1: the client id is encoded as in a form, before the Basic scheme encodes both. */
function clientOfBasic(authorization: string): string | undefined {
  const [, credentials] = /^basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization) ?? []
  if (credentials === undefined) return undefined
  const [clientId = ''] = Buffer.from(credentials, 'base64').toString().split(':')
  try {
    return decodeURIComponent(clientId.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

function tenantOfToken(token: string | undefined): TenantName | undefined {
  if (token === undefined) return undefined
  try {
    const { tenant_key: tenantKey } = decodeJwt(token)
    return typeof tenantKey === 'string' ? { tenantKey } : undefined
  } catch {
    // The cell refuses it.
    return undefined
  }
}
