// Endpoint that erases a subject.
import type { Knex } from 'knex'
import { saveAnswer } from '../../db/jobs/idempotent-answers.js'
import { beginErasure, erasureOfSubject, erasureSteps, openErasure } from '../../db/people/erasure.js'
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
      'Begins a job that deletes everything that is stored about the subject, and about those merged into it. It cannot be undone, and a retry of a failed erasure goes on with it. A call while the subject is being erased is answered with the job that does it. When it is done the Id is answered 410 `subject-erased`. Files that were exported and events that were delivered are not reached.',
    tag: 'Subjects',
    scopes: ['FrameApi'],
    method: 'post',
    path: '/api/v2/subject/:subjectId/erase',
    params: SubjectPath,
    permission: 'Delete:Subject',
    headers: idempotencyHeaders,
    answers: { 202: Job },
    async handle(request) {
      const { params, caller, idempotency } = request
      const job = await jobs.begin(request, 'subjectErasure', async () => {
        const input = await erasureOfSubject(db, caller.tenantId, params.subjectId)
        const write = (trx: Knex.Transaction, id: string) =>
          beginErasure(trx, caller.tenantId, input, { id, actor: caller.clientId })
        const join = async (trx: Knex.Transaction) => {
          const id = await openErasure(trx, caller.tenantId, input)
          if (id && idempotency) await saveAnswer(trx, caller.tenantId, caller.clientId, idempotency, [[id, 'updated']])
          return id
        }
        return { total: erasureSteps, queue: 'background', input, keepWhenTemporalAway: true, join, write }
      })
      return accepted(presentJob(job, jobs.links))
    },
  }),
]
