// Declaration of API endpoints: schemas, permissions, body limits and handler.
import Router from '@koa/router'
import type { Middleware } from 'koa'
import compose from 'koa-compose'
import type { Static, TObject, TSchema } from 'typebox'
import type { Read, Reads } from '../db/replicas.js'
import type { JsonBounds } from '../runtime/json-bounds.js'
import type { Log } from '../runtime/log.js'
import { notFound } from '../runtime/problem.js'
import { keepsDigits } from '../runtime/schema/canonical-names.js'
import type { Caller } from './caller.js'
import type { CommitTokens } from './commit-token.js'
import { type Idempotency, idempotencyOf } from './idempotency.js'
import { type Access, type Authenticator, authenticate } from './middleware/authenticate.js'
import { readBody } from './middleware/body.js'
import { heldTo } from './middleware/declared-answers.js'
import { type MultipartForm, type ReadForm, receiveMultipart } from './middleware/multipart.js'
import { requirePermission } from './middleware/permission.js'
import { rateLimit } from './middleware/rate-limit.js'
import { type ReadUpload, receiveUpload, type Upload } from './middleware/upload.js'
import { validateBody, validateParams, validateQuery } from './middleware/validate.js'
import type { Operation } from './operation.js'
import type { Problems } from './problem-groups.js'
import type { DryPlan } from './schema/every-fault.js'
import { listBounds } from './schema/list-bounds.js'
import { begun, compress } from './streamed.js'

/** The input of a handler: parsed, validated, and belonging to the caller's tenant. */
export interface Request<Query, Body, Fields = unknown, Params = unknown> {
  /** Path parameters, decoded. */
  params: Record<string, string> & Params
  query: Query
  body: Body
  /** Reads the form, where the endpoint declares one. Nothing of it is read before. */
  readForm: ReadForm<Fields>
  /** Reads the upload, where the endpoint declares one. Nothing of it is read before. */
  readUpload: ReadUpload
  /** Content type of the upload; undefined where there is none. */
  uploadType: string | undefined
  /** @throws Problem 400 for a key that is none: only endpoints that start jobs look at it. */
  readonly idempotency: Idempotency | undefined
  caller: Caller
  /** Does a read that a replica may answer. It shows what the caller has written. */
  readonly read: Read
  /** Header by its lower-case name; empty when absent. */
  header(name: string): string
  /** Which of these content types the caller likes best (its `Accept`); undefined where it takes none of them. */
  accepts(types: readonly string[]): string | undefined
  path: string
  traceId: string
  log: Log
}

