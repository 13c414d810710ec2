// Routes of the glue endpoints that tenants configure.
import type Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import Type from 'typebox'
import { type GlueEndpoint, isDirect } from '../../db/glue/endpoints/settings.js'
import { callOfStep, queueOfStep } from '../../db/glue/endpoints/step-queue.js'
import type { TenantLimitsReader } from '../../db/tenant-limits.js'
import { newId } from '../../runtime/ids.js'
import { hasExactNumber, stringifyExactJson } from '../../runtime/json/exact-json.js'
import { invalid, Problem } from '../../runtime/problems/problem.js'
import { checkOf } from '../../runtime/schema/check.js'
import type { CalledRun, EndpointOutcome, GlueAnswer, GlueRequest } from '../../workflows/glue/contracts.js'
import { toProblem } from '../middleware/problem.js'
import { addressOf, limitRequests } from '../middleware/rate-limit.js'
import { logWith } from '../middleware/trace.js'
import { type Route, serve } from '../operation.js'
import type { AdmitCaller } from './authenticate.js'
import type { CountFailedCall } from './failed-calls.js'
import { requestBody } from './request-body.js'
import { createRunSlots } from './run-slots.js'
import type { RunEndpoint } from './runs.js'

export interface GlueEndpointDependencies {
  admit: AdmitCaller
  countFailedCall: CountFailedCall
  /** Runs an endpoint that only reads within the request. */
  answerDirectly(run: CalledRun): Promise<EndpointOutcome>
  run: RunEndpoint
  limits: TenantLimitsReader
  /** Records that a provider's queue is in use, so that a worker starts on it. */
  markQueueUsed(queue: string): Promise<void>
}

const common = {
  tag: 'Endpoints',
  path: '/glue/:tenantKey/:endpointKey',
  access:
    'The settings of the endpoint say who may call it: a client with the scope GlueRuntimeApi, a user with a token, a holder of an API key, or everybody.',
  security: [{ token: ['GlueRuntimeApi'] }, { userToken: [] }, { apiKey: [] }, {}],
  answers: { 200: Type.Unknown({ description: 'What the steps make; they also give its status and content type.' }) },
  isOpen: true,
  problems: [
    'any',
    'unauthenticated',
    'forbidden',
    'tenant-suspended',
    'path',
    'body',
    'stepsBody',
    'method-not-allowed',
    'too-many-calls',
    'steps',
  ],
} satisfies Partial<Route>

/** The routes of endpoints that tenants configure. */
export const glueRoutes = {
  get: {
    ...common,
    operationId: 'callEndpoint',
    summary: 'Call an endpoint of a tenant, its parameters in the query',
    description:
      "Runs the steps that the tenant's manifest gives to the endpoint and answers with what they make. The caller waits for at most 25 s; after that the answer is 504, and it is not known how far the run came. Steps that failed and may be repeated are tried again in that time. What the endpoint needs, and whether it may be called again, is said by its author.",
    method: 'get',
  },
  post: {
    ...common,
    operationId: 'postToEndpoint',
    summary: 'Call an endpoint of a tenant with a body',
    description:
      'Does the same as callEndpoint with a body of JSON or form fields, of at most 1 MB. A repetition runs the steps again. A form may carry the token of a user in the field `jwt` or `token`.',
    method: 'post',
    request: {
      required: false,
      content: {
        'application/json': Type.Unknown(),
        'application/x-www-form-urlencoded': Type.Record(Type.String(), Type.String()),
      },
    },
  },
} satisfies Record<string, Route>

/** Size limit of a request as JSON. Temporal accepts 2 MB, which must also hold what the steps keep. */
const maxRequestBytes = 1_000_000

/**
 * Serves the endpoints that tenants configure. Unlike the platform's API, each authenticates its callers as its own
 * settings say (spec glue-auth).
 */
