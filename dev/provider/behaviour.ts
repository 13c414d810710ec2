// Failures that the demo provider shows on request.
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import Type, { type Static } from 'typebox'
import { mulberry32 } from '../shuffle.js'

const rate = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))
const whole = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))
const yes = (description: string) => Type.Optional(Type.Boolean({ description }))

/** Failures that a provider shows on request. A member that is left out means normal behaviour. */
export const Behaviour = Type.Object(
  {
    failRate: rate('Share of the calls that fail.'),
    failNext: whole('So many calls fail, then none.'),
    failStatus: Type.Optional(
      Type.Integer({ minimum: 400, maximum: 599, description: 'Their status; 503 otherwise.' }),
    ),
    retryAfterSeconds: whole('Failures say when to come again.'),
    dropRate: rate('Share of the calls whose connection is cut, every second time in the middle of the answer.'),
    slowMs: whole('Every call takes so much longer.'),
    requestsPerSecond: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Calls above it are answered with 429.' }),
    ),
    hang: yes('Calls are never answered.'),
    notJson: yes('The answer is a page of HTML, with status 200.'),
    hugeMb: whole('The answer is so long.'),
    redirectTo: Type.Optional(Type.String({ description: 'Every call is sent there.' })),
    brokenRows: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What stands in place of rows, by their ids.' }),
    ),
    tokens: yes('The token endpoint does the same.'),
    tokenSeconds: Type.Optional(Type.Integer({ minimum: 1, description: 'Life of a token; 600 otherwise.' })),
    seed: Type.Optional(Type.Integer({ description: 'Decides which calls the shares fall on; 1 otherwise.' })),
  },
  { additionalProperties: false },
)
export type Behaviour = Static<typeof Behaviour>

/** A behaviour that can be changed at any moment. */
export interface Misbehaviour {
  now: Behaviour
  set(behaviour: Behaviour): void
  /** Fails in the way that is set, or calls the next middleware. */
  middleware: Middleware
}

export function createMisbehaviour(first: Behaviour): Misbehaviour {
  const self: Misbehaviour = { now: {}, set, middleware }
  let random = mulberry32(1)
  let failuresLeft = 0
  let cuts = 0
  let second = { endsAt: 0, calls: 0 }
  set(first)
  return self

  function set(behaviour: Behaviour): void {
    self.now = behaviour
    random = mulberry32(behaviour.seed ?? 1)
    failuresLeft = behaviour.failNext ?? 0
    second = { endsAt: 0, calls: 0 }
  }

  async function middleware(ctx: Context, next: () => Promise<unknown>): Promise<void> {
    const { failRate = 0, dropRate = 0, slowMs = 0, hang, notJson, hugeMb, redirectTo } = self.now
    if (isTooMuch(ctx)) return
    // Drawn on arrival, so that which calls fail does not depend on how long other calls take.
    const drawn = random()
    const fails = failuresLeft > 0 || drawn < failRate
    failuresLeft = Math.max(0, failuresLeft - 1)
    if (slowMs > 0) await sleep(slowMs)
    if (fails) fail(ctx)
    else if (drawn < failRate + dropRate) cut(ctx)
    else if (hang) ctx.respond = false
    else if (redirectTo !== undefined) ctx.redirect(redirectTo)
    else if (notJson) ctx.body = '<!doctype html><title>Maintenance</title><p>We are back soon.'
    else if (hugeMb !== undefined) huge(ctx, hugeMb)
    else await next()
  }

  /** Answers 429 to a call above the limit per second. A second begins with the first call after the previous one ended. */
  function isTooMuch(ctx: Context): boolean {
    const { requestsPerSecond = Number.POSITIVE_INFINITY } = self.now
    const now = Date.now()
    if (now >= second.endsAt) second = { endsAt: now + 1_000, calls: 0 }
    if (++second.calls <= requestsPerSecond) return false
    ctx.set('Retry-After', '1')
    ctx.status = 429
    ctx.body = { error: 'too_many_requests' }
    return true
  }

  function fail(ctx: Context): void {
    const { failStatus = 503, retryAfterSeconds } = self.now
    if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds))
    ctx.status = failStatus
    ctx.body = { error: 'told_to_fail' }
  }

  function cut(ctx: Context): void {
    ctx.respond = false
    if (cuts++ % 2 === 0) ctx.req.socket.destroy()
    else
      ctx.res.writeHead(200, { 'content-type': 'application/json' }).write('{"rows":[', () => ctx.req.socket.destroy())
  }
}

/** Answers with valid JSON of this size, without a Content-Length that would give the size away. */
function huge(ctx: Context, megabytes: number): void {
  const megabyte = 'x'.repeat(1024 * 1024)
  ctx.type = 'json'
  ctx.body = Readable.from(
    (function* () {
      yield '{"rows":[],"padding":"'
      for (let n = 0; n < megabytes; n++) yield megabyte
      yield '"}'
    })(),
    { objectMode: false },
  )
}
