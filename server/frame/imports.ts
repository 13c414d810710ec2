// Endpoints that import subjects and structural entities from files of any size.
import type { Knex } from 'knex'
import Type from 'typebox'
import { importOf } from '../../db/frame/imports/imports.js'
import { rejectsOf } from '../../db/frame/imports/rejects.js'
import { forbidden, notFound, Problem } from '../../runtime/problems/problem.js'
import { bufferLines } from '../../runtime/rows/buffered-lines.js'
import { isImport } from '../../workflows/jobs/contracts.js'
import { accepted, type Endpoint, endpoint } from '../endpoint.js'
import { JobPath, permittedJob } from '../jobs/jobs.js'
import { idempotencyHeaders, Job, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { importKinds } from './import-kinds.js'
import { csv, EntityImportQuery, ndjson, SubjectImportQuery, uploadTypes } from './import-upload.js'
import type { Importer } from './importer.js'
import { csvOf, ndjsonOf, RefusedRow } from './refused-rows.js'

interface Dependencies {
  db: Knex
  jobs: Jobs
  importer: Importer
  /** Largest upload, in bytes. */
  maxBytes: number
}

export const importRoutes = ({ db, jobs, importer, maxBytes }: Dependencies): Endpoint[] => [
  endpoint({
    operationId: 'importSubjects',
    guide: 'imports',
    summary: 'Create or update subjects from a file of any size, as a job',
    description:
      'Stores the file and answers 202 with the job that imports it. Each row is an upsert by the matching fields. A refused row does not stop the others, unless Mode=all; listJobRejects returns the refused ones. A repetition of the same file changes nothing, and with the same `Idempotency-Key` it is the same job. `Absent=unassign` takes people whom the file lacks from their places.',
    tag: 'Subjects',
    scopes: ['FrameApi'],
    method: 'post',
    path: '/api/v2/subject/import',
    permission: importKinds.subjectImport.permission,
    query: SubjectImportQuery,
    headers: idempotencyHeaders,
    upload: { types: uploadTypes([importKinds.subjectImport.line]), maxBytes },
    answers: { 202: Job },
    problems: ['subject-upsert-not-configured', 'no-rows'],
    async handle(request) {
      const job = await importer.begin(request, 'subjectImport', request.query)
      return accepted(presentJob(job, jobs.links))
    },
  }),

  endpoint({
    operationId: 'importStructuralEntities',
    guide: 'imports',
    summary: 'Create or replace structural entities from a file of any size, in whatever order, as a job',
    description:
      'Stores the file and answers 202 with the job that imports it. Rows may be in any order; all are read and planned before the first is written. A refused row does not stop the others, unless Mode=all. Every row replaces its whole entity, so a repetition of the same file changes nothing.',
    tag: 'Structural entities',
    scopes: ['FrameApi'],
    method: 'post',
    path: '/api/v1/structuralEntity/import',
    permission: importKinds.structuralEntityImport.permission,
    query: EntityImportQuery,
    headers: idempotencyHeaders,
    upload: { types: uploadTypes([importKinds.structuralEntityImport.line]), maxBytes },
    answers: { 202: Job },
    problems: ['no-rows'],
    async handle(request) {
      const job = await importer.begin(request, 'structuralEntityImport', request.query)
      return accepted(presentJob(job, jobs.links))
    },
  }),

  endpoint({
    operationId: 'listJobRejects',
    readsPeople: true,
    guide: 'imports',
    summary: 'Rows that an import has refused until now, to be corrected and sent again',
    description:
      'Returns the rows that an import has refused so far, each as it came and with its faults, as CSV or NDJSON. Correct them and send them to the retry of the job. It may be called while the import runs. Another client than the one that began the import also needs the permission to list what the rows are about.',
    tag: 'Jobs',
    scopes: ['FrameApi'],
    method: 'get',
    path: '/api/v1/jobs/:jobId/rejects',
    params: JobPath,
    permission: 'View:Job',
    unless: 'the client has started the import',
    answers: { 200: Type.String() },
    answerType: csv,
    answerHeaders: Type.Object({
      'Content-Disposition': Type.String({ description: 'A file to be stored, not shown: `attachment`.' }),
    }),
    lines: RefusedRow,
    problems: ['not-acceptable'],
    async handle({ params, caller, accepts }) {
      const job = await permittedJob(db, caller, params.jobId, 'View:Job')
      if (!isImport(job.kind)) throw notFound(`The job '${job.id}' is no import: it has refused no rows.`)
      const { toSeeRows } = importKinds[job.kind]
      if (job.actor !== caller.clientId && !caller.allows(toSeeRows))
        throw forbidden(`The rows are those of another client: ${toSeeRows} is needed. The client lacks it.`)
      const upload = importOf(job)
      const types = upload.format === 'csv' ? [csv, ndjson] : [ndjson, csv]
      const type = accepts(types)
      if (!type) throw new Problem('not-acceptable', `Accept ${types.join(' or ')}.`)
      const rejects = rejectsOf(db, caller.tenantId, job.id)
      const lines = type === csv ? csvOf(rejects, upload) : ndjsonOf(rejects, upload)
      // NDJSON is always UTF-8, but many programs read CSV in another charset unless it is named (RFC 4180, section 3).
      const contentType = type === csv ? `${csv}; charset=utf-8` : type
      const file = `attachment; filename="${job.id}.rejects.${type === csv ? 'csv' : 'ndjson'}"`
      const headers = { 'Content-Type': contentType, 'Content-Disposition': file }
      return { status: 200, compressible: bufferLines(lines), headers }
    },
  }),
]
