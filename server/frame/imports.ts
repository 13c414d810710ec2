// Endpoints that import subjects from files of any size.
import type { Knex } from 'knex'
import Type from 'typebox'
import { importFiles } from '../../db/frame/imports/import-files.js'
import { rejectsOf } from '../../db/frame/imports/rejects.js'
import { importOf } from '../../db/frame/imports/subject-import.js'
import { SubjectWrite } from '../../db/frame/subjects/subject-input.js'
import { upsertSettings } from '../../db/frame/subjects/subject-plan.js'
import type { Storages } from '../../db/storage/storage.js'
import { newId } from '../../runtime/ids.js'
import { inBlocks } from '../../runtime/in-blocks.js'
import { forbidden, notFound, Problem } from '../../runtime/problem.js'
import { queues } from '../../workflows/jobs/contracts.js'
import { accepted, type Endpoint, endpoint, type Request } from '../endpoint.js'
import { type Idempotency, requestHash } from '../idempotency.js'
import { existingJob, JobPath } from '../jobs/jobs.js'
import { Job, jobHeaders, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { csv, ImportQuery, lookedUpload, ndjson } from './import-upload.js'
import { csvOf, ndjsonOf, RefusedRow } from './refused-rows.js'

interface Dependencies {
  db: Knex
  jobs: Jobs
  storages: Storages
  /** Largest upload, in bytes. */
  maxBytes: number
}

export const importRoutes = ({ db, jobs, storages, maxBytes }: Dependencies): Endpoint[] => [
  endpoint({
    operationId: 'importSubjects',
    summary: 'Create or update subjects from a file of any size, as a job',
    tag: 'Subjects',
    scopes: ['FrameApi'],
    method: 'post',
    path: '/api/v2/subject/import',
    permission: ['Create:Subject', 'Edit:Subject'],
    query: ImportQuery,
    headers: jobHeaders,
    upload: {
      types: {
        [csv]: Type.String({
          contentMediaType: csv,
          description: 'In UTF-8, with a header. An empty cell means that there is no value.',
        }),
        [ndjson]: SubjectWrite,
      },
      maxBytes,
    },
    answers: { 202: Job },
    async handle(request) {
      const { caller, query, readUpload, log } = request
      const settings = await upsertSettings(db, caller.tenantId)
      const files = importFiles(db, storages, caller.tenantId)
      const id = newId()
      try {
        const upload = await readUpload(async (type, content) => {
          const looked = lookedUpload(type, content, query, settings)
          await files.begin(id, caller.clientId)
          const { size, sha256 } = await files.keep(id, looked.content())
          return { sha256, work: looked.work(size) }
        })
        const { input, rows } = upload.work
        const idempotency = idempotencyOf(request, upload.sha256)
        const job = await jobs.begin({ ...request, idempotency }, 'subjectImport', async () => ({
          total: input.mode === 'all' && !input.dryRun ? 2 * rows : rows,
          queue: queues.background,
          input,
          stays: true,
          write: (trx, jobId) => files.assign(trx, id, jobId),
        }))
        // Of a repeated request, whose job has the upload of the first one.
        await files.discard(id)
        return accepted(presentJob(job, jobs.links))
      } catch (error) {
        const discarded = files.discard(id).catch(err => log.warn({ err, id }, 'left to the retention'))
        // Where the database or the storage is away, the caller would wait for it a second time.
        if (error instanceof Problem && error.status < 500) await discarded
        throw error
      }
    },
  }),

  endpoint({
    operationId: 'listJobRejects',
    summary: 'Rows that an import has refused until now, to be corrected and sent again',
    tag: 'Jobs',
    scopes: ['FrameApi'],
    method: 'get',
    path: '/api/v1/jobs/:jobId/rejects',
    params: JobPath,
    permission: 'View:Job',
    answers: { 200: Type.String({ contentMediaType: csv }) },
    answerType: csv,
    lines: RefusedRow,
    async handle({ params, caller, accepts }) {
      const job = await existingJob(db, caller.tenantId, params.jobId)
      if (job.kind !== 'subjectImport') throw notFound(`The job '${job.id}' is no import: it has refused no rows.`)
      if (job.actor !== caller.clientId && !caller.allows('List:Subject'))
        throw forbidden('The rows are those of another client: List:Subject is needed. The client lacks it.')
      const upload = importOf(job)
      const types = upload.format === 'csv' ? [csv, ndjson] : [ndjson, csv]
      const type = accepts(types)
      if (!type) throw new Problem(406, 'not-acceptable', 'Not acceptable', `Accept ${types.join(' or ')}.`)
      const rejects = rejectsOf(db, caller.tenantId, job.id)
      const lines = type === csv ? csvOf(rejects, upload) : ndjsonOf(rejects, upload)
      return { status: 200, compressible: inBlocks(lines), headers: { 'Content-Type': type } }
    },
  }),
]

/** The same upload with other options is another request. */
function idempotencyOf(
  { path, query, idempotency }: Pick<Request<ImportQuery, unknown>, 'path' | 'query' | 'idempotency'>,
  sha256: string,
): Idempotency | undefined {
  const options = JSON.stringify([query.Mode, query.DryRun, query.Separator, query.Map])
  return idempotency && { key: idempotency.key, hash: requestHash(`${path}?${options}`, sha256) }
}
