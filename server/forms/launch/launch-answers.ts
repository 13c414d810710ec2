// Serves the routes that receive a submitted single-pass form and confirm it.
import { randomUUID } from 'node:crypto'
import type Router from '@koa/router'
import type { Knex } from 'knex'
import type { Context, Middleware } from 'koa'
import { jobStore } from '../../../db/jobs/jobs.js'
import type { SubmittedValues } from '../../../forms/submitted-values.js'
import type { FormFault } from '../../../forms/values.js'
import { isId } from '../../../runtime/ids.js'
import { badRequest, type Fault, invalid, notFound, Problem } from '../../../runtime/problems/problem.js'
import type { Jobs } from '../../jobs/start.js'
import { bearerToken } from '../../middleware/authenticate.js'
import { logWith } from '../../middleware/trace.js'
import { serve } from '../../operation.js'
import { renderPage } from '../pages/large-pages.js'
import { pages } from '../pages/page-declarations.js'
import { pageProblems, showNotice, showPage, wantsPage } from '../pages/page-problems.js'
import { readPosted, stepped, withoutBadFiles } from '../pages/posted-form.js'
import { type Launch, type LaunchDependencies, launchOf, limitLaunches } from './launch.js'
import { launchTickets, type Ticket } from './launch-ticket.js'
import { createSubmit, launchActor } from './submissions.js'

/** Registers the routes that take a submitted single-pass form, and the page that confirms it. */
export function launchAnswerRoutes(
  router: Router,
  { db, jobs, policy, forms, limits, seal }: LaunchDependencies & { db: Knex; jobs: Jobs },
): void {
  const tickets = launchTickets(seal)
  const submit = createSubmit({ jobs, seal })

  const answer: Middleware = async ctx => {
    const launch = await launchNamed(ctx)
    await limitLaunches(ctx, launch, limits)
    const { template } = launch
    logWith(ctx, { tenantKey: launch.tenantKey, formKey: template.key })
    const posted = await readPosted(ctx, template)
    const { given, action, field } = posted
    const ticket = await ticketOf(ctx, launch, field('ticket'))
    const hidden = { ticket: field('ticket') || tickets.issue(launch, ticket) }
    const again = async (status: number, given: SubmittedValues, faults: readonly FormFault[] = []) =>
      showPage(
        ctx,
        status,
        await renderPage(launch.tenantId, { ...fillIn(launch), given, faults, hidden, basePath: ctx.state.basePath }),
      )

    const next = stepped(template, posted)
    if (next) return again(200, next)
    if (!['', 'send'].includes(action)) throw badRequest('action', 'There is no such action.')
    const { tenantId: id, tenantKey: key } = launch
    const { traceId, log } = ctx.state
    const faults = await submit({ tenant: { id, key }, template, ticket, given, traceId, log })
    if (faults.length === 0) return confirmSent(ctx, launch, ticket)
    if (!wantsPage(ctx)) throw invalid(faults.map(toFault))
    await again(400, withoutBadFiles(template, given, faults), faults)
  }
  serve(router, pages.sendForm, pageProblems, answer)
  serve(router, pages.sendFormVersion, pageProblems, answer)

  serve(router, pages.formSent, pageProblems, async ctx => {
    const { tenantId, template } = await launchNamed(ctx)
    const { reference } = ctx.query
    const isSent =
      typeof reference === 'string' &&
      isId(reference) &&
      (await jobStore(db, tenantId).byIdempotencyKey(launchActor, reference)) !== undefined
    if (!isSent) throw notFound('There is no form with this reference.')
    showNotice(ctx, 200, {
      kind: 'success',
      language: template.language,
      title: 'Your form was sent',
      text: `${template.title}\nReference: ${reference}`,
    })
  })

  /**
   * Finds the form that a path names. If the tenant requires tokens, only admitted users learn that a form does not exist.
   * @throws Problem 403, and what `launchOf` throws.
   */
  async function launchNamed(ctx: Context): Promise<Launch> {
    const tenant = () => policy.settings(String(ctx.params.tenantKey))
    return launchOf(ctx, forms, tenant).catch(async (error: unknown) => {
      const isUnknown = error instanceof Problem && error.status === 404
      const isAsked = isUnknown && (await tenant()).settings.launch.openIdConnect !== undefined
      if (isAsked) await policy.admit(ctx, bearerToken(ctx.get('authorization')))
      throw error
    })
  }

  /** Opens the ticket of a submission, and admits its sender by ticket or token. @throws Problem 403 */
  async function ticketOf(ctx: Context, launch: Launch, text: string): Promise<Ticket> {
    const ticket: Ticket = text === '' ? { transactionId: randomUUID() } : tickets.open(text, launch)
    if (ticket.accepted) {
      await policy.readmit(launch.tenantKey, ticket.accepted)
      return ticket
    }
    const token = bearerToken(ctx.get('authorization'))
    const { accepted } = await policy.admit(ctx, token)
    return { ...ticket, token: ticket.token ?? token, accepted }
  }
}

const fillIn = ({ template, path }: Launch) => ({
  template,
  mode: 'fill' as const,
  action: path,
  buttons: [{ action: 'send', label: 'Send', kind: 'primary' as const }],
})

/**
 * Confirms a submission. Browsers are redirected to a page with its reference, which can be reloaded; programs get it
 * as JSON.
 */
function confirmSent(ctx: Context, { path }: Launch, { transactionId }: Ticket): void {
  if (ctx.accepts('html', 'json') === 'json') {
    ctx.status = 202
    ctx.body = { reference: transactionId }
    return
  }
  ctx.status = 303
  ctx.redirect(`${path}/sent?reference=${transactionId}`)
}

const toFault = ({ pointer, code, detail }: FormFault): Fault => ({ pointer: `/values${pointer}`, code, detail })
