// Endpoints through which a provider reports that a subject's data has changed or was removed.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { acceptChange } from '../../db/glue/data/data-changes.js'
import { isOfType } from '../../db/glue/data/data-types.js'
import { subjectsNamed } from '../../db/glue/data/subject-identifiers.js'
import { glueSettings, isFetchedBySubject } from '../../db/glue/endpoints/settings.js'
import { type Fault, invalid, notFound } from '../../runtime/problems/problem.js'
import { type Answer, type Endpoint, endpoint, ok, type Request } from '../endpoint.js'
import type { Jobs } from '../jobs/start.js'
import { compareEntries, readFilter } from './options-filter.js'

const Word = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })

export const DataPointItem = Type.Object(
  {
    Key: Word,
    // Numbers keep the digits that the provider wrote.
    Value: Type.Object({ DataType: Word, Value: Type.Unsafe<unknown>({ exact: true }) }),
  },
  { $id: 'DataPointItem', description: 'A column of a data point, which is a row.' },
)

// The database ignores trailing blanks, so ids that differ only in those would be the same there.
const PointId = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^\\S(?:[\\s\\S]*\\S)?$',
  description: 'No blanks at its ends.',
})

const DataPoint = Type.Object(
  { Id: PointId, SubjectIdentifier: Word, DataPointItems: Type.Array(DataPointItem) },
  { $id: 'DataPoint' },
)

const subjectAndFilter = {
  SubjectIdentifier: Word,
  DataExtractsOptionsValuesFilter: Type.Record(Type.String(), Type.Unknown(), {
    minProperties: 1,
    description:
      'Paths into the options of data extracts, such as name[0].child, with the value that must be there. All must match.',
  }),
}

const Explanation = Type.Array(
  Type.Object({
    DataExtract: Type.String(),
    Matches: Type.Boolean(),
    Entries: Type.Array(
      Type.Object({
        Path: Type.String(),
        Matches: Type.Boolean(),
        Found: Type.Optional(Type.Unknown({ description: 'The value at the path; absent if there is none.' })),
      }),
    ),
  }),
)

const Answered = Type.Object(
  {
    JobId: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
      description:
        'The job that fetches the data again; null if nothing matched. Several changes of a subject may share a job.',
    }),
    Status: Type.Enum(['Refreshing', 'NothingMatched']),
    MatchedDataExtracts: Type.Array(Type.String()),
    AffectedDataPoints: Type.Integer({
      description: 'Rows that were written or deleted at once, in all matched data sets.',
    }),
    Generations: Type.Record(Type.String(), Type.Integer(), {
      description: 'By data set: the MinGeneration with which a reader waits for what is fetched after this change.',
    }),
    Explanation: Type.Optional(Explanation),
  },
  { $id: 'DataChangeAnswer' },
)

const common = {
  tag: 'Data sets',
  method: 'post',
  scopes: ['FrameGlueDataProviderApi', 'FrameApi'],
  clientScope: 'FrameGlueDataProviderApi',
  bodyLimit: '32mb',
  dryPlan: {
    standIn: {},
    async plan(bodies: Partial<ChangeBody>[]) {
      const faults = bodies.flatMap(changeFaults)
      if (faults.length > 0) throw invalid(faults.map(fault => ({ ...fault, pointer: `/0${fault.pointer}` })))
    },
  },
  query: Type.Object({
    explain: Type.Optional(
      Type.Boolean({ description: 'Show for each data extract which entries of the filter match.' }),
    ),
  }),
  answers: { 200: Answered },
  problems: ['not-found'],
} as const

interface ChangeBody {
  SubjectIdentifier: string
  DataExtractsOptionsValuesFilter: Record<string, unknown>
  NewOrUpdatedDataPoints?: Static<typeof DataPoint>[]
}

type ChangeRequest = Request<{ explain?: boolean }, ChangeBody>

