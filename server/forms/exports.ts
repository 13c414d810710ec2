// Endpoints that show scheduled exports of forms, and pause them.
import type { Knex } from 'knex'
import Type from 'typebox'
import { type ExportState, exportStates } from '../../db/forms/exports/export-states.js'
import { type FormExport, formSettings } from '../../db/forms/settings.js'
import { notFound } from '../../runtime/problems/problem.js'
import { type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { type JobLinks, presentProblem } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'

const common = { tag: 'Extracts', scopes: ['FormsApi'], unauthenticated: 403 } as const

const Export = Type.Object(
  {
    Key: Type.String(),
    Destination: Type.String({ description: 'The directory or the bucket to which it goes.' }),
    Mode: Type.String({ description: 'Whether it contains everything, or what has changed since the last one.' }),
    EverySeconds: Type.Optional(Type.Integer({ description: 'Seconds between two exports.' })),
    DailyAt: Type.Optional(Type.String({ description: 'Or the time of day, as HH:MM in TimeZone.' })),
    TimeZone: Type.Optional(Type.String()),
    PausedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Since when its schedule begins no export.' }),
    ),
    Instant: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'The instant that the last complete export shows; null before the first, and after one that has broken off.',
    }),
    LastJob: Type.Optional(
      Type.Object(
        {
          JobId: Type.String({ format: 'uuid' }),
          Status: Type.Enum(['Accepted', 'Running', 'Completed', 'Failed', 'Cancelled']),
          FinishedAt: Type.Optional(Type.String({ format: 'date-time' })),
          Problem: Type.Optional(Type.Unknown({ description: 'Why it failed.' })),
        },
        { $id: 'FormExportJob', description: 'The job of the newest export.' },
      ),
    ),
  },
  { $id: 'FormExport' },
)

/** Creates the endpoints (docs/exports.md). */
export const exportRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'listFormExports',
    summary: 'Scheduled exports of forms, and how far they are',
    description:
      "Lists the exports of the tenant's manifest, each with its rhythm, the instant that the last complete export shows, and how its newest job ended. The list is complete and not paged.",
    method: 'get',
    path: '/api/v1/formExport',
    permission: 'View:FormExport',
    answers: { 200: Type.Array(Export) },
    live: true,
    async handle({ caller: { tenantId } }) {
      const { exports = [] } = await formSettings(db, tenantId)
      const states = await exportStates(db, tenantId).all()
      return ok(exports.map(each => present(each, states.get(each.key), jobs.links)))
    },
  }),

  ...(['pause', 'resume'] as const).map(action =>
    endpoint({
      ...common,
      operationId: `${action}FormExport`,
      summary:
        action === 'pause'
          ? 'Begin an export no longer by itself'
          : 'Begin an export in its rhythm of the manifest again',
      description:
        action === 'pause'
          ? 'Leaves out the exports that the manifest schedules, for instance while their receiver is being repaired, until the export is resumed. It is not listed as late meanwhile. An export under way goes on, and the next increment has all that was left out. Repeating the request changes nothing.'
          : 'Ends a pause: the next export is the next one of the schedule. One that is not paused is left as it is.',
      method: 'post',
      path: `/api/v1/formExport/:exportKey/${action}`,
      permission: 'Edit:FormExport',
      answers: { 204: null },
      async handle({ params, caller: { tenantId } }) {
        const { exports = [] } = await formSettings(db, tenantId)
        const key = params.exportKey ?? ''
        if (!exports.some(each => each.key === key)) throw notFound(`The manifest has no export '${key}'.`)
        await exportStates(db, tenantId).setPaused(key, action === 'pause')
        return noContent
      },
    }),
  ),
]

function present(settings: FormExport, state: ExportState | undefined, { basePath }: JobLinks) {
  const { key, destination, mode, every, dailyAt, timeZone = 'UTC' } = settings
  const { instant = null, pausedAt = null, job } = state ?? {}
  return {
    Key: key,
    Destination: destination,
    Mode: mode,
    ...(every === undefined ? { DailyAt: dailyAt, TimeZone: timeZone } : { EverySeconds: every }),
    ...(pausedAt && { PausedAt: pausedAt.toISOString() }),
    Instant: instant?.toISOString() ?? null,
    ...(job && { LastJob: presentJob(job, basePath) }),
  }
}

const presentJob = ({ id, status, finished_at, problem }: NonNullable<ExportState['job']>, basePath: string) => ({
  JobId: id,
  Status: status,
  ...(finished_at && { FinishedAt: finished_at.toISOString() }),
  ...(problem === null ? {} : { Problem: presentProblem(problem, basePath) }),
})
