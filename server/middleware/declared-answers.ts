// Compares each answer with its operation's declaration.
import type { Context, Middleware } from 'koa'
import type { ProblemCode } from '../../runtime/problems/problem-codes.js'
import { type Problems, problemsByStatus } from '../problem-groups.js'

/** The answers that an operation declares. */
interface Declared {
  operationId: string
  /** Statuses of answers that are not problems; undefined if a tenant's settings determine the answer. */
  statuses: ReadonlySet<number> | undefined
  problems: ReadonlySet<ProblemCode>
  /** Statuses of the declared problems, since a page may show a problem without its code. */
  problemStatuses: ReadonlySet<number>
}

/** Text of the log line. Tests look for it. */
export const undeclaredAnswer = 'undeclared answer'

/** Creates middleware that remembers which answers an operation declares, for {@link declaredAnswers}. */
export function enforceDeclaredAnswers(
  { operationId, answers }: { operationId: string; answers: Record<number, unknown> | undefined },
  problems: Problems,
): Middleware {
  const byStatus = problemsByStatus(problems)
  const declared: Declared = {
    operationId,
    statuses: answers && new Set(Object.keys(answers).map(Number)),
    problems: new Set([...byStatus.values()].flatMap(({ codes }) => codes)),
    problemStatuses: new Set(byStatus.keys()),
  }
  return (ctx, next) => {
    ctx.state.declared = declared
    return next()
  }
}

/**
 * Logs an answer that its operation does not declare. The caller gets it unchanged, because an incomplete declaration
 * must not hide a problem. A test run fails if there is such a line.
 */
export const declaredAnswers: Middleware = async (ctx, next) => {
  await next()
  const { status } = ctx
  const declared: Declared | undefined = ctx.state.declared
  const code: ProblemCode | undefined = ctx.state.problemCode
  if (!declared || isDeclared(declared, status, code)) return
  ctx.state.log.warn({ operationId: declared.operationId, status, code }, undeclaredAnswer)
}

/** Records which problem the answer is. */
export function noteProblem(ctx: Context, code: ProblemCode): void {
  ctx.state.problemCode = code
}

const isDeclared = ({ statuses, problems, problemStatuses }: Declared, status: number, code?: ProblemCode): boolean =>
  code ? problems.has(code) : !statuses || statuses.has(status) || (status >= 400 && problemStatuses.has(status))
