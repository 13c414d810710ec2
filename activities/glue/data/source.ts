// Asks a data source for data points by running its endpoint's pipeline.
import { Context } from '@temporalio/activity'
import { ExponentialBackoff, handleWhen, retry } from 'cockatiel'
import type { Knex } from 'knex'
import type { DataPoint } from '../../../db/glue/data/data-sets.js'
import { subjectsNamed } from '../../../db/glue/data/subject-identifiers.js'
import {
  type DataExtract,
  type DataSource,
  type GlueReader,
  type GlueSettings,
  glueDefaults,
  hasLimits,
  type Provider,
} from '../../../db/glue/endpoints/settings.js'
import { notFound, Problem } from '../../../runtime/problems/problem.js'
import type { ProblemCode } from '../../../runtime/problems/problem-codes.js'
import { providerQueue } from '../../../workflows/glue/contracts.js'
import { pauseAfter, stepRetry } from '../../../workflows/jobs/contracts.js'
import { notRepeated, ProviderFailed, providerAway } from '../../providers/provider-failed.js'
import { type RunSteps, StepCallFailed } from '../endpoints/run-steps.js'
import { tries } from '../endpoints/step-problems.js'
import { type AnsweredPage, readDataPoints } from './structured-data.js'

export interface SourceDependencies {
  db: Knex
  glue: GlueReader
  runSteps: RunSteps
}

interface Tenant {
  id: number
  key: string
}

/** The question to a source: a page of the data points of all subjects, or of one subject. */
export interface Wanted {
  subjectIdentifier?: string
  cursor: string | null
  pageSize: number
}

/** The source of an extract's data, and its two endpoints. */
export interface Origin {
  extract: DataExtract
  source: DataSource
  /** The endpoint that is asked for one subject, if the source has one. */
  bySubject: Asked | undefined
  /** The endpoint that is asked for pages of all subjects, if the source has one. */
  byPage: Asked | undefined
}

interface Asked {
  endpointKey: string
  /**
   * The first provider with limits that the endpoint calls, or else the first one; undefined if no step names a
   * provider.
   */
  provider: Provider | undefined
  /** The provider's task queue, if it has limits. */
  taskQueue: string | undefined
}

/** Retries a failed call within the activity, so that an occasional failure does not delay the job. */
const quickTries = retry(
  handleWhen(error => error instanceof ProviderFailed && error.retryable && error.retryAfterMs === undefined),
  { maxAttempts: 3, backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 500 }) },
)

/**
 * Finds the source of an extract's data.
 * @throws Problem 404 when the manifest has no such extract any more.
 */
export function originOf({ settings }: { settings: GlueSettings }, tenantKey: string, extractKey: string): Origin {
  const extract = settings.dataExtracts.find(({ key }) => key === extractKey)
  const source = settings.dataSources.find(({ key }) => key === extract?.source)
  if (!extract || !source) throw notFound(`There is no data extract '${extractKey}' any more.`)
  const asked = (endpointKey: string | undefined): Asked | undefined => {
    if (endpointKey === undefined) return undefined
    const endpoint = settings.endpoints.find(({ key }) => key === endpointKey)
    const called = endpoint?.steps.flatMap(({ httpRequest }) => httpRequest?.provider ?? []) ?? []
    const providers = settings.providers.filter(({ key }) => called.includes(key))
    const limited = providers.find(hasLimits)
    return {
      endpointKey,
      provider: limited ?? providers[0],
      taskQueue: limited && providerQueue(tenantKey, limited.key),
    }
  }
  return { extract, source, bySubject: asked(source.subjectEndpoint), byPage: asked(source.pageEndpoint) }
}

/**
 * Asks a source for data points by running the whole pipeline of its endpoint in this process.
 * @param where names the answer in errors: `page 3`.
 * @throws ProviderFailed when a call of the provider fails; Problem 502 when its answer cannot be used.
 */
