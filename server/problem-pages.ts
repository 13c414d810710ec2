// Serves a page for each code of a problem or fault, because a problem's `type` is an address.
import type { Middleware } from 'koa'
import { type FaultKind, faultCodes, faultGroups } from '../runtime/problems/fault-codes.js'
import { type ProblemKind, problemKinds } from '../runtime/problems/problem-codes.js'
import { answerAsset, assetOf } from './assets.js'

/** Explains a code. Some codes name a problem as well as a fault. */
interface Explanation {
  code: string
  problem?: ProblemKind
  fault?: FaultKind
}

/** Explains every code, in the order of the tables. */
function explainCodes(): Explanation[] {
  const problems = new Map<string, ProblemKind>(Object.entries(problemKinds))
  const faults = new Map<string, FaultKind>(Object.values(faultGroups).flatMap(group => Object.entries(group)))
  return [...new Set([...problems.keys(), ...faultCodes])].map(code => {
    const [problem, fault] = [problems.get(code), faults.get(code)]
    return { code, ...(problem ? { problem } : {}), ...(fault ? { fault } : {}) }
  })
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Converts a text of the tables to HTML. Backticks enclose code. */
const htmlOf = (text: string): string =>
  text.replace(/[&<>]/g, each => escapes[each] ?? each).replace(/`([^`]+)`/g, '<code>$1</code>')

const section = (heading: string, { meaning, next }: FaultKind): string => `
    <h2>${htmlOf(heading)}</h2>
    <p>${htmlOf(meaning)}</p>
    <p><b>What to do:</b> ${htmlOf(next)}</p>`

const page = ({ code, problem, fault }: Explanation): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${code} – Armature</title>
    <style>:root { color-scheme: light dark } body { max-width: 40em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif; color: CanvasText; background: Canvas }</style>
  </head>
  <body>
    <h1><code>${code}</code></h1>${problem ? section(`${problem.status} ${problem.title}`, problem) : ''}${
      fault ? section('A fault, as listed in errors', fault) : ''
    }
    <p>The member <code>detail</code> of the answer says more about this one case, and operators find the request in the
      log by its <code>traceId</code>. <a href="../docs">All calls of the API</a></p>
  </body>
</html>
`

/**
 * Serves `/problems/{code}`: what a code of a problem or fault means and what to do next. Browsers get a page, programs
 * that prefer JSON get the same as JSON. Nobody needs a token.
 */
export function problemPages(): Middleware {
  const pages = new Map(
    explainCodes().map(each => [
      `/problems/${each.code}`,
      { html: assetOf('html', page(each)), json: assetOf('json', JSON.stringify(each)) },
    ]),
  )
  return async (ctx, next) => {
    const found = pages.get(ctx.path)
    if (!found) return next()
    ctx.vary('Accept')
    const asset = ctx.accepts('html', 'json') === 'json' ? found.json : found.html
    if (!answerAsset(ctx, asset)) return next()
    ctx.set({
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
    })
  }
}
