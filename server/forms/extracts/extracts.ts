// Endpoints that run a multi extract and return its results.
import Type from 'typebox'
import type { ExtractReader } from '../../../db/forms/extracts/extract-results.js'
import {
  acceptExtract,
  type ExtractRequest,
  extractOf,
  subjectsOfExtract,
} from '../../../db/forms/extracts/extracts.js'
import { isOpen, type JobRow } from '../../../db/jobs/job-row.js'
import { notFound, Problem } from '../../../runtime/problems/problem.js'
import type { WithoutFaults } from '../../../runtime/schema/without-faults.js'
import { addressOf, type Queue, queues } from '../../../workflows/jobs/contracts.js'
import { type Answer, type Endpoint, endpoint } from '../../endpoint.js'
import { prefersAsync } from '../../jobs/answer.js'
import { existingJob, JobPath } from '../../jobs/jobs.js'
import { Job, waitingHeaders } from '../../jobs/present.js'
import type { Jobs } from '../../jobs/start.js'
import { extractAnswer, extractTypes } from './extract-answer.js'
import { ExtractBody } from './extract-body.js'
import { extractRequest } from './extract-request.js'
import { ExtractLine, ExtractResults } from './extract-shapes.js'
import { extractFaults } from './request-faults.js'

const common = {
  tag: 'Extracts',
  scopes: ['FormsApi'],
  unauthenticated: 403,
  permission: 'RunExtractsAndReports',
  lines: ExtractLine,
  answerHeaders: Type.Object({
    'Extract-Instant': Type.String({
      format: 'date-time',
      description:
        'The moment that the results show. Send it as `from` of the next extract to get what was submitted since.',
    }),
  }),
} as const

/** Creates the endpoints of multi extracts (spec forms "Multi extract"). */
export const extractRoutes = ({ jobs, ...stores }: ExtractReader & { jobs: Jobs }): Endpoint[] => {
  const { db } = stores

  async function answerOf(job: JobRow, tenantId: number, type: string | undefined): Promise<Answer> {
    const extract = await extractOf(db, tenantId, job.id)
    if (!extract) throw notFound('The results of this extract were deleted together with its job.')
    return extractAnswer(stores, tenantId, extract, type)
  }

  return [
    endpoint({
      ...common,
      operationId: 'runExtract',
      summary:
        'Extract submitted answers by form or building block; returns the results, or a job if that takes longer',
      description:
        'Collects submitted answers as they are at the moment of acceptance, and waits for the result for at most a minute; then it answers 202 with the job, whose result getJobResult returns. With `Accept: application/x-ndjson` each result is a line. Send the `Extract-Instant` of one extract as `from` of the next, and no submission is missed or comes twice. Withdrawn instances are in no extract.',
      method: 'post',
      path: '/api/v2.0/extract',
      headers: waitingHeaders,
      body: ExtractBody,
      bodyLimit: '32mb',
      dryPlan: { check: (sound: WithoutFaults<ExtractBody>, caller) => extractFaults(stores, caller.tenantId, sound) },
      answers: { 200: ExtractResults, 202: Job },
      problems: ['waits', 'not-found'],
      readsPeople: true,
      async handle(request) {
        const { tenantId } = request.caller
        const job = await jobs.begin(request, 'multiExtract', async () => {
          const asked = await extractRequest(stores, tenantId, request.body)
          const { subjectIdentifiers } = request.body
          const subjects = subjectIdentifiers && (await subjectsOfExtract(db, tenantId, subjectIdentifiers))
          return {
            total: asked.definitions.length,
            queue: queueFor(asked, subjects?.length),
            keepWhenTemporalAway: prefersAsync(request),
            async write(trx, jobId) {
              await acceptExtract(trx, tenantId, jobId, asked, subjects)
            },
          }
        })
        return jobs.waitAndAnswer(request, job, done => answerOf(done, tenantId, request.accepts(extractTypes)))
      },
    }),

    endpoint({
      ...common,
      operationId: 'getJobResult',
      readsPeople: true,
      summary: 'The result of an extract',
      description:
        'Returns the result of an extract, always the same one, until its job is deleted. While the job goes on, and after it has failed, the answer is 409 `job-not-completed`, with `Retry-After` where it is worth asking again. With `Accept: application/x-ndjson` each result is a line, and a reader needs no more memory for a million than for one.',
      method: 'get',
      path: '/api/v1/jobs/:jobId/result',
      params: JobPath,
      answers: { 200: ExtractResults },
      problems: ['job-not-completed'],
      async handle({ params, caller, accepts }) {
        const job = await existingJob(db, caller.tenantId, params.jobId)
        if (job.kind !== 'multiExtract') throw notFound(`The job '${job.id}' is not an extract, so it has no result.`)
        if (job.status === 'Completed') return answerOf(job, caller.tenantId, accepts(extractTypes))
        throw notCompleted(job)
      },
    }),
  ]
}

function notCompleted(job: JobRow): Problem {
  const self = addressOf(job.id)
  const next = isOpen(job)
    ? 'ask again in a moment.'
    : `GET ${self} says why, and POST ${self}/retry continues it as of the same instant.`
  const detail = `The extract is ${job.status.toLowerCase()}; ${next}`
  const headers = isOpen(job) ? { 'Retry-After': '1' } : undefined
  return new Problem('job-not-completed', detail, [], headers)
}

/**
 * Chooses the task queue. Extracts that read few rows go to the interactive queue, because their callers wait for the result; all
 * others go to the background queue.
 */
function queueFor({ maxResults, maxResultsPerDefinitionPerSubject, definitions }: ExtractRequest, subjects = 0): Queue {
  const rows = (maxResults ?? Number.POSITIVE_INFINITY) * definitions.length
  const isPicked = maxResultsPerDefinitionPerSubject !== undefined || subjects > 1_000
  return rows <= 10_000 && !isPicked ? queues.interactive : queues.background
}
