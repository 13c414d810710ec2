// Endpoint that erases a subject.
import type { Knex } from 'knex'
import { absentSubject, type Erasure, erasureSteps } from '../../db/frame/erasure/erasure.js'
import { subjectStore } from '../../db/frame/subjects/subjects.js'
import { accepted, type Endpoint, endpoint } from '../endpoint.js'
import { Job, jobHeaders, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { SubjectPath } from './shapes.js'

export const subjectErasureRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    operationId: 'eraseSubject',
    summary:
      'Erase a subject with its values, places, documents, forms, data points and portal users, for good, as a job; its id is then answered 410',
    tag: 'Subjects',
    scopes: ['FrameApi'],
    method: 'post',
    path: '/api/v2/subject/:subjectId/erase',
    params: SubjectPath,
    permission: 'Delete:Subject',
    headers: jobHeaders,
    answers: { 202: Job },
    problems: ['subject-erased'],
    async handle(request) {
      const { params, caller } = request
      const job = await jobs.begin(request, 'subjectErasure', async () => {
        const input: Erasure = { subjectId: params.subjectId ?? '' }
        const subject = await subjectStore(db, caller.tenantId).byId(input.subjectId)
        if (!subject) throw await absentSubject(db, caller.tenantId, input.subjectId)
        return { total: erasureSteps, queue: 'background', input, stays: true }
      })
      return accepted(presentJob(job, jobs.links))
    },
  }),
]
