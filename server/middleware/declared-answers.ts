// Compares each answer with the declaration of its operation.
import type { Context, Middleware } from 'koa'
import type { ProblemCode } from '../../runtime/problem-codes.js'
import { type Problems, problemsByStatus } from '../problem-groups.js'

/** The declared answers of an operation. */
interface Declared {
  operationId: string
  /** Statuses of answers that are no problems; undefined where a tenant's settings make the answer. */
  statuses: ReadonlySet<number> | undefined
  problems: ReadonlySet<ProblemCode>
  /** Statuses of the problems: a page may show one without its code. */
  problemStatuses: ReadonlySet<number>
}

/** The text of the log line, for which tests look. */
export const undeclaredAnswer = 'undeclared answer'

/** Holds the answers of a route to the declaration of its operation; see {@link declaredAnswers}. */
export function heldTo(
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
 * Logs an answer that its operation does not declare. The caller gets it as it is: a wrong description must not hide a
 * problem. A test run ends with an error where there is such a line.
 */
export const declaredAnswers: Middleware = async (ctx, next) => {
  await next()
  const { status } = ctx
  const declared: Declared | undefined = ctx.state.declared
  const code: ProblemCode | undefined = ctx.state.problemCode
  if (!declared || isDeclared(declared, status, code)) return
  ctx.state.log.warn({ operationId: declared.operationId, status, code }, undeclaredAnswer)
}

/** Notes of which problem the answer is. */
export function noteProblem(ctx: Context, code: ProblemCode): void {
  ctx.state.problemCode = code
}

const isDeclared = ({ statuses, problems, problemStatuses }: Declared, status: number, code?: ProblemCode): boolean =>
  code ? problems.has(code) : !statuses || statuses.has(status) || (status >= 400 && problemStatuses.has(status))