export async function askSource(
  { glue, runSteps }: SourceDependencies,
  tenant: Tenant,
  origin: Origin,
  by: 'byPage' | 'bySubject',
  wanted: Wanted,
  { where, signal, ...job }: { where: string; jobId: string; traceId: string; signal?: AbortSignal },
): Promise<AnsweredPage> {
  const { extract, [by]: asked } = origin
  if (!asked) throw new Error(`The source '${origin.source.key}' has no such endpoint`)
  const request = { method: 'POST', query: {}, body: { ...wanted, options: extract.options } }
  const run = { tenantKey: tenant.key, endpointKey: asked.endpointKey, request, tenantId: tenant.id, ...job }
  const opened = await glue(tenant.id)
  let calls = 0
  const ask = async () => {
    calls += 1
    const done = await runSteps(opened, run, { next: 0, outputs: {} }, 'answer', signal)
    if (!('answer' in done)) throw new Error('The pipeline ended without an answer')
    return readDataPoints(done.answer, where)
  }
  // At a provider with limits, every attempt is an activity of its own, because the provider's queue counts activities.
  const asking = asked.taskQueue === undefined ? quickTries.execute(ask, signal) : ask()
  return asking.catch((error: unknown) => {
    throw error instanceof StepCallFailed ? new StepCallFailed(error.step, error, calls) : error
  })
}

/** Resolves subject identifiers, and keeps the points of subjects that we know. Returns how many others there were. */
export async function known(
  { db }: SourceDependencies,
  tenant: Tenant,
  { points }: AnsweredPage,
): Promise<{ points: DataPoint[]; unknownSubjects: number }> {
  const named = await subjectsNamed(db, tenant.id, [...new Set(points.map(point => point.subjectIdentifier))])
  const ofKnown = points.flatMap(point => {
    const subjectId = named.get(point.subjectIdentifier)
    return subjectId === undefined ? [] : [{ ...point, subjectId }]
  })
  return { points: ofKnown, unknownSubjects: points.length - ofKnown.length }
}

/**
 * Turns a failed call into the problem that fails the job or, while there is time to retry, that delays it. A job never
 * waits beyond its provider's `retrySeconds`, whatever the provider asks for. Returns any other error unchanged.
 * @param where names what was asked for: `page 3`.
 * @param failingMs for how long the call has been failing.
 */
export function problemOfCall(error: unknown, asked: Asked | undefined, where: string, failingMs: number): unknown {
  const isRefusal = error instanceof Problem && refusals.has(error.code)
  if (!isRefusal && !(error instanceof ProviderFailed)) return error
  const retrySeconds = asked?.provider?.retrySeconds ?? glueDefaults.provider.retrySeconds
  const said =
    error instanceof ProviderFailed
      ? saidOf(error, where, { spentMs: failingMs, givenMs: retrySeconds * 1000 })
      : `${error.message.replace(/\.$/, '')} (${where}).`
  const leftMs = retrySeconds * 1000 - failingMs
  let tooLong = ''
  if (error instanceof ProviderFailed && error.retryable && leftMs > 0) {
    const { retryAfterMs = 0 } = error
    if (retryAfterMs <= leftMs) {
      const isLast = pauseAfter(Context.current().info.attempt, stepRetry) > leftMs
      return providerAway(said, retryAfterMs || (isLast ? leftMs : undefined))
    }
    tooLong = ` It is to be tried again after ${Math.ceil(retryAfterMs / 1000)} s, beyond that time.`
  }
  const detail = `${said}${tooLong} What was known before stays readable.`
  return new Problem(
    isRefusal ? error.code : 'provider-failed',
    detail,
    isRefusal ? error.faults : [],
    {},
    { cause: error },
  )
}

/** Codes of problems about an answer, which do not say yet which answer it was. */
const refusals = new Set<ProblemCode>([
  ...(['provider-failed', 'provider-answer-no-text', 'provider-answer-no-rows'] as const),
  ...(['next-elsewhere', 'step-error'] as const),
])

function saidOf(error: ProviderFailed, where: string, time: { spentMs: number; givenMs: number }): string {
  const { attempt } = Context.current().info
  if (!(error instanceof StepCallFailed)) return `${error.message} (${where}).`
  const tried = tries({ attempt, calls: error.calls, ...time })
  return `The step '${error.step}' failed: ${error.message} (${where}).${tried}${notRepeated(error)}`
}
