// Finds answers that their operations do not declare.
import { undeclaredAnswer } from '../../server/middleware/declared-answers.js'

interface Line {
  msg?: string
  operationId?: string
  status?: number
  code?: string
}

/**
 * Fails if an API has given an answer that its operation does not declare, in `problems` or `answers` of `endpoint()`. The API logs such
 * answers.
 * @param log the log of the API, one JSON document per line.
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
