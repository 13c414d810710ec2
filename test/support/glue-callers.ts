// Calls glue endpoints with every kind of credential.
import { createServer } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import pino from 'pino'
import { expect, inject } from 'vitest'
import { createGrants } from '../../activities/auth/grants.js'
import { createUserTokens } from '../../activities/auth/user-tokens.js'
import { createTokenValidator } from '../../activities/auth/validate-token.js'
import { connect } from '../../db/connect.js'
import { createGlueReader } from '../../db/glue/endpoints/settings.js'
import { accountFinder } from '../../db/identity/accounts.js'
import { clientStore } from '../../db/identity/clients.js'
import { createTenantLimits } from '../../db/tenant-limits.js'
import { createOutbound } from '../../runtime/outbound/outbound.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import { tellBasePath } from '../../server/base-path.js'
import { createEndpointAuthentication } from '../../server/glue/authenticate.js'
import { glueEndpoints } from '../../server/glue/endpoints.js'
import { problems } from '../../server/middleware/problem.js'
import { strangers } from '../../server/middleware/rate-limit.js'
import { trace } from '../../server/middleware/trace.js'
import { unreadBody } from '../../server/middleware/unread-body.js'
import { createRateLimits } from '../../server/rate-limits.js'
import { sharedEvaluator } from './expressions.js'
import { problem } from './http.js'
import { audience, startIssuer } from './issuer.js'

/** A line of the log about a caller who was refused. */
interface LogLine {
  traceId: string
  msg: string
  step?: string
  reason?: string
  err?: { message: string; stack: string }
}

/**
 * Runs the endpoints in this process, on the database of the shared stack, so that the test can read their log. Instead of
 * running a pipeline they answer with its input. The identity service is one whose keys the test has.
 * @param allow addresses that OUTBOUND_ALLOW would list.
 * @param timeoutMs how long an identity provider may take to answer.
 */
export async function startCallers(allow: string[], timeoutMs = 20_000) {
  const platform = await startIssuer()
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => lines.push(line) })
  const db = connect(inject('databaseUrl'), { poolSize: 4 })
  const outbound = createOutbound({ allow })
  const tokens = createTokenValidator({ authority: platform.issuer, audience, log })
  const grants = createGrants({ clients: clientStore(db), accounts: accountFinder(db), ttlMs: 0 })
  const router = new Router()
  glueEndpoints(router, {
    admit: createEndpointAuthentication({
      db,
      tokens,
      glue: createGlueReader({ db, seal: createSeal(Buffer.alloc(32)), ttlMs: 0 }),
      grants,
      userTokens: createUserTokens({
        platform: tokens,
        grants,
        evaluator: sharedEvaluator,
        fetch: outbound.fetch,
        log,
        timeoutMs,
      }),
    }),
    limits: createTenantLimits(db),
    markQueueUsed: async () => undefined,
    countFailedCall: () => undefined,
    run: () => Promise.reject(new Error('the endpoints of these tests only read')),
    async answerDirectly({ request: { userToken, body } }) {
      return { answer: { status: 200, headers: {}, body: { json: { userToken, body } } } }
    },
  })
  const app = new Koa()
  app.silent = true
  const limits = { rateLimits: createRateLimits(), isProxy: () => false, wrongCredentialsPerMinute: 10_000 }
  app
    .use(trace(log))
    .use(tellBasePath('http://127.0.0.1'))
    .use(strangers(limits))
    .use(unreadBody)
    .use(problems)
    .use(router.routes())
  const server = createServer(app.callback())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const baseUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

  const logged = (): LogLine[] => lines.map(line => JSON.parse(line))

  return {
    baseUrl,
    platform,
    logged,
    /** Returns the logged reason why the caller with this trace id was refused. */
    reasonOf(traceId: string) {
      const found = logged().filter(line => line.traceId === traceId && line.step)
      return found.map(({ step, reason }) => `${step}: ${reason}`).join(', ')
    },
    /** Reports whether the log contains this text anywhere. */
    mentions: (text: string) => lines.some(line => line.includes(text)),
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await Promise.all([platform.stop(), outbound.close(), db.destroy()])
    },
  }
}

export type Callers = Awaited<ReturnType<typeof startCallers>>

/** Calls an endpoint and reads the response. */
export async function call(baseUrl: string, path: string, init: RequestInit = {}) {
  const answer = await fetch(new URL(`/glue/${path}`, baseUrl), { method: 'POST', ...init })
  const text = await answer.text()
  const body: Record<string, unknown> = text.startsWith('{') ? JSON.parse(text) : { text }
  return { status: answer.status, headers: answer.headers, body }
}

export const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })

/** Asserts that a caller was refused in the uniform way, which does not reveal the cause. @returns the trace id. */
export function expectRefusal({ status, headers, body }: Awaited<ReturnType<typeof call>>, path: string): string {
  expect(status).toBe(401)
  expect(body).toEqual(
    problem(401, 'unauthenticated', `/glue/${path}`, {
      title: 'A valid access token is required',
      detail:
        'The call does not meet what the endpoint requires of its callers. Its operators find the reason by the trace id.',
    }),
  )
  expect(headers.get('www-authenticate')).toBe('Bearer realm="armature"')
  const ofEveryAnswer = ['cache-control', 'x-request-id', 'date', 'content-length', 'vary', 'x-content-type-options']
  expect([...headers.keys()].filter(name => !ofEveryAnswer.includes(name))).toEqual([
    'connection',
    'content-type',
    'keep-alive',
    'www-authenticate',
  ])
  return String(body.traceId)
}
