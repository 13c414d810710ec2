// Endpoints that transfer subjects between structural entities, and reverse a transfer.
import type { Knex } from 'knex'
import Type from 'typebox'
import type { TenantId } from '../../db/connect.js'
import type { ImportUndo } from '../../db/frame/imports/import-moves.js'
import { importOf } from '../../db/frame/imports/imports.js'
import { placesOf } from '../../db/frame/subjects/locations.js'
import { requireAssignable, type Transfer, type TransferUndo } from '../../db/frame/transfers/transfers.js'
import type { JobRow } from '../../db/jobs/job-row.js'
import { jobStore, requireReversible } from '../../db/jobs/jobs.js'
import { conflict, type Fault, invalid, notFound } from '../../runtime/problems/problem.js'
import { keyText } from '../../runtime/schema/key.js'
import { accepted, type Endpoint, endpoint } from '../endpoint.js'
import type { Work } from '../jobs/accept.js'
import { existingJob, JobPath } from '../jobs/jobs.js'
import { idempotencyHeaders, Job, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'

const common = {
  method: 'post',
  scopes: ['FrameApi'],
  permission: 'Edit:SubjectLocation',
  headers: idempotencyHeaders,
} as const

/** Transfers subjects (spec frame "Structural entities"), and reverses transfers. */
export const transferRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'transferSubjects',
    summary: 'Copy or move the subjects assigned to one structural entity to another, as a job',
    description:
      'Assigns all subjects of the source entity to the destination; with `Move` they also leave the source. Subjects are moved in pages of 10,000, each of which is one transaction, so a transfer under way is visible in part. Entities below the source are not touched. Send an `Idempotency-Key` to be sure that a repetition is the same job; undoJob reverses a transfer.',
    tag: 'Structural entities',
    path: '/api/v1/structuralEntity/:destinationStructuralEntityKey/subjects/transfer',
    body: Type.Object(
      {
        SourceStructuralEntityKey: keyText(),
        TransferMode: Type.Optional(Type.Enum(['Copy', 'Move'], { default: 'Copy' })),
      },
      {
        $id: 'SubjectTransfer',
        examples: [{ SourceStructuralEntityKey: 'ward-7', TransferMode: 'Move' }],
      },
    ),
    answers: { 202: Job },
    async handle(request) {
      const { params, body, caller } = request
      const transfer: Transfer = {
        sourceKey: body.SourceStructuralEntityKey,
        destinationKey: params.destinationStructuralEntityKey ?? '',
        mode: body.TransferMode ?? 'Copy',
      }
      const job = await jobs.begin(request, 'subjectTransfer', async (): Promise<Work> => {
        await refuseImpossible(db, caller.tenantId, transfer)
        return { total: 0, queue: 'background', input: transfer }
      })
      return accepted(presentJob(job, jobs.links))
    },
  }),

  endpoint({
    ...common,
    operationId: 'undoJob',
    summary:
      'Reverse a transfer of subjects, or what an import did to their places, as a job; what changed since is left alone',
    description:
      'Begins a job that puts subjects back to where a transfer or an import of subjects took them from. It leaves alone those whose places have changed since, and counts them. Values, and subjects that an import created, stay. A job that is undone already is 409 `job-undone`, one of another kind 409 `not-undoable`.',
    tag: 'Jobs',
    path: '/api/v1/jobs/:jobId/undo',
    params: JobPath,
    answers: { 202: Job },
    problems: ['not-undoable', 'job-not-ended', 'job-undone', 'transfer-not-possible'],
    async handle(request) {
      const { params, caller } = request
      const job = await existingJob(db, caller.tenantId, params.jobId)
      const undone = undoOf(job)
      const undo = await jobs.begin(request, undone.kind, async (): Promise<Work> => {
        // `reverse` checks this again with the row locked. Checking here first means that a refusal need not wait for the
        // lock while the job still writes.
        requireReversible(job)
        await undone.check?.(db, caller.tenantId)
        return {
          total: 0,
          queue: 'background',
          input: undone.input,
          // The row of the undone job now names the job that undoes it, so that job must not be withdrawn.
          keepWhenTemporalAway: true,
          write: (trx, id) => jobStore(trx, caller.tenantId).reverse(job.id, id),
        }
      })
      return accepted(presentJob(undo, jobs.links))
    },
  }),
]

interface Undo {
  kind: 'subjectTransferUndo' | 'subjectImportUndo'
  input: TransferUndo | ImportUndo
  /** Checks that the subjects can go back. @throws Problem 409 if they cannot. */
  check?(db: Knex, tenantId: TenantId): Promise<unknown>
}

/** Returns the job that undoes another one. @throws Problem 409 if it has moved no subjects. */
function undoOf(job: JobRow): Undo {
  if (job.kind === 'subjectTransfer') {
    const transfer: Transfer = JSON.parse(job.input ?? '{}')
    return {
      kind: 'subjectTransferUndo',
      check: async (db, tenantId) =>
        transfer.mode === 'Move' ? requireAssignable(db, tenantId, transfer.sourceKey) : undefined,
      input: { ...transfer, transferId: job.id },
    }
  }
  if (job.kind !== 'subjectImport' || importOf(job).dryRun)
    throw conflict('not-undoable', 'Only a transfer, or what an import of subjects did to their places, can be undone.')
  return {
    kind: 'subjectImportUndo',
    input: { importId: job.id },
  }
}

/** @throws Problem 404 for unknown entities, even the one in the body, as the specification says; 400 for other faults. */
async function refuseImpossible(db: Knex, tenantId: number, { sourceKey, destinationKey }: Transfer): Promise<void> {
  const places = await placesOf(db, tenantId, [sourceKey, destinationKey])
  const named = { source: '/SourceStructuralEntityKey', destination: '/path/destinationStructuralEntityKey' }
  const unknown = (key: string, pointer: string): Fault[] =>
    places.has(key)
      ? []
      : [{ pointer, code: 'unknown-structural-entity', detail: `There is no structural entity '${key}'.` }]
  const missing = [...unknown(destinationKey, named.destination), ...unknown(sourceKey, named.source)]
  if (missing.length > 0) throw notFound(missing.map(({ detail }) => detail).join(' '), missing)

  const faults: Fault[] = []
  if (sourceKey === destinationKey) {
    const detail = 'Source and destination are the same.'
    faults.push({ pointer: named.source, code: 'same-structural-entity', detail })
  }
  if (!places.get(destinationKey)?.assignable) {
    const detail = `The type of '${destinationKey}' takes no subjects.`
    faults.push({ pointer: named.destination, code: 'not-assignable', detail })
  }
  if (faults.length > 0) throw invalid(faults)
}
