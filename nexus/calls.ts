// Implements the gateway's activities, which call the API as one client of a tenant.
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { ApiProblem, type Client, type Job, JobFailed, type ProblemDocument, TokenRefused } from '../client/index.js'
import type { Asked, Calls } from './contracts.js'
import type { Inputs } from './service.js'

/** Interval of heartbeats, in ms. They continue while the API does not answer. */
const heartbeatMs = 5_000
/**
 * Highest number of faults that are passed on, as many as an answer of the API has. A job can have more than fit into a
 * payload.
 */
const maxFaults = 500

type Begin<Name extends keyof Inputs> = (
  client: Client,
  input: Inputs[Name],
  headers: Record<string, string>,
) => Promise<unknown>

/** The API call that begins each operation. It answers with a job. */
const beginnings: { [Name in keyof Inputs]: Begin<Name> } = {
  upsertStructuralEntities: async (client, { items: body }, headers) =>
    (await client.put('/api/v1/structuralEntity/bulk', { body, headers })).data,
  importStructuralEntities: async (client, { rows: body, type }, headers) =>
    (await client.post('/api/v1/structuralEntity/import', { body, headers: { ...headers, 'content-type': type } }))
      .data,
  importSubjects: async (client, { rows: body, type }, headers) =>
    (await client.post('/api/v2/subject/import', { body, headers: { ...headers, 'content-type': type } })).data,
  async transferSubjects(client, { to, ...body }, headers) {
    const params = { path: { destinationStructuralEntityKey: to } }
    const path = '/api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer'
    return (await client.post(path, { params, body, headers })).data
  },
  async refreshDataSet(client, path, headers) {
    return (await client.post('/api/v1/dataSet/{dataExtractKey}/refresh', { params: { path }, headers })).data
  },
  runExtract: async (client, body, headers) => (await client.post('/api/v2.0/extract', { body, headers })).data,
  waitForJob: async (_, job) => job,
}

/**
 * Creates the activities. They throw an ApplicationFailure with the problem in its details; it is retryable if the API does not
 * answer.
 * @param waitTimeoutMs how long `awaitEnd` waits, in ms. The workflow then calls it again.
 */
export const createCalls = (client: Client, { waitTimeoutMs = 5 * 60_000 } = {}): Calls => ({
  begin: asked =>
    withHeartbeat(async () => {
      const answer: Partial<Job> = Object(await begin(client, asked))
      if (typeof answer.jobId !== 'string')
        throw new Error(`The call of ${asked.operation} was not answered with a job`)
      return { jobId: answer.jobId }
    }),

  awaitEnd: job =>
    withHeartbeat(async cancelled => {
      const over = AbortSignal.timeout(waitTimeoutMs)
      try {
        return await client.waitForJob(job, { signal: AbortSignal.any([cancelled, over]) })
      } catch (error) {
        if (over.aborted && !cancelled.aborted) return undefined
        throw error
      }
    }),

  cancel: job =>
    withHeartbeat(async () => {
      const params = { path: { jobId: job.jobId } }
      await client.post('/api/v1/jobs/{jobId}/cancel', { params }).catch((error: unknown) => {
        if (!(error instanceof ApiProblem && error.code === 'job-ended')) throw error
      })
      await client.waitForJob(job).catch((error: unknown) => {
        if (!(error instanceof JobFailed)) throw error
      })
    }),
})

const begin = <Name extends keyof Inputs>(client: Client, { operation, input, idempotencyKey }: Asked<Name>) =>
  beginnings[operation](client, input, { 'Idempotency-Key': idempotencyKey, Prefer: 'respond-async' })

/** Runs a call with heartbeats. @throws ApplicationFailure, or CancelledFailure if the activity is cancelled. */
async function withHeartbeat<T>(call: (cancelled: AbortSignal) => Promise<T>): Promise<T> {
  const { heartbeat, cancellationSignal, cancelled } = Context.current()
  const timer = setInterval(() => heartbeat(), heartbeatMs)
  try {
    return await call(cancellationSignal)
  } catch (error) {
    if (cancellationSignal.aborted) await cancelled
    throw failureOf(error)
  } finally {
    clearInterval(timer)
  }
}

/** Turns an error into a failure. Personal data may only be in its details, which are sealed, and not in its message. */
function failureOf(error: unknown): unknown {
  if (error instanceof JobFailed) {
    const { job } = error
    if (!job.problem) return final('cancelled', 'The job was cancelled', job)
    const problem: ProblemDocument = Object(job.problem)
    const errors = problem.errors?.slice(0, maxFaults)
    const code = problem.type.split('/').at(-1) ?? problem.type
    return final(code, problem.title, { ...job, problem: { ...problem, errors } })
  }
  if (error instanceof TokenRefused) return final('token-refused', 'The gateway cannot get a token', {})
  if (!(error instanceof ApiProblem)) return error
  const { code, title, detail, errors, status, retryAfter } = error
  const problem = { code, title, detail, errors, status }
  if (status < 500 && status !== 429) return final(code, title, problem)
  const nextRetryDelay = retryAfter === undefined ? {} : { nextRetryDelay: retryAfter * 1000 }
  return ApplicationFailure.create({ type: code, message: title, details: [problem], ...nextRetryDelay })
}

const final = (type: string, message: string, details: object) =>
  ApplicationFailure.create({ type, message, nonRetryable: true, details: [details] })
