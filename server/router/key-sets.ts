// The public keys of all cells as one key set.
import type { Context, Middleware } from 'koa'
import { cached } from '../../runtime/cache.js'
import type { Log } from '../../runtime/log.js'
import { identityPath, identityRoutes } from '../identity/paths.js'
import type { CellCalls } from './cell-calls.js'

const path = identityPath + identityRoutes.jwks
/** A key is published 15 minutes before it signs. */
const ttlMs = 10_000
/** Verifiers of tokens wait 5 s for metadata and keys. */
const timeoutMs = 2_000

/** Keys of a cell; undefined where they were never read. */
type CellKeys = readonly unknown[] | undefined

/**
 * Answers the key set of the identity service: a token of each cell has the one issuer, and any process may verify it. A cell
 * that does not answer keeps the keys that it had. Cells without an identity service answer themselves.
 */
export function keySets(cells: readonly CellCalls[], log: Log): Middleware {
  const byName = new Map(cells.map(cell => [cell.name, cell]))
  const keysOf = cached<string, CellKeys>(
    async (name, last) => {
      try {
        return await read(byName.get(name))
      } catch (err) {
        log.warn({ err, cell: name }, 'the keys of a cell cannot be read')
        return last
      }
    },
    { ttlMs },
  )
  return async (ctx, next) => {
    if (ctx.path !== path || !['GET', 'HEAD'].includes(ctx.method)) return next()
    const sets = await Promise.all([...byName.keys()].map(keysOf))
    if (sets.every(keys => keys === undefined || keys.length === 0)) return next()
    answer(ctx, sets)
  }
}

async function read(cell: CellCalls | undefined): Promise<readonly unknown[]> {
  const headers = ['accept', 'application/json']
  const call = { method: 'GET', path, headers, body: null, signal: AbortSignal.timeout(timeoutMs) }
  const reply = await cell?.send(call)
  // Its tokens come from another issuer.
  if (!reply || reply.statusCode === 404) {
    await reply?.body.dump()
    return []
  }
  const { keys }: { keys?: unknown } = Object(await reply.body.json())
  if (reply.statusCode === 200 && Array.isArray(keys)) return keys
  throw new Error(`The answer has the status ${reply.statusCode}`)
}

function answer(ctx: Context, sets: readonly CellKeys[]): void {
  ctx.body = { keys: sets.flatMap(keys => keys ?? []) }
  ctx.type = 'application/jwk-set+json'
  // Anybody's page may read it. A set that lacks a cell is not kept.
  ctx.set('Access-Control-Allow-Origin', '*')
  ctx.set('Cache-Control', sets.includes(undefined) ? 'no-store' : 'public, max-age=300')
}
