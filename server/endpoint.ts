// Declares API endpoints with their schemas, permissions, limits and handlers.
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import compose from 'koa-compose'
import type { Static, TObject, TSchema } from 'typebox'
import type { Read, Reads } from '../db/replicas.js'
import { withPageBudget } from '../runtime/load/page-budget.js'
import type { Log } from '../runtime/observe/log.js'
import { notFound } from '../runtime/problems/problem.js'
import { keepsDigits } from '../runtime/schema/canonical-names.js'
import { referencesBelow } from './base-path.js'
import type { Caller } from './caller.js'
import type { CommitTokens } from './commit-token.js'
import { type Idempotency, idempotencyOf } from './idempotency.js'
import { JsonText } from './json-text.js'
import { live } from './live.js'
import { audited, namesIn } from './middleware/audited.js'
import { type Access, type Authenticator, authenticate } from './middleware/authenticate.js'
import { readBody } from './middleware/body.js'
import { enforceDeclaredAnswers } from './middleware/declared-answers.js'
import { type MultipartForm, type ReadForm, receiveMultipart } from './middleware/multipart.js'
import { requirePermission } from './middleware/permission.js'
import { rateLimit } from './middleware/rate-limit.js'
import { type ReadUpload, receiveUpload, type Upload } from './middleware/upload.js'
import { normalizeKeys, validateBody, validateParams, validateQuery } from './middleware/validate.js'
import type { Operation } from './operation.js'
import type { Problems } from './problem-groups.js'
import type { DryPlan } from './schema/collect-faults.js'
import { begun, compress } from './streamed.js'

/** The input of a handler: parsed, validated, and belonging to the caller's tenant. */
export interface Request<Query, Body, Fields = unknown, Params = unknown> {
  /** Path parameters, decoded. */
  params: Record<string, string> & Params
  query: Query
  body: Body
  /** Reads the form, if the endpoint declares one. Until it is called, nothing of the body is read. */
  readForm: ReadForm<Fields>
  /** Reads the upload, if the endpoint declares one. Until it is called, nothing of the body is read. */
  readUpload: ReadUpload
  /** Content type of the upload; undefined if there is none. */
  uploadType: string | undefined
  /**
   * The request's `Idempotency-Key`. It is read on access, since only endpoints that start jobs need it.
   * @throws Problem 400 if the key is malformed.
   */
  readonly idempotency: Idempotency | undefined
  caller: Caller
  /** Reads from a replica or the primary. The result includes what the caller has written. */
  readonly read: Read
  /** Returns a header, or an empty string if it is absent. */
  header(name: string): string
  /**
   * Returns which of these content types the caller prefers by its `Accept` header, or undefined if it accepts none.
   */
  accepts(types: readonly string[]): string | undefined
  path: string
  traceId: string
  log: Log
}

export interface Answer {
  status: number
  /** Sent as JSON. A stream is sent as it is. */
  body?: unknown
  /** A body that is generated while it is sent, instead of `body`. It is compressed if the caller accepts gzip. */
  compressible?: AsyncIterable<Buffer>
  headers?: Record<string, string>
  /** The file name under which a browser saves the body. */
  attachment?: string
}

export interface Endpoint<
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Optional extends boolean = boolean,
  Fields extends TObject = TObject,
  Params extends TObject = TObject,
