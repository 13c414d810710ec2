// Asks a data source for data points, by the pipeline of its endpoint.
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
import { notFound, Problem } from '../../../runtime/problem.js'
import { providerQueue } from '../../../workflows/glue/contracts.js'
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

/** A request to a source: for the data points of one subject, or for a page of those of all. */
export type Wanted = { subjectIdentifier: string } | { cursor: string | null; pageSize: number }

/** Where the data of an extract comes from. */
export interface Origin {
  extract: DataExtract
  source: DataSource
  /** Task queue of the provider, where it has limits. */
  bySubject: Asked | undefined
  byPage: Asked | undefined
}

interface Asked {
  endpointKey: string
  /** The provider that is called first; undefined where a step names none. */
  provider: Provider | undefined
  /** Its task queue, where it has limits. */
  taskQueue: string | undefined
}

/** Quick second to fourth tries: a call that fails now and then need not put the whole activity off. */
const quickTries = retry(
  handleWhen(error => error instanceof ProviderFailed && error.retryable && error.retryAfterMs === undefined),
  { maxAttempts: 3, backoff: new ExponentialBackoff({ initialDelay: 50, maxDelay: 500 }) },
)

/** Where the data of an extract comes from. @throws Problem 404 when the manifest has no such extract any more. */
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
 * Asks a source for data points by running its endpoint's pipeline, from here and to its end.
 * @param where names the answer in errors: `page 3`.
 * @throws ProviderFailed when the provider does not answer as it should; Problem 502 when its answer is not what it should be.
 */
export async function askSource(
  { glue, runSteps }: SourceDependencies,
  tenant: Tenant,
  origin: Origin,
  by: 'byPage' | 'bySubject',
  wanted: Wanted,
  { where, traceId, signal }: { where: string; traceId: string; signal?: AbortSignal },
): Promise<AnsweredPage> {
  const { extract, [by]: asked } = origin
  if (!asked) throw new Error(`The source '${origin.source.key}' has no such endpoint`)
  const request = { method: 'POST', query: {}, body: { ...wanted, options: extract.options } }
  const run = { tenantKey: tenant.key, endpointKey: asked.endpointKey, request, traceId, tenantId: tenant.id }
  const opened = await glue(tenant.id)
  let calls = 0
  const ask = async () => {
    calls += 1
    const done = await runSteps(opened, run, { next: 0, outputs: {} }, 'answer', signal)
    if (!('answer' in done)) throw new Error('The pipeline did not come to its end')
    return readDataPoints(done.answer, where)
  }
  // At a provider with limits every try is an activity of its own: its queue counts them.
  const asking = asked.taskQueue === undefined ? quickTries.execute(ask, signal) : ask()
  return asking.catch((error: unknown) => {
    throw error instanceof StepCallFailed ? new StepCallFailed(error.step, error, calls) : error
  })
}

/** The points of subjects that we know, and how many are of others. */
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
 * A failed call as the problem that its job ends with, or that puts the job off.
 * @param where names what was asked for: `page 3`.
 * @param failingMs for how long it has been failing.
 */
export function problemOfCall(error: unknown, asked: Asked | undefined, where: string, failingMs: number): unknown {
  const isRefusal = error instanceof Problem && ['provider-failed', 'provider-answer-no-text'].includes(error.code)
  if (!isRefusal && !(error instanceof ProviderFailed)) return error
  const retrySeconds = asked?.provider?.retrySeconds ?? glueDefaults.provider.retrySeconds
  const said =
    error instanceof ProviderFailed
      ? saidOf(error, where, { spentMs: failingMs, givenMs: retrySeconds * 1000 })
      : `${error.message.replace(/\.$/, '')} (${where}).`
  if (error instanceof ProviderFailed && error.retryable && failingMs < retrySeconds * 1000) {
    return providerAway(said, error)
  }
  const detail = `${said} What was known before stays readable.`
  return new Problem(isRefusal ? error.code : 'provider-failed', detail, [], {}, { cause: error })
}

function saidOf(error: ProviderFailed, where: string, time: { spentMs: number; givenMs: number }): string {
  const { attempt } = Context.current().info
  if (!(error instanceof StepCallFailed)) return `${error.message} (${where}).`
  const tried = tries({ attempt, calls: error.calls, ...time })
  return `The step '${error.step}' failed: ${error.message} (${where}).${tried}${notRepeated(error)}`
}
