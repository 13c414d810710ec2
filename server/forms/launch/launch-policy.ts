// Decides who may open a tenant's single-pass forms.
import type { Knex } from 'knex'
import type { Context } from 'koa'
import { AuthorityUnavailable } from '../../../activities/auth/authority.js'
import { type Accepted, UnusableMethod, type UserTokens } from '../../../activities/auth/user-tokens.js'
import { TokenRefused } from '../../../activities/auth/verify-token.js'
import { requireActive } from '../../../db/admin/suspension.js'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import type { TenantId } from '../../../db/connect.js'
import { type FormSettings, formSettings } from '../../../db/forms/settings.js'
import type { GlueReader } from '../../../db/glue/endpoints/settings.js'
import { cached } from '../../../runtime/load/cache.js'
import type { Log } from '../../../runtime/observe/log.js'
import { forbidden, notFound, Problem, unavailable } from '../../../runtime/problems/problem.js'
import { countWrongCredential } from '../../middleware/rate-limit.js'

export interface LaunchPolicyDependencies {
  db: Knex
  glue: GlueReader
  userTokens: UserTokens
  log: Log
  /** How long settings are cached, in ms. Default 2 s. */
  ttlMs?: number
}

/** Decides which users may open a tenant's single-pass forms and see their list. */
export interface LaunchAdmission {
  /**
   * Admits a user by the tenant's launch policy: everybody, or users with a valid token of the policy's authority.
   * @param ctx a request below the path of a tenant.
   * @param token of the user; empty or undefined if none was sent.
   * @throws Problem 404 for a tenant that does not exist.
   *   Problem 403, never 401, if the policy is not fulfilled or cannot be used (spec forms "Authentication"), or the tenant is suspended.
   *   Problem 429 after too many wrong tokens from an address; 503 while the authority cannot be reached.
   */
  admit(ctx: Context, token: string | undefined): Promise<AdmittedTenant>
  /**
   * Admits a user whose token was accepted when a page was opened, and may have expired since, by the launch policy and
   * the grants of now.
   * @throws Problem 403 if the policy or the client that the token named would no longer let the user in, or the tenant is suspended.
   */
  readmit(tenantKey: string, accepted: Accepted): Promise<void>
  /**
   * Returns the tenant without admitting anybody, for users who hold a ticket.
   * @throws Problem 404 for a tenant that does not exist, 403 for one that is suspended.
   */
  settings(tenantKey: string): Promise<LaunchTenant>
}

export interface LaunchTenant {
  tenantId: TenantId
  settings: FormSettings
}

/** A tenant, and the claims of the user's token if the policy asks for one. */
export interface AdmittedTenant extends LaunchTenant {
  accepted?: Accepted
}

/** Creates the admission to single-pass forms. A changed manifest takes effect within `ttlMs`. */
export function createLaunchPolicy(dependencies: LaunchPolicyDependencies): LaunchAdmission {
  const { db, glue, userTokens, log, ttlMs = 2_000 } = dependencies
  const settingsOf = cached((tenantId: TenantId) => formSettings(db, tenantId), { ttlMs })

  async function tenantOf(tenantKey: string): Promise<LaunchTenant> {
    const tenantId = await tenantNamed(db, tenantKey)
    await requireActive(db, tenantKey)
    return { tenantId, settings: await settingsOf(tenantId) }
  }

  return {
    settings: tenantOf,

    async admit(ctx, token) {
      const tenantKey = String(ctx.params.tenantKey)
      const { tenantId, settings } = await tenantOf(tenantKey)
      const { openIdConnect } = settings.launch
      if (openIdConnect) {
        if (!token) throw forbidden('The forms of this tenant need a token of the authority that it trusts.')
        const { variables } = (await glue(tenantId)).settings
        // UserTokens caches the rendered settings by method object. The variables may have changed since, so it gets a
        // new one.
        const accepted = await userTokens
          .validate(token, { ...openIdConnect }, { tenantId, tenantKey, variables })
          .catch((error: unknown) => refused(ctx, error, tenantKey))
        return { tenantId, settings, accepted }
      }
      return { tenantId, settings }
    },

    async readmit(tenantKey, accepted) {
      const { tenantId, settings } = await tenantOf(tenantKey)
      const { openIdConnect } = settings.launch
      if (!openIdConnect) return
      const { variables } = (await glue(tenantId)).settings
      await userTokens.accepts(accepted, openIdConnect, { tenantId, tenantKey, variables }).catch((error: unknown) => {
        throw error instanceof TokenRefused ? forbidden(withdrawn) : unusable(error, tenantKey)
      })
    },
  }

  async function refused(ctx: Context, error: unknown, tenantKey: string): Promise<never> {
    if (error instanceof TokenRefused && error.isForged) await countWrongCredential(ctx)
    if (error instanceof TokenRefused) throw forbidden(`The token is not valid (${error.reason}).`)
    if (error instanceof AuthorityUnavailable) throw unavailable('The authority that the tenant trusts', error)
    throw unusable(error, tenantKey)
  }

  function unusable(error: unknown, tenantKey: string): unknown {
    if (!(error instanceof UnusableMethod)) return error
    log.warn({ err: error, tenantKey }, 'the launch policy of a tenant cannot be used')
    return forbidden(
      'The launch policy of this tenant cannot be used. Operators find the reason in the log, by the trace id.',
    )
  }
}

const withdrawn =
  'The application through which you opened this form may no longer send forms. Ask those who run the application.'

const tenantNamed = async (db: Knex, tenantKey: string): Promise<TenantId> =>
  tenantIdOf(db, tenantKey).catch((error: unknown) => {
    throw error instanceof Problem && error.status === 404 ? noForms(tenantKey) : error
  })

/** Builds one answer for unknown tenants and for tenants without form delivery, so that strangers cannot tell them apart. */
export const noForms = (tenantKey: string): Problem =>
  notFound(
    `There are no forms of a tenant '${tenantKey}' that can be sent. If it exists, check forms.delivery in its manifest.`,
  )
