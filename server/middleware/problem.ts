// Turns errors into problem documents (RFC 9457).
import type { Context, Middleware } from 'koa'
import { AuthorityUnavailable } from '../../activities/auth/authority.js'
import { asProblem } from '../../db/errors.js'
import { listed, Problem, unavailable, withKeys } from '../../runtime/problems/problem.js'
import { memberNamed } from '../../runtime/schema/canonical-names.js'
import { noteProblem } from './declared-answers.js'

/**
 * Turns every error into an answer (RFC 9457); nothing else does. A 5xx reveals no internals, which go to the log
 * instead.
 */
export const problems: Middleware = async (ctx, next) => {
  try {
    await next()
    if (ctx.status === 404 && ctx.body === undefined) throw noRoute(ctx)
    // The router has set `Allow`. It answers 501 for methods that no path has, but the caller's remedy is the same.
    if ((ctx.status === 405 || ctx.status === 501) && ctx.body === undefined) throw notAllowed(ctx)
  } catch (error) {
    render(ctx, problemOf(ctx, error))
  }
}

/** Writes a problem as the answer. */
export function render(ctx: Context, problem: Problem): void {
  noteProblem(ctx, problem.code)
  ctx.status = problem.status
  ctx.set(problem.headers)
  ctx.body = problemDocument(ctx, problem)
  ctx.type = 'application/problem+json'
}

/** Returns the document that says to the caller what the problem is. */
export const problemDocument = (ctx: Context, problem: Problem): object => ({
  type: `${ctx.state.basePath}/problems/${problem.code}`,
  title: problem.title,
  status: problem.status,
  detail: problem.message,
  instance: ctx.state.basePath + ctx.path,
  traceId: ctx.state.traceId,
  ...(problem.faults.length > 0
    ? { errors: withKeys(listed(problem.faults), keyIn(ctx.state.request?.body ?? ctx.state.body)) }
    : {}),
})

/** Returns the key of a batch's item. Subjects have none, because the values that identify them are personal data. */
const keyIn = (body: unknown) => (index: number) => memberNamed(Array.isArray(body) ? body[index] : undefined, 'Key')

/** Turns an error into a problem, and logs it if the server is at fault. */
export function problemOf(ctx: Context, error: unknown): Problem {
  const problem = toProblem(error)
  if (problem.status >= 500) ctx.state.log.error({ err: problem.cause ?? error }, problem.title)
  return problem
}

/** Turns an error into the problem that its caller gets. */
export function toProblem(error: unknown): Problem {
  const known = asProblem(error)
  if (known instanceof Problem) return known
  if (error instanceof AuthorityUnavailable) return unavailable('The identity service', error)
  const { status, expose } = Object(error) as { status?: number; expose?: boolean }
  // The router throws this for malformed escapes in the path.
  if (expose && status === 400) return new Problem('malformed-request', 'The URL is malformed.')
  const detail = 'Something unforeseen happened. Please report the trace id.'
  return new Problem('internal', detail, [], {}, { cause: error })
}

const noRoute = (ctx: Context): Problem =>
  new Problem(
    'no-such-path',
    `There is nothing at ${ctx.method} ${ctx.path}. See ${ctx.state.basePath}/docs for the API.`,
  )

const notAllowed = ({ state }: Context): Problem => {
  const detail = `This path does not support the method. See ${state.basePath}/docs for those that it does.`
  return new Problem('method-not-allowed', detail)
}
