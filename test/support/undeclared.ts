// Ends a test run with an error where an answer was not declared.
import { undeclaredAnswer } from '../../server/middleware/declared-answers.js'

interface Line {
  msg?: string
  operationId?: string
  status?: number
  code?: string
}

/**
 * Every answer of an API is held to the declaration of its operation: `problems` and `answers` in `endpoint()`. The API logs
 * one that is not declared.
 * @param log the log of an API, a JSON document a line.
 * @throws Error that names each undeclared answer once.
 */
export function refuseUndeclared(log: string): void {
  const lines = log.split('\n').filter(line => line.includes(undeclaredAnswer))
  const found = lines.map((line): Line => JSON.parse(line)).filter(({ msg }) => msg === undeclaredAnswer)
  const named = found.map(({ operationId, status, code = 'no problem' }) => `${operationId}: ${status} ${code}`)
  if (named.length === 0) return
  const all = [...new Set(named)].sort().join('\n  ')
  throw new Error(`These answers are not declared by their operations:\n  ${all}`)
}