export interface Answer {
  status: number
  /** Sent as JSON; a stream is sent as it is. */
  body?: unknown
  /** In place of `body`, one that is made while it is sent; in gzip to callers who take that. */
  compressible?: AsyncIterable<Buffer>
  headers?: Record<string, string>
  /** The name under which a browser keeps the body as a file. */
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
  /** The permission needed; of several, one is enough to come in, and the handler looks at each item. */
  permission?: string | readonly string[]
  /** Whose call needs no permission, for the description. Then the handler checks it. */
  unless?: string
  body?: Body
  /** There need be no body: then the handler's is undefined. */
  bodyOptional?: Optional
  bodyLimit?: '1mb' | '32mb'
  /** Most items of a body that is a list, where its schema does not say it. */
  maxItems?(caller: Caller): number
  /** In place of a JSON body: texts and a file, which the handler takes as it arrives. */
  form?: MultipartForm<Fields>
  /** In place of a JSON body: one of any size, which the handler takes as it arrives. */
  upload?: Upload
  /** Finds what else is wrong with a body that the schema refuses, so that a refusal names every fault. */
  dryPlan?: DryPlan
  /** A POST that only reads: it takes no turn of the tenant's writers. */
  reads?: true
  /** A GET whose answer tells of commits of others, such as a job's: it has a token as the answer of a write. */
  tellsCommits?: true
  /** Problems of the handler and the stores it calls. Those of token, permission, path, query and body come by themselves. */
  problems?: Problems
  /** Schema of each line of the 200, where callers may ask for `application/x-ndjson` instead of JSON. */
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
 * Declares an endpoint: its schema is validator, static type and description at once. A list of all endpoints cannot
 * express the types of each handler, so the cast is made here, once. `validate` guarantees that it holds.
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

/** All problems that an endpoint can answer: those of its declaration and of its handler. */
export function problemsOf(declared: Endpoint): Problems {
  const { body, form, upload, permission, path, query, headers, problems = [] } = declared
  const token = declared.clientScope ? 'clientToken' : declared.unauthenticated === 403 ? 'formsToken' : 'accessToken'
  return [
    'any',
    token,
    ...(declared.method === 'get' || declared.reads ? [] : (['writes'] as const)),
    ...(permission ? (['permission'] as const) : []),
    ...(path.includes(':') ? (['path'] as const) : []),
    ...(path.includes(':subjectId') ? (['subject-erased'] as const) : []),
    ...(body ? (['body'] as const) : []),
    ...(declared.bodyLimit === '32mb' ? (['largeBody'] as const) : []),
    ...(form ? (['form'] as const) : []),
    ...(upload ? (['upload'] as const) : []),
    ...(headers?.properties['Idempotency-Key'] ? (['key'] as const) : []),
    ...(query?.properties.After || Object(body).properties?.After ? (['cursor'] as const) : []),
    ...problems,
  ]
}

/** Whether an answer has a token: what its caller reads later must show what was committed before it. */
export const tellsCommits = (declared: Endpoint): boolean =>
  declared.tellsCommits ?? (declared.method !== 'get' && !declared.reads)

interface EndpointDependencies extends Authenticator {
  reads: Reads
  commitTokens: CommitTokens
}

/** The endpoint's own way from request to answer, in its order. */
const steps = (declared: Endpoint, dependencies: EndpointDependencies): Middleware =>
  compose([
    heldTo(declared, problemsOf(declared)),
    authenticate(dependencies, declared),
    rateLimit(),
    ...(tellsCommits(declared) ? dependencies.commitTokens.tell : []),
    ...(declared.unless ? [] : [requirePermission(declared.permission)]),
    ...(declared.params ? [validateParams(declared.params)] : []),
    validateQuery(declared.query),
    ...(declared.body
      ? [
          readBody(declared.bodyLimit ?? '1mb', {
            optional: declared.bodyOptional ?? false,
            exact: keepsDigits(declared.body),
            boundsFor: boundsOf(declared.body, declared.maxItems),
          }),
          validateBody(declared.body, declared.dryPlan, declared.bodyOptional),
        ]
      : []),
    ...(declared.form ? [receiveMultipart(declared.form)] : []),
    ...(declared.upload ? [receiveUpload(declared.upload)] : []),
    answer(declared, dependencies),
  ])

function boundsOf(schema: TSchema, maxItems: Endpoint['maxItems']): (caller: Caller) => JsonBounds {
  const bounds = listBounds(schema)
  return maxItems ? caller => ({ ...bounds, items: maxItems(caller) }) : () => bounds
}

/** Makes the router of all endpoints. */
export function routerOf(endpoints: readonly Endpoint[], dependencies: EndpointDependencies): Router {
  const router = new Router()
  for (const declared of endpoints)
    router[declared.method](declared.operationId, declared.path, steps(declared, dependencies))
  return router
}

function answer(declared: Endpoint, { reads, commitTokens }: EndpointDependencies): Middleware {
  return async ctx => {
    // The database ignores blanks at the end of a text; no key or id has any, so such a path names nothing.
    const strange = Object.values(ctx.params).find(value => typeof value === 'string' && value !== value.trimEnd())
    if (strange !== undefined) throw notFound(`There is no '${strange}'.`)
    const request = {
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
    ctx.state.body = undefined
    const { status, body, compressible, headers, attachment } = await declared.handle(request)
    const stream = compressible && (await begun(compressible, request.log))
    ctx.status = status
    if (attachment) ctx.attachment(attachment)
    if (headers) ctx.set(headers)
    if (stream) compress(ctx, stream)
    else if (body !== undefined) ctx.body = body
  }
}

export const ok = (body: unknown): Answer => ({ status: 200, body })
export const created = (body: unknown): Answer => ({ status: 201, body })
export const noContent: Answer = { status: 204 }
/** A job that goes on: its address is where to look. */
export const accepted = (job: { links: { self: string } }): Answer => ({
  status: 202,
  body: job,
  headers: { Location: job.links.self },
})
