// Serves the routes that open the page of a single-pass form.
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import Type from 'typebox'
import type { Accepted } from '../../../activities/auth/user-tokens.js'
import type { TenantId } from '../../../db/connect.js'
import type { FormSettings } from '../../../db/forms/settings.js'
import type { PublishedForms } from '../../../db/forms/templates/published-forms.js'
import type { TenantLimitsReader } from '../../../db/tenant-limits.js'
import type { FormTemplate } from '../../../forms/template.js'
import { forbidden, notFound } from '../../../runtime/problems/problem.js'
import type { Seal } from '../../../runtime/secrets/seal.js'
import { bearerToken } from '../../middleware/authenticate.js'
import { addressOf, limitRequests } from '../../middleware/rate-limit.js'
import { smallForm } from '../../middleware/small-form.js'
import { readParams } from '../../middleware/validate.js'
import { serve } from '../../operation.js'
import { renderBlank } from '../pages/large-pages.js'
import { withHidden } from '../pages/page.js'
import { pages as declared } from '../pages/page-declarations.js'
import { pageProblems, showPage } from '../pages/page-problems.js'
import { refuseForeignToken } from '../pages/posted-token.js'
import { Version } from '../templates/published-version.js'
import { type LaunchAdmission, type LaunchTenant, noForms } from './launch-policy.js'
import { launchTickets } from './launch-ticket.js'

export interface LaunchDependencies {
  policy: LaunchAdmission
  forms: PublishedForms
  limits: TenantLimitsReader
  seal: Seal
}

/** A published form of a tenant, with the tenant's settings for single-pass forms. */
export interface Launch {
  tenantId: TenantId
  tenantKey: string
  settings: FormSettings
  template: FormTemplate
  /** Path at which browsers open and submit the form. */
  path: string
}

/**
 * Registers the pages on which single-pass forms are filled in (spec forms "Launch"). A path without a version means the highest
 * one in production. A token comes in a header, or as a form field in a POST to `…/launch`, but never in a URL.
 */
export function launchRoutes(router: Router, { policy, forms, limits, seal }: LaunchDependencies): void {
  const tickets = launchTickets(seal)
  /** Blank pages, rendered once for each template. */
  const pages = new WeakMap<FormTemplate, Promise<Buffer[]>>()
  const pageOf = ({ tenantId, template, path }: Launch, basePath: string) => {
    const known = pages.get(template) ?? renderBlank(tenantId, template, path, basePath)
    pages.set(template, known)
    known.catch(() => pages.delete(template))
    return known
  }

  const open =
    (tokenOf: (ctx: Context) => Promise<string | undefined> | string | undefined): Middleware =>
    async ctx => {
      const token = await tokenOf(ctx)
      let accepted: Accepted | undefined
      const launch = await launchOf(ctx, forms, async () => {
        const admitted = await policy.admit(ctx, token)
        accepted = admitted.accepted
        return admitted
      })
      if (token !== undefined && ctx.method === 'POST') refuseForeignToken(ctx, launch.settings)
      await limitLaunches(ctx, launch, limits)
      const ticket = tickets.issue(launch, { token, accepted })
      showPage(ctx, 200, withHidden(await pageOf(launch, ctx.state.basePath), { ticket }))
    }

  const byHeader = open(ctx => bearerToken(ctx.get('authorization')))
  serve(router, declared.openForm, pageProblems, byHeader)
  serve(router, declared.openFormVersion, pageProblems, byHeader)
  const byField = open(async ctx => (await smallForm(ctx)).get('token') || undefined)
  serve(router, declared.openFormByPost, pageProblems, byField)
  serve(router, declared.openFormVersionByPost, pageProblems, byField)
}

const readLaunch = readParams(Type.Object({ formVersion: Type.Optional(Version) }))

/**
 * Finds the published form that a path names. If the tenant has neither this form nor a form delivery, the answer is the same as
 * for an unknown tenant.
 * @param admit admits the user and returns the tenant.
 * @throws Problem 400 for an invalid version; 404 for an unknown form; 403 if the tenant has no form delivery; what `admit` throws.
 */
export async function launchOf(
  ctx: Context,
  forms: PublishedForms,
  admit: () => Promise<LaunchTenant>,
): Promise<Launch> {
  // Reads the path before looking up the tenant, so that an invalid version is 400 for every tenant.
  const { tenantKey = '', formKey = '', formVersion } = readLaunch(ctx.params)
  const { tenantId, settings } = await admit()
  const version = formVersion ?? (await forms.latest(tenantId, formKey))
  const template = version === undefined ? undefined : await forms.template(tenantId, formKey, version)
  // Compares the key again, because the database ignores blanks at its end.
  const isNamed = template?.key === formKey
  if (!isNamed && !settings.delivery) throw noForms(tenantKey)
  // Set before the refusals below, so that error pages are shown in the frame of the tenant's application too.
  ctx.state.frameAncestors = settings.launch.frameAncestors
  if (!isNamed) {
    const named = formVersion === undefined ? 'in any version' : `in version '${formVersion}'`
    throw notFound(`There is no published form '${formKey}' ${named}.`)
  }
  if (!settings.delivery)
    throw forbidden('Forms of this tenant cannot be sent, because its manifest has no forms.delivery.')
  const path = `${ctx.state.basePath}/${tenantKey}/SinglePass/${encodeURIComponent(formKey)}/${template.version}`
  return { tenantId, tenantKey, settings, template, path }
}

/**
 * Limits the requests of one address for one form. The limit is the one that the tenant's manifest sets for a client, counted by
 * address so that a stranger cannot use it up for others.
 * @throws Problem 429
 */
export async function limitLaunches(
  ctx: Context,
  { tenantId, template }: Launch,
  limits: TenantLimitsReader,
): Promise<void> {
  await limitRequests(
    ctx,
    `${tenantId}/forms/${template.key}/${addressOf(ctx)}`,
    (await limits(tenantId)).requestsPerMinute,
  )
}