> extends Operation<Query, Params>,
    Access {
  /** The permission that a caller needs. If there are several, any one suffices, and the handler checks each item. */
  permission?: string | readonly string[]
  /** Another permission that a caller needs as well. */
  alsoPermission?: string
  /**
   * Says in words which callers need no permission, for the API description. The handler then checks the permission.
   */
  unless?: string
  body?: Body
  /** Whether the body may be missing. The handler's `body` is then undefined. */
  bodyOptional?: Optional
  bodyLimit?: '1mb' | '32mb'
  /** Limits the items of a list body, if the schema does not. */
  maxItems?(caller: Caller): number
  /** Accepts a form instead of a JSON body: texts and a file, which the handler consumes as it arrives. */
  form?: MultipartForm<Fields>
  /** Accepts a body of any size instead of JSON, which the handler consumes as it arrives. */
  upload?: Upload
  /** Finds further faults of a body that the schema refuses, so that a refusal names all faults at once. */
  dryPlan?: DryPlan
  /** Set for a POST that only reads, which therefore does not count as one of the tenant's writes. */
  reads?: true
  /**
   * Set for a GET that reports what others have written, such as a job. Its answer carries a commit token, as that of a
   * write does.
   */
  tellsCommits?: true
  /** Set for a GET of JSON that may be watched: a caller who accepts events is sent the answer again whenever it changes. */
  live?: true
  /**
   * Problems of the handler and the stores that it calls. Those of token, permission, path, query and body are added
   * automatically.
   */
  problems?: Problems
  /** Schema of each line of the 200, if callers may ask for `application/x-ndjson` instead of JSON. */
  lines?: TSchema
  handle(
    request: Request<
      Static<Query>,
      Static<Body> | (Optional extends true ? undefined : never),
      Static<Fields>,
      Static<Params>
    >,
  ): Promise<Answer>
}

/**
 * Declares an endpoint. Its schemas are validator, static type and description at once. The list of all endpoints
 * cannot express each handler's types, so this is the one place with a cast; the validation of requests makes it safe.
 */
export const endpoint = <
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Optional extends boolean = false,
  Fields extends TObject = TObject,
  Params extends TObject = TObject,
>(
  declared: Endpoint<Query, Body, Optional, Fields, Params>,
): Endpoint => declared as unknown as Endpoint

/**
 * Returns all problems that an endpoint can answer, both those of its handler and those that follow from its
 * declaration.
 */
export function problemsOf(declared: Endpoint): Problems {
  const { body, form, upload, permission, path, query, headers, problems = [] } = declared
  const token = declared.clientScope ? 'clientToken' : declared.unauthenticated === 403 ? 'formsToken' : 'accessToken'
  return [
    'any',
    token,
    ...(isWrite(declared) ? (['writes'] as const) : []),
    ...(permission ? (['permission'] as const) : []),
    ...(path.includes(':') ? (['path'] as const) : []),
    ...(path.includes(':subjectId') ? (['subject-erased'] as const) : []),
    ...(body ? (['body'] as const) : []),
    ...(declared.bodyLimit === '32mb' ? (['largeBody'] as const) : []),
    ...(form ? (['form'] as const) : []),
    ...(upload ? (['upload'] as const) : []),
    ...(headers?.properties['Idempotency-Key'] ? (['key'] as const) : []),
    ...(declared.live ? (['too-many-streams'] as const) : []),
    ...(query?.properties.After || Object(body).properties?.After ? (['cursor'] as const) : []),
    ...problems,
  ]
}

/** Tells whether a call may change something of the tenant, as reads do not. */
const isWrite = (declared: Endpoint): boolean => declared.method !== 'get' && !declared.reads

/** Tells whether calls are told to the audit. */
const isTold = (declared: Endpoint): boolean => isWrite(declared) || declared.readsPeople === true

/** Tells whether answers carry a commit token, so that the caller's later reads show what was committed before. */
export const tellsCommits = (declared: Endpoint): boolean => declared.tellsCommits ?? isWrite(declared)

interface EndpointDependencies extends Authenticator {
  reads: Reads
  commitTokens: CommitTokens
}

