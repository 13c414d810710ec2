// Shows pages and notices to browsers, and errors as notices.
import { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import type { Problem } from '../../../runtime/problems/problem.js'
import { noteProblem } from '../../middleware/declared-answers.js'
import { problemOf } from '../../middleware/problem.js'
import { compress } from '../../streamed.js'
import { pagePolicy, renderNotice } from './page.js'
import { pages } from './page-declarations.js'

/** Turns errors into pages for browsers. For programs they become problem documents as everywhere. */
export const pageProblems: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    if (!wantsPage(ctx)) throw error
    const problem = problemOf(ctx, error)
    noteProblem(ctx, problem.code)
    ctx.set(problem.headers)
    showNotice(ctx, problem.status, {
      title: titleOf(ctx, problem),
      text: problem.status < 500 ? problem.message : `${problem.message} (${ctx.state.traceId})`,
    })
  }
}

/** True if the caller is a browser, which asks for HTML. Callers that accept anything are programs. */
export const wantsPage = (ctx: Context): boolean => ctx.accepts('json', 'html') === 'html'

/** Answers with a page. Origins that the tenant's manifest lists may show it in a frame. */
export function showPage(ctx: Context, status: number, html: string | readonly Buffer[]): void {
  ctx.status = status
  ctx.set(pagePolicy(ctx.state.frameAncestors ?? []))
  ctx.type = 'html'
  if (typeof html === 'string') ctx.body = html
  else sendParts(ctx, html)
}

/**
 * Sends parts that are in memory: compressed for callers that accept gzip, as browsers do. For others they are written to the
 * socket, past Koa, which takes only a single body or a stream. Both cost more.
 */
function sendParts(ctx: Context, parts: readonly Buffer[]): void {
  if (ctx.acceptsEncodings('gzip', 'identity') === 'gzip') {
    compress(ctx, Readable.from(parts))
    return
  }
  ctx.vary('Accept-Encoding')
  ctx.respond = false
  ctx.length = parts.reduce((all, { length }) => all + length, 0)
  ctx.res.cork()
  for (const part of parts) ctx.res.write(part)
  ctx.res.end()
}

type Notice = Parameters<typeof renderNotice>[0]

/** Answers with a page that shows a message and no form. */
export const showNotice = (ctx: Context, status: number, notice: Omit<Notice, 'kind'> & Partial<Notice>): void =>
  showPage(ctx, status, renderNotice({ kind: 'error', basePath: ctx.state.basePath, ...notice }))

/** Says what did not happen, for operations that do more than open a page. */
const notDone = new Map<string, string>([
  [pages.sendForm.operationId, 'Your form was not sent'],
  [pages.sendFormVersion.operationId, 'Your form was not sent'],
  [pages.answerPage.operationId, 'Nothing was changed'],
])

function titleOf(ctx: Context, { status, code, title }: Problem): string {
  if (code === 'already-sent') return 'This form was sent already'
  const refused = status < 500 && notDone.get(ctx.state.declared.operationId)
  if (refused) return refused
  if (status === 403) return 'This form cannot be opened'
  if (status === 404) return 'There is no such form'
  return title
}
