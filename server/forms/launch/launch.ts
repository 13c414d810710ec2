// Routes that open the page of a single-pass form.
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import Type from 'typebox'
import type { TenantLimitsReader } from '../../../db/admin/tenant-limits.js'
import type { TenantId } from '../../../db/connect.js'
import type { PublishedForms } from '../../../db/forms/templates/published-forms.js'
import type { FormSettings } from '../../../db/forms/templates/settings.js'
import type { FormTemplate } from '../../../forms/template.js'
import { forbidden, notFound } from '../../../runtime/problem.js'
import type { Seal } from '../../../runtime/seal.js'
import { bearerToken } from '../../middleware/authenticate.js'
import { addressOf, limitRequests } from '../../middleware/rate-limit.js'
import { smallForm } from '../../middleware/small-form.js'
import { readParams } from '../../middleware/validate.js'
import { serve } from '../../operation.js'
import { renderBlank } from '../pages/large-pages.js'
import { withHidden } from '../pages/page.js'
import { pages as declared } from '../pages/page-declarations.js'
import { pageProblems, showPage } from '../pages/page-problems.js'
import { Version } from '../templates/published.js'
import { type LaunchAdmission, type LaunchTenant, noForms } from './launch-policy.js'
import { launchTickets } from './launch-ticket.js'

export interface LaunchDependencies {
  policy: LaunchAdmission
  forms: PublishedForms
  limits: TenantLimitsReader
  seal: Seal
}

/** A published form of a tenant, and what the tenant says of such forms. */
export interface Launch {
  tenantId: TenantId
  tenantKey: string
  settings: FormSettings
  template: FormTemplate
  /** Where it is sent, and opened again. */
  path: string
}

/**
 * The pages on which single-pass forms are filled in (spec forms "Launch"). Without a version it is the highest one in
 * production. A token comes in a header, or in a field of a form that is posted to `…/launch`: never in a URL.
 */
export function launchRoutes(router: Router, { policy, forms, limits, seal }: LaunchDependencies): void {
  const tickets = launchTickets(seal)
  /** Rendered once for each template. */
  const pages = new WeakMap<FormTemplate, Promise<Buffer[]>>()
  const pageOf = ({ tenantId, template, path }: Launch) => {
    const known = pages.get(template) ?? renderBlank(tenantId, template, path)
    pages.set(template, known)
    known.catch(() => pages.delete(template))
    return known
  }

  const open =
    (tokenOf: (ctx: Context) => Promise<string | undefined> | string | undefined): Middleware =>
    async ctx => {
      const token = await tokenOf(ctx)
      const launch = await launchOf(ctx, forms, () => policy.admit(ctx, token))
      await limitLaunches(ctx, launch, limits)
      const isAdmitted = launch.settings.launch.openIdConnect !== undefined
      const ticket = await tickets.issue(launch, { token, isAdmitted })
      showPage(ctx, 200, withHidden(await pageOf(launch), { ticket }))
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
 * The published form that a path names. A tenant without such a form that has nowhere to send forms is answered as one that does not exist.
 * @param admit gives the tenant.
 * @throws Problem 400 where the version is no number; 404; 403 where the tenant has nowhere to send it; what `admit` throws.
 */
export async function launchOf(
  ctx: Context,
  forms: PublishedForms,
  admit: () => Promise<LaunchTenant>,
): Promise<Launch> {
  // Before the tenant is looked for: a version that is no number is 400 at every tenant.
  const { tenantKey = '', formKey = '', formVersion } = readLaunch(ctx.params)
  const { tenantId, settings } = await admit()
  const version = formVersion ?? (await forms.latest(tenantId, formKey))
  const template = version === undefined ? undefined : await forms.template(tenantId, formKey, version)
  // The database ignores blanks at the end of a key.
  const isNamed = template?.key === formKey
  if (!isNamed && !settings.delivery) throw noForms(tenantKey)
  // Also pages that say no are shown in the frame that asked for the form.
  ctx.state.frameAncestors = settings.launch.frameAncestors
  if (!isNamed) {
    const named = formVersion === undefined ? 'in any version' : `in version '${formVersion}'`
    throw notFound(`There is no published form '${formKey}' ${named}.`)
  }
  if (!settings.delivery) throw forbidden('The forms of this tenant cannot be sent anywhere: it has no forms.delivery.')
  const path = `/${tenantKey}/SinglePass/${encodeURIComponent(formKey)}/${template.version}`
  return { tenantId, tenantKey, settings, template, path }
}

/** Limits what one address sends for a form to what the tenant's manifest says of a client: no stranger uses it up for others. @throws Problem 429 */
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