export function glueEndpoints(
  router: Router,
  { admit, answerDirectly, countFailedCall, run, limits, markQueueUsed }: GlueEndpointDependencies,
): void {
  const turn = createRunSlots()
  const answer: Middleware = async ctx => {
    const { tenantKey, endpointKey } = ctx.params
    const body = requestBody(ctx)
    const { tenantId, endpoint, glue, userToken, caller, actor } = await admit(ctx, body, { tenantKey, endpointKey })
    logWith(ctx, { tenantKey, endpointKey })
    // At a public endpoint each address has its own limit, so that no stranger uses it up for the others.
    const address = endpoint.authentication.length === 0 ? `/${addressOf(ctx)}` : ''
    await limitRequests(ctx, `${tenantId}/glue/${endpointKey}${address}`, (await limits(tenantId)).requestsPerMinute)
    requireMethod(ctx, endpoint)
    const value = await body.value(endpoint)
    const request: GlueRequest = {
      method: ctx.method,
      query: queryOf(ctx),
      ...bodyOf(endpoint.capability === 'structuredData' ? structuredRequest(value) : value),
      caller,
      ...(userToken === undefined ? {} : { userToken }),
    }
    requireSize(request)
    const call = { tenantKey, endpointKey, request, traceId: ctx.state.traceId, runId: newId() }
    const runInTemporal = async () => {
      const first = endpoint.steps.find(({ httpRequest }) => httpRequest)
      const queue = queueOfStep(glue.settings, tenantKey, first)
      if (queue !== undefined) await markQueueUsed(queue)
      return run(call, { queue, call: callOfStep(first), actor })
    }
    const work = isDirect(glue.settings, endpoint) ? () => answerDirectly(call) : runInTemporal
    const outcome = await turn(tenantId, endpointKey, work)
    if ('answer' in outcome) return send(ctx, outcome.answer)
    throw Problem.from(outcome.problem)
  }
  const handle: Middleware = async (ctx, next) => {
    try {
      await answer(ctx, next)
    } catch (error) {
      const { endpoint, traceId } = ctx.state
      if (endpoint) countFailedCall({ ...endpoint, code: toProblem(error).code, traceId })
      throw error
    }
  }
  serve(router, glueRoutes.get, handle)
  serve(router, glueRoutes.post, handle)
}

/** An ExactNumber would arrive in Temporal as a string, so such a body is passed as JSON text. */
const bodyOf = (body: unknown): Pick<GlueRequest, 'body' | 'exactBody'> =>
  hasExactNumber(body) ? { exactBody: stringifyExactJson(body) } : { body }

/** Refuses other methods. The router would treat HEAD as GET and run the pipeline, only to drop its answer. */
function requireMethod(ctx: Context, { capability }: GlueEndpoint): void {
  const allowed = capability === 'structuredData' ? ['POST'] : ['GET', 'POST']
  if (allowed.includes(ctx.method)) return
  const detail = `The endpoint accepts ${allowed.join(' and ')}.`
  const headers = { Allow: allowed.join(', ') }
  throw new Problem('method-not-allowed', detail, [], headers)
}

function queryOf({ URL, querystring }: Context): GlueRequest['query'] {
  const parameters = URL?.searchParams ?? new URLSearchParams(querystring)
  const names = [...new Set(parameters.keys())]
  return Object.fromEntries(
    names.map(name => {
      const values = parameters.getAll(name)
      return [name, values.length === 1 ? (values[0] ?? '') : values]
    }),
  )
}

/** The schema of requests to endpoints with the capability structuredData. */
const checkStructured = checkOf(
  Type.Object({
    subjectIdentifier: Type.Optional(Type.Union([Type.String({ maxLength: 255 }), Type.Null()])),
    cursor: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    options: Type.Optional(Type.Unknown()),
  }),
)

function structuredRequest(body: unknown): unknown {
  const { value, faults } = checkStructured(body ?? {})
  if (faults.length > 0) throw invalid(faults)
  return { options: {}, ...Object(value) }
}

function requireSize(request: GlueRequest): void {
  if (Buffer.byteLength(JSON.stringify(request)) <= maxRequestBytes) return
  const detail = `The request has more than ${maxRequestBytes / 1_000_000} MB as JSON.`
  throw new Problem('body-too-large', detail)
}

/** Isolates an endpoint's page from the platform's own pages, which have the same origin. */
const sandbox = 'sandbox allow-downloads allow-forms allow-popups allow-scripts'

function send(ctx: Context, { status, headers, body }: GlueAnswer): void {
  ctx.status = status
  ctx.set(headers)
  const policy = headers['content-security-policy']
  ctx.set('Content-Security-Policy', policy === undefined ? sandbox : `${sandbox}, ${policy}`)
  if (!headers['content-type']) ctx.type = 'text' in body ? 'text/plain' : 'application/json'
  ctx.body = 'text' in body ? body.text : JSON.stringify(body.json)
}