/** Endpoints by which a provider reports that a subject's data has changed (spec frame "Data-change API"). */
export function dataChangeRoutes({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] {
  return [
    endpoint({
      ...common,
      operationId: 'dataCreatedOrUpdated',
      summary: 'Data of a subject was created or updated at its provider',
      description:
        'Announces that a provider has new or changed rows of one subject. Rows that are sent are visible when the answer arrives; all rows of the subject are fetched again soon after, once for a burst of changes. `Generations` has the numbers for which readers may wait. A filter that matches no data extract is 200 with `NothingMatched`, and `explain=true` shows why.',
      path: '/glue-dataprovider/api/v1/dataChange/creationOrUpdate',
      body: Type.Object(
        { ...subjectAndFilter, NewOrUpdatedDataPoints: Type.Optional(Type.Array(DataPoint)) },
        { $id: 'DataCreationOrUpdate' },
      ),
      handle: request => change(request, { points: request.body.NewOrUpdatedDataPoints ?? [], removedIds: [] }),
    }),

    endpoint({
      ...common,
      operationId: 'dataRemoved',
      summary: 'Data of a subject was removed at its provider',
      description:
        'Announces that rows of one subject are gone at their provider. The named rows disappear when the answer arrives; all rows of the subject are fetched again soon after. Ids that are not stored are no fault, so the request may be repeated. A filter that matches no data extract is 200 with `NothingMatched`.',
      path: '/glue-dataprovider/api/v1/dataChange/removal',
      body: Type.Object(
        { ...subjectAndFilter, RemovedDataPointIdentifiers: Type.Optional(Type.Array(PointId)) },
        { $id: 'DataRemoval' },
      ),
      handle: request => change(request, { points: [], removedIds: request.body.RemovedDataPointIdentifiers ?? [] }),
    }),
  ]

  async function change(
    request: ChangeRequest,
    { points, removedIds }: { points: Static<typeof DataPoint>[]; removedIds: string[] },
  ): Promise<Answer> {
    const { caller, body, query, traceId } = request
    const faults = changeFaults(body)
    if (faults.length > 0) throw invalid(faults)

    const entries = readFilter(body.DataExtractsOptionsValuesFilter, [])
    const [settings, named] = await Promise.all([
      glueSettings(db, caller.tenantId),
      subjectsNamed(db, caller.tenantId, [body.SubjectIdentifier]),
    ])
    const subjectId = named.get(body.SubjectIdentifier)
    if (subjectId === undefined) throw notFound('SubjectIdentifier names no subject, or more than one.')
    const explained = settings.dataExtracts.map(({ key, options }) => {
      const Entries = compareEntries(entries, options)
      return { DataExtract: key, Matches: Entries.every(({ Matches }) => Matches), Entries }
    })
    const matched = explained.flatMap(({ DataExtract, Matches }) => (Matches ? [DataExtract] : []))
    const explanation = query.explain ? { Explanation: explained } : {}
    if (matched.length === 0) return ok({ ...nothing, ...explanation })

    const accepted = await acceptChange(
      db,
      caller.tenantId,
      {
        subjectId,
        subjectIdentifier: body.SubjectIdentifier,
        extracts: matched.map(key => ({ key, bySubject: isFetchedBySubject(settings, key) })),
        points: points.map(({ Id, SubjectIdentifier, DataPointItems }) => ({
          id: Id,
          subjectId,
          subjectIdentifier: SubjectIdentifier,
          items: DataPointItems,
        })),
        removedIds,
      },
      { tenantKey: caller.tenantKey, actor: caller.clientId, traceId },
    )
    jobs.startSoon(request, accepted.started)
    return ok({
      JobId: accepted.jobId,
      Status: 'Refreshing',
      MatchedDataExtracts: matched,
      AffectedDataPoints: accepted.affected,
      Generations: accepted.generations,
      ...explanation,
    })
  }
}

const nothing = {
  JobId: null,
  Status: 'NothingMatched',
  MatchedDataExtracts: [],
  AffectedDataPoints: 0,
  Generations: {},
}

/**
 * Checks a change beyond its schema. It also checks the valid parts of a change that the schema refuses, so that the
 * caller learns all faults at once.
 */
function changeFaults(body: Partial<ChangeBody>): Fault[] {
  const { SubjectIdentifier: subject, DataExtractsOptionsValuesFilter: filter = {}, NewOrUpdatedDataPoints = [] } = body
  const faults: Fault[] = []
  readFilter(filter, faults)
  const seen = new Set<string>()
  for (const [n, point] of NewOrUpdatedDataPoints.entries()) {
    // The schema has already refused this data point.
    if (!Array.isArray(point.DataPointItems)) continue
    const at = `/NewOrUpdatedDataPoints/${n}`
    for (const [m, { Value: typed }] of point.DataPointItems.entries()) {
      if (isOfType(typed.DataType, typed.Value)) continue
      const pointer = `${at}/DataPointItems/${m}/Value/Value`
      faults.push({
        pointer,
        code: 'wrong-data-type',
        detail: `It is not a valid value of the type ${typed.DataType}.`,
      })
    }
    if (subject !== undefined && point.SubjectIdentifier !== subject) {
      const detail = "It must be the request's SubjectIdentifier."
      faults.push({ pointer: `${at}/SubjectIdentifier`, code: 'other-subject', detail })
    }
    if (seen.has(point.Id)) {
      faults.push({ pointer: `${at}/Id`, code: 'duplicate-key', detail: 'This Id is given twice.' })
    }
    seen.add(point.Id)
  }
  return faults
}
