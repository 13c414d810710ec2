// Endpoint that erases a subject.
import type { Knex } from 'knex'
import { beginErasure, erasureOfSubject, erasureSteps } from '../../db/people/erasure.js'
import { accepted, type Endpoint, endpoint } from '../endpoint.js'
import { idempotencyHeaders, Job, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { SubjectPath } from './shapes.js'

export const subjectErasureRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    operationId: 'eraseSubject',
    summary:
      'Erase a subject with its values, places, documents, forms, data points and portal users, for good, as a job; its id is then answered 410',
    description:
      'Begins a job that deletes everything that is stored about the subject, and about those merged into it. It cannot be undone, and a retry of a failed erasure goes on with it. When it is done the Id is answered 410 `subject-erased`. Files that were exported and events that were delivered are not reached.',
    tag: 'Subjects',
    scopes: ['FrameApi'],
    method: 'post',
    path: '/api/v2/subject/:subjectId/erase',
    params: SubjectPath,
    permission: 'Delete:Subject',
    headers: idempotencyHeaders,
    answers: { 202: Job },
    async handle(request) {
      const { params, caller } = request
      const job = await jobs.begin(request, 'subjectErasure', async () => {
        const input = await erasureOfSubject(db, caller.tenantId, params.subjectId)
        const write = (trx: Knex.Transaction, id: string) =>
          beginErasure(trx, caller.tenantId, input, { id, actor: caller.clientId })
        return { total: erasureSteps, queue: 'background', input, keepWhenTemporalAway: true, write }
      })
      return accepted(presentJob(job, jobs.links))
    },
  }),
]
