// Renders errors as HTML pages for browsers.
import type { Context, Middleware } from 'koa'
import type { Problem } from '../../../runtime/problem.js'
import { noteProblem } from '../../middleware/declared-answers.js'
import { problemOf } from '../../middleware/problem.js'
import { pagePolicy, renderNotice } from './page.js'

/** Shows errors to people as pages, and to programs as problem documents. */
export const pageProblems: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    if (!wantsPage(ctx)) throw error
    const problem = problemOf(ctx, error)
    noteProblem(ctx, problem.code)
    ctx.set(problem.headers)
    showNotice(ctx, problem.status, {
      title: titleOf(problem),
      text: problem.status < 500 ? problem.message : `${problem.message} (${ctx.state.traceId})`,
    })
  }
}

/** A browser says that it wants HTML; what takes anything is a program. */
export const wantsPage = (ctx: Context): boolean => ctx.accepts('json', 'html') === 'html'

/** A page of a form of this tenant, which the origins that its manifest names may show in a frame. */
export function showPage(ctx: Context, status: number, html: string | readonly Buffer[]): void {
  ctx.status = status
  ctx.set(pagePolicy(ctx.state.frameAncestors ?? []))
  ctx.type = 'html'
  if (typeof html === 'string') ctx.body = html
  else sendParts(ctx, html)
}

/** Koa takes a body in one piece or as a stream; both cost more than what is in memory already. */
function sendParts(ctx: Context, parts: readonly Buffer[]): void {
  ctx.respond = false
  ctx.length = parts.reduce((all, { length }) => all + length, 0)
  ctx.res.cork()
  for (const part of parts) ctx.res.write(part)
  ctx.res.end()
}

type Notice = Parameters<typeof renderNotice>[0]

/** A page without a form. */
export const showNotice = (ctx: Context, status: number, notice: Omit<Notice, 'kind'> & Partial<Notice>): void =>
  showPage(ctx, status, renderNotice({ kind: 'error', ...notice }))

function titleOf({ status, code, title }: Problem): string {
  if (code === 'already-sent') return 'This form was sent already'
  if (status === 403) return 'This form cannot be opened'
  if (status === 404) return 'There is no such form'
  return title
}
