// Temporal codec server, which decrypts payloads for operators.
import type Router from '@koa/router'
import type { Payload } from '@temporalio/common'
import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import Type, { type Static } from 'typebox'
import { Problem } from '../runtime/problems/problem.js'
import type { Config } from '../runtime/settings/config.js'
import { isLoopback } from '../runtime/settings/loopback.js'
import { CannotOpen, createPayloadCodec } from '../runtime/temporal/payload-codec.js'
import type { Caller } from './caller.js'
import { audited } from './middleware/audited.js'
import { type Authenticator, authenticate } from './middleware/authenticate.js'
import { readBody } from './middleware/body.js'
import { enforceDeclaredAnswers } from './middleware/declared-answers.js'
import { requirePermission } from './middleware/permission.js'
import { validateBody, validateQuery } from './middleware/validate.js'

/** A payload in Protobuf's JSON form, with bytes in base64. */
const JsonPayload = Type.Object({
  metadata: Type.Optional(Type.Record(Type.String(), Type.String())),
  data: Type.Optional(Type.String()),
})
type JsonPayload = Static<typeof JsonPayload>
const Payloads = Type.Object({ payloads: Type.Array(JsonPayload) })

// The UI asks that references to stored payloads be preserved. We store none, and payloads that are not ours are
// returned unchanged.
const Query = Type.Object({ preserveStorageRefs: Type.Optional(Type.Boolean()) })

const path = '/temporal/codec/decode'

/** This protocol is Temporal's, so it is not part of our API description. */
const declared = {
  operationId: 'decodePayloads',
  tag: 'Administration',
  path,
  readsPeople: true,
  answers: { 200: Payloads },
  problems: ['any', 'accessToken', 'permission', 'body', 'largeBody', 'cannot-open'],
} as const

/**
 * Decrypts payloads for operators; the Temporal UI and the `temporal` command send them here (Temporal's codec server
 * protocol). It needs the scope PlatformAdmin, since payloads may belong to any tenant, and the permission Open:Payload.
 * Each request is logged with the operator but without the content.
 */
export function codecRoutes(router: Router, dependencies: { config: Config; caller: Authenticator['caller'] }) {
  const { config, caller } = dependencies
  const fromUi = allowUi(new URL(config.temporal.uiUrl).origin)
  router.options(path, fromUi, ctx => {
    ctx.set({
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': 'content-type, x-namespace, authorization, authorization-extras',
      'Access-Control-Max-Age': '600',
    })
    ctx.status = 204
  })
  const login = compose([authenticate({ caller }, { scopes: ['PlatformAdmin'] }), requirePermission('Open:Payload')])
  const operator: Middleware = (ctx, next) => (isLocalUi(ctx, config) ? next() : login(ctx, next))
  router.post(
    path,
    compose([
      enforceDeclaredAnswers(declared, declared.problems),
      fromUi,
      audited(declared),
      operator,
      validateQuery(Query),
      readBody('32mb'),
      validateBody(Payloads),
      decode(config),
    ]),
  )
}

/** Lets browsers pass our answer to pages of the UI, and to no others. */
const allowUi =
  (origin: string): Middleware =>
  (ctx, next) => {
    ctx.vary('Origin')
    if (ctx.get('origin') === origin) {
      ctx.state.isUi = true
      ctx.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' })
    }
    return next()
  }

/**
 * Tells whether the request comes from the UI of `npm start` on this machine, which has no login. Other web pages
 * cannot imitate it, because browsers set the Origin. Another local program could, but it could just as well ask
 * Temporal directly, which needs no login either.
 */
const isLocalUi = (ctx: Context, { temporal }: Config): boolean =>
  temporal.codecLocalUi &&
  ctx.state.isUi === true &&
  isLoopback(ctx.req.socket.remoteAddress ?? '') &&
  !proxyHeaders.some(name => name in ctx.headers)

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'via']

function decode({ encryptionKey, oldEncryptionKeys }: Config): Middleware {
  const codec = createPayloadCodec({ current: encryptionKey, old: oldEncryptionKeys })
  return async ctx => {
    const { payloads }: { payloads: JsonPayload[] } = ctx.state.body
    const opened = []
    for (const [n, payload] of payloads.entries()) {
      const given = fromJson(payload)
      const [plain = given] = await codec.decode([given]).catch(error => refuse(error, n))
      opened.push(plain === given ? payload : toJson(plain))
    }
    // If the client has logged in, the log line already names its tenant and its id.
    const caller: Caller | undefined = ctx.state.caller
    const who = caller ? { subject: caller.subject } : { clientId: 'the Temporal UI on this machine' }
    const namespace = ctx.get('x-namespace').slice(0, 255)
    ctx.state.log.info({ ...who, namespace, payloads: payloads.length }, 'Temporal payloads were decoded')
    ctx.body = { payloads: opened }
  }
}

const fromJson = ({ metadata = {}, data = '' }: JsonPayload): Payload => ({
  metadata: Object.fromEntries(Object.entries(metadata).map(([name, text]) => [name, Buffer.from(text, 'base64')])),
  data: Buffer.from(data, 'base64'),
})

const toJson = ({ metadata, data }: Payload): JsonPayload => ({
  metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])),
  data: base64(data ?? new Uint8Array()),
})

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

function refuse(error: unknown, index: number): never {
  if (!(error instanceof CannotOpen)) throw error
  throw new Problem('cannot-open', error.message, [
    { pointer: `/payloads/${index}`, code: 'cannot-open', detail: error.message },
  ])
}
