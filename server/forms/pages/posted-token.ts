// Decides which sites may post a user's token.
import type { Context } from 'koa'
import type { FormSettings } from '../../../db/forms/settings.js'
import { forbidden } from '../../../runtime/problems/problem.js'

/**
 * Refuses a token that a browser posts from a site that is none of the tenant's applications. Otherwise any site could sign its
 * visitors in as somebody else, who would then read what they enter (login CSRF). Browsers name the site in `Origin` with each POST.
 * A program names none, and has no visitors.
 * @throws Problem 403
 */
export function refuseForeignToken(ctx: Context, { applications = [] }: FormSettings): void {
  const origin = ctx.get('origin')
  const isProgram = origin === '' && ['', 'none'].includes(ctx.get('sec-fetch-site'))
  if (isProgram || applications.some(each => URL.parse(each)?.origin === origin)) return
  throw forbidden(
    ['', 'null'].includes(origin)
      ? 'The page that led here hides its address, so it may not pass on a token. An application must send its origin: check its ' +
          'Referrer-Policy, and the sandbox of its frame.'
      : `Pages of ${origin} may not pass on tokens for this tenant. If it is an application of the tenant, add it to ` +
          'forms.applications in the manifest.',
  )
}
