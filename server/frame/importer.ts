// Begins imports: stores their uploads and accepts their jobs.
import type { Knex } from 'knex'
import { subjectSettings } from '../../db/frame/fields/subject-settings.js'
import { importFiles } from '../../db/frame/imports/import-files.js'
import { type Import, importOf } from '../../db/frame/imports/imports.js'
import { absentAtMostByDefault, absentPermission } from '../../db/frame/imports/unassign-absent.js'
import { placesOf } from '../../db/frame/subjects/locations.js'
import { isOpen, type JobRow } from '../../db/jobs/job-row.js'
import type { Storages } from '../../db/storage/storage.js'
import { newId } from '../../runtime/ids.js'
import { conflict, fault, forbidden, invalid, Problem } from '../../runtime/problems/problem.js'
import { type ImportKind, isImport, queues } from '../../workflows/jobs/contracts.js'
import type { Request } from '../endpoint.js'
import { requestHash } from '../idempotency.js'
import type { Jobs } from '../jobs/start.js'
import { importKinds } from './import-kinds.js'
import { csv, type ImportQuery, lookedUpload, ndjson } from './import-upload.js'

interface Dependencies {
  db: Knex
  jobs: Jobs
  storages: Storages
}

type ImportRequest = Pick<
  Request<unknown, unknown>,
  'caller' | 'path' | 'readUpload' | 'idempotency' | 'log' | 'traceId'
>

export type Importer = ReturnType<typeof createImporter>

export const createImporter = ({ db, jobs, storages }: Dependencies) => {
  /**
   * Stores the upload of a request and begins the job that imports it.
   * @param corrected the earlier import, if the upload has corrected rows of one.
   * @throws Problem 400 for faults of the upload, and those of {@link absenceOf} and `jobs.begin`.
   */
  async function begin(
    request: ImportRequest,
    kind: ImportKind,
    query: ImportQuery,
    corrected?: JobRow,
  ): Promise<JobRow> {
    const { caller, path, readUpload, idempotency: asked, log, traceId } = request
    const targets = await importKinds[kind].columns(db, caller.tenantId)
    const absence = await absenceOf(db, caller, query)
    const files = importFiles(db, storages, caller.tenantId)
    const id = newId()
    try {
      const { sha256, work } = await readUpload(async (type, content) => {
        const columns = corrected && importOf(corrected).columns
        const looked = lookedUpload(type, content, { ...query, ...(columns && { columns }) }, targets)
        await files.begin(id, caller.clientId)
        const { size, sha256 } = await files.keep(id, looked.content())
        return { sha256, work: looked.work(size) }
      })
      // The hash covers the options too: the same upload with other options is a different request.
      const { Mode, DryRun, Absent, AbsentAtMost, Below, Separator, Charset, Map: map, MapKey } = query
      const options = JSON.stringify([Mode, DryRun, Absent, AbsentAtMost, Below, Separator, Charset, map, MapKey])
      const idempotency = asked && { key: asked.key, hash: requestHash(`${path}?${options}`, sha256) }
      const { input, rows } = work
      const job = await jobs.begin({ caller, log, traceId, idempotency }, kind, async () => ({
        total: rows * importKinds[kind].passes(input),
        queue: queues.background,
        input: { ...input, ...absence, ...(corrected ? { corrects: corrected.id } : {}) },
        keepWhenTemporalAway: true,
        write: (trx, jobId) => files.assign(trx, id, jobId),
      }))
      // Does nothing if the job now has the file. A repeated request gets the first one's job, and its copy is deleted here.
      await files.discard(id)
      return job
    } catch (error) {
      const discarded = files.discard(id).catch(err => log.warn({ err, id }, 'left to the retention'))
      // If the database or the storage is down, waiting for it again would only delay the answer. Retention deletes the file.
      if (error instanceof Problem && error.status < 500) await discarded
      throw error
    }
  }

  return {
    begin,

    /**
     * Imports corrected rows of an earlier import, with that import's map and separator.
     * @throws Problem 409 if the job is no import, still runs, or was not to write its valid rows (a dry run, or
     * all-or-nothing); 403 without permission; 415 if the content type differs; and those of {@link begin}.
     */
    async correct(request: ImportRequest & { type: string }, job: JobRow): Promise<JobRow> {
      const { kind } = job
      if (!isImport(kind)) throw conflict('no-import', 'Only an import takes corrected rows.')
      if (isOpen(job)) throw conflict('job-not-ended', 'The import still runs. Correct its rows when it has ended.')
      const { mode, dryRun, format, separator = 'comma' } = importOf(job)
      if (mode === 'all' || dryRun)
        throw conflict(
          'import-not-written',
          'Corrected rows are accepted only for imports with Mode=each that were no dry run. Correct the file and import all of it again.',
        )
      const { permission } = importKinds[kind]
      if (!permission.some(each => request.caller.allows(each)))
        throw forbidden(`${permission.join(' or ')} is needed. The client lacks it.`)
      const type = format === 'csv' ? csv : ndjson
      if (request.type !== type) {
        const detail = `The import's rows were ${type}. Send the corrected rows in the same format.`
        throw new Problem('content-type', detail)
      }
      return begin(request, kind, format === 'csv' ? { Separator: separator } : {}, job)
    },
  }
}

/**
 * Returns what an import does with the subjects that no row names.
 * @throws Problem 403 if it is to unassign them and the caller may not; 400 for a limit or region without that, or an unknown region.
 */
async function absenceOf(
  db: Knex,
  { tenantId, allows }: ImportRequest['caller'],
  { Absent, AbsentAtMost, Below }: ImportQuery,
): Promise<Pick<Import, 'absent' | 'absentAtMost' | 'below'>> {
  if (Absent !== 'unassign') {
    const faults = Object.entries({ AbsentAtMost, Below })
      .filter(([, value]) => value !== undefined)
      .map(([name]) => fault(`/query/${name}`, 'unknown-parameter', `${name} is for Absent=unassign.`))
    if (faults.length > 0) throw invalid(faults)
    return Absent === undefined ? {} : { absent: 'leave' }
  }
  if (!allows(absentPermission))
    throw forbidden(`${absentPermission} is needed for Absent=unassign. The client lacks it.`)
  if (Below !== undefined && !(await placesOf(db, tenantId, [Below])).has(Below))
    throw invalid([fault('/query/Below', 'unknown-structural-entity', `There is no structural entity '${Below}'.`)])
  const { absentAtMost = absentAtMostByDefault } = await subjectSettings(db, tenantId)
  return {
    absent: 'unassign',
    absentAtMost: AbsentAtMost ?? absentAtMost,
    ...(Below === undefined ? {} : { below: Below }),
  }
}