/** The middleware that a request to the endpoint passes through, in order. */
function steps(declared: Endpoint, dependencies: EndpointDependencies): Middleware {
  const authenticated = authenticate(dependencies, declared)
  const permitted = declared.unless
    ? []
    : [requirePermission(declared.permission), requirePermission(declared.alsoPermission)]
  const admit = compose([authenticated, ...permitted])
  return compose([
    enforceDeclaredAnswers(declared, problemsOf(declared)),
    authenticated,
    rateLimit(),
    ...(isTold(declared) ? [audited(declared)] : []),
    ...(tellsCommits(declared) ? dependencies.commitTokens.tell : []),
    ...permitted,
    normalizeKeys,
    ...(declared.params ? [validateParams(declared.params)] : []),
    validateQuery(declared.query),
    ...(declared.body
      ? [
          readBody(declared.bodyLimit ?? '1mb', {
            optional: declared.bodyOptional ?? false,
            exact: keepsDigits(declared.body),
            maxItems: declared.maxItems ?? (() => Object(declared.body).maxItems),
          }),
          validateBody(declared.body, declared.dryPlan, declared.bodyOptional),
        ]
      : []),
    ...(declared.form ? [receiveMultipart(declared.form)] : []),
    ...(declared.upload ? [receiveUpload(declared.upload)] : []),
    ...(declared.live
      ? [
          live(async ctx => {
            await admit(ctx, async () => undefined)
            const { body } = await declared.handle(requestOf(ctx, declared, dependencies))
            return body
          }),
        ]
      : []),
    answer(declared, dependencies),
  ])
}

/** Creates the router of all endpoints. */
export function routerOf(endpoints: readonly Endpoint[], dependencies: EndpointDependencies): Router {
  const router = new Router()
  for (const declared of endpoints)
    router[declared.method](declared.operationId, declared.path, steps(declared, dependencies))
  return router
}

function answer(declared: Endpoint, dependencies: EndpointDependencies): Middleware {
  return async ctx => {
    const request = requestOf(ctx, declared, dependencies)
    ctx.state.body = undefined
    ctx.state.request = request
    if (isTold(declared)) ctx.state.members = [...namesIn(request.query), ...namesIn(request.body)]
    const { status, body, compressible, headers, attachment } = await withPageBudget(
      request.caller.tenantId,
      ctx.res,
      () => declared.handle(request),
    )
    const stream = compressible && (await begun(compressible, request.log))
    ctx.status = status
    if (attachment) ctx.attachment(attachment)
    if (headers) ctx.set(referencesBelow(ctx.state.basePath, headers))
    if (stream) compress(ctx, stream)
    else if (body instanceof JsonText) {
      ctx.type = 'json'
      ctx.body = String(body)
    } else if (body !== undefined) ctx.body = body
  }
}

/**
 * Returns the input of a handler, from what the steps before have found.
 * @throws Problem 404 for a path that can name nothing.
 */
function requestOf(ctx: Context, declared: Endpoint, { reads, commitTokens }: EndpointDependencies) {
  // The database ignores trailing blanks when it compares. No key or id ends with a blank, so such a path names
  // nothing.
  const strange = Object.values(ctx.params).find(value => typeof value === 'string' && value !== value.trimEnd())
  if (strange !== undefined) throw notFound(`There is no '${strange}'.`)
  return {
    params: ctx.params,
    query: ctx.state.query,
    body: ctx.state.body,
    readForm: ctx.state.readForm,
    readUpload: ctx.state.readUpload,
    uploadType: ctx.state.uploadType,
    caller: ctx.state.caller,
    header: (name: string) => ctx.get(name),
    accepts: (types: readonly string[]) => ctx.accepts([...types]) || undefined,
    path: ctx.path,
    traceId: ctx.state.traceId,
    get read(): Read {
      return reads.by(declared.operationId, commitTokens.since(ctx))
    },
    get idempotency(): Idempotency | undefined {
      return idempotencyOf(ctx)
    },
    get log(): Log {
      return ctx.state.log
    },
  }
}

export const ok = (body: unknown): Answer => ({ status: 200, body })
export const created = (body: unknown): Answer => ({ status: 201, body })
export const noContent: Answer = { status: 204 }
/**
 * Answers 202 with a job and its address. The job is usually still going on. If the caller prefers not to wait, it may
 * already be completed, in full or early.
 */
export const accepted = (job: { links: { self: string } }): Answer => ({
  status: 202,
  body: job,
  headers: { Location: job.links.self },
})
