// Endpoints that read and refresh data sets.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import Type from 'typebox'
import { survivorsOf } from '../../db/frame/subjects/subjects-by-id.js'
import {
  type DataSetState,
  dataSetStore,
  type FailedChanges,
  pointOf,
  type RefreshOutcome,
} from '../../db/glue/data/data-sets.js'
import {
  joinRefresh,
  type Refresh,
  type RefreshRequest,
  type RoundResult,
  refreshRequests,
  setRefreshJob,
} from '../../db/glue/data/refresh-requests.js'
import { type ShownSubject, subjectShown, subjectsNamed } from '../../db/glue/data/subject-identifiers.js'
import { type DataExtract, glueSettings } from '../../db/glue/endpoints/settings.js'
import { newId } from '../../runtime/ids.js'
import { stringifyExactJson } from '../../runtime/json/exact-json.js'
import { badRequest, invalid, notFound, Problem } from '../../runtime/problems/problem.js'
import { type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { requestHash } from '../idempotency.js'
import type { Work } from '../jobs/accept.js'
import { prefersAsync } from '../jobs/answer.js'
import { mostVanished } from '../jobs/jobs.js'
import { Job, type JobLinks, presentProblem, waitingHeaders } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { type Listing, listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { DataPointItem } from './data-changes.js'

const common = { tag: 'Data sets', scopes: ['FrameApi'] } as const

const asOf = Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
  description: 'Every row shows the state at the provider at this time or later; null before the first refresh.',
})
const generation = Type.Integer({
  description: 'Every refresh and change accepted up to this number is in the rows, or has failed.',
})

const FailedGeneration = Type.Object(
  {
    SubjectId: Type.String({ format: 'uuid' }),
    First: Type.Integer({ description: 'The number of the first change of the subject that was not fetched.' }),
    Last: Type.Integer({ description: 'The number of the last one.' }),
    JobId: Type.Optional(
      Type.String({ format: 'uuid', description: 'The job that says why. Its retry fetches the subject again.' }),
    ),
  },
  { $id: 'FailedGeneration' },
)

const DataSet = Type.Object(
  {
    Key: Type.String(),
    Source: Type.String(),
    Options: Type.Unknown(),
    RefreshSeconds: Type.Optional(Type.Integer({ description: 'Seconds between two refreshes.' })),
    PausedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Since when it is refreshed only when somebody asks for it.' }),
    ),
    AsOf: asOf,
    Generation: generation,
    RefreshJobId: Type.Optional(Type.String({ format: 'uuid', description: 'The refresh under way.' })),
    LastOutcome: Type.Optional(
      Type.Object(
        {
          JobId: Type.String({ format: 'uuid' }),
          Status: Type.Enum(['Completed', 'Failed', 'Cancelled']),
          FinishedAt: Type.String({ format: 'date-time' }),
          Problem: Type.Optional(Type.Unknown({ description: 'Why it failed.' })),
        },
        { $id: 'DataSetOutcome', description: 'How the newest refresh that has ended did end.' },
      ),
    ),
  },
  { $id: 'DataSet' },
)

const Row = Type.Object(
  {
    Id: Type.String(),
    SubjectId: Type.String({ format: 'uuid' }),
    SubjectIdentifier: Type.String({ description: 'Identifier of the subject at the provider.' }),
    DataPointItems: Type.Array(DataPointItem),
  },
  { $id: 'DataSetRow' },
)

const Refreshed = Type.Object(
  {
    jobId: Type.String({ format: 'uuid' }),
    refreshedAt: Type.String({ format: 'date-time', description: 'When the rows became visible.' }),
    asOf: Type.String({
      format: 'date-time',
      description: 'Every row shows the state at the provider at this time or later. It is after the request.',
    }),
    rows: Type.Integer({ description: 'Number of visible rows.' }),
    unknownSubjects: Type.Integer({
      description: 'Rows that were left out because the tenant does not have their subject.',
    }),
  },
  { $id: 'DataSetRefreshed' },
)

// Rows of one subject stand together. Subject ids are UUIDv7, so older subjects come first.
const orders = { SubjectId: 'subject_id' }

/** How often a waiting reader checks the data set, and how long it waits at most, in ms. */
const checkIntervalMs = 100
const waitTimeoutMs = 30_000

/** Endpoints of data sets (spec frame "Data sets"; DECISIONS "Reading data sets"). */
export const dataSetRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'refreshDataSet',
    summary:
      'Fetch a data set from its provider. A refresh under way is joined; what it fetched before the request is fetched once more',
    description:
      'Fetches all rows from the provider and shows them together once they are complete; until then, and after a failure, readers see the old ones. The caller waits for at most a minute and then gets 202 with the job. A request during a refresh joins its job, and gets rows that are not older than the request. A refresh that would lose too many rows fails with `too-many-vanished`, until it is confirmed with MostVanished.',
    method: 'post',
    path: '/api/v1/dataSet/:dataExtractKey/refresh',
    permission: 'Edit:DataSet',
    headers: waitingHeaders,
    query: Type.Object({ MostVanished: mostVanished }),
    answers: { 200: Refreshed, 202: Job },
    problems: ['waits', 'provider', 'steps', 'refresh-superseded'],
    async handle(request) {
      const { caller, traceId, log, query } = request
      const { tenantId } = caller
      const { key } = await extractOf(db, tenantId, request.params.dataExtractKey)
      const given = query.MostVanished === undefined ? {} : { mostVanished: query.MostVanished }
      const { idempotency: own } = request
      const idempotency = own && { ...own, hash: requestHash(own.hash, JSON.stringify(given)) }
      const asked: RefreshRequest = { id: newId(), actor: caller.clientId, idempotency, ...given }
      const job = await jobs.begin({ caller, traceId, log, idempotency }, 'dataSetRefresh', async (): Promise<Work> => {
        const input: Refresh = { dataExtractKey: key, ...given }
        return {
          total: 0,
          queue: 'background',
          dataSet: key,
          input,
          keepWhenTemporalAway: prefersAsync(request),
          join: trx => joinRefresh(trx, tenantId, key, asked),
          write: (trx, id) => setRefreshJob(trx, tenantId, key, id, asked),
        }
      })
      const requests = refreshRequests(db, tenantId)
      const id = await requests.idOf(asked)
      return jobs.waitForPart(request, job, async () => {
        const shown = await requests.shown(id)
        return shown && ok({ jobId: job.id, ...presentRound(shown) })
      })
    },
  }),

  ...(['pause', 'resume'] as const).map(action =>
    endpoint({
      ...common,
      operationId: `${action}DataSet`,
      summary:
        action === 'pause'
          ? 'Refresh a data set no longer by itself'
          : 'Refresh a data set in the rhythm of the manifest again',
      description:
        action === 'pause'
          ? 'Leaves out the refreshes that the manifest schedules, for instance while a provider is being repaired, until the data set is resumed. Its rows stay readable, a refresh can still be asked for, changes of the provider are still fetched, and it is not listed as late. A refresh under way goes on. Repeating the request changes nothing.'
          : 'Ends a pause: the next refresh is the next one of the schedule. Ask for one with refreshDataSet to have it at once. A data set that is not paused is left as it is.',
      method: 'post',
      path: `/api/v1/dataSet/:dataExtractKey/${action}`,
      permission: 'Edit:DataSet',
      answers: { 204: null },
      async handle({ params, caller: { tenantId } }) {
        const { key } = await extractOf(db, tenantId, params.dataExtractKey)
        await dataSetStore(db, tenantId).setPaused(key, action === 'pause')
        return noContent
      },
    }),
  ),

  endpoint({
    ...common,
    operationId: 'listDataSets',
    summary: 'All data sets, and how fresh they are',
    description:
      "Lists the data sets of the tenant's manifest, each with the age of its rows, the refresh under way, and how the last refresh ended. The list is complete and not paged. `AsOf` is null before the first refresh.",
    method: 'get',
    path: '/api/v1/dataSet',
    permission: 'View:DataSet',
    answers: { 200: Type.Array(DataSet) },
    live: true,
    async handle({ caller }) {
      const { dataExtracts } = await glueSettings(db, caller.tenantId)
      const keys = dataExtracts.map(({ key }) => key)
      const store = dataSetStore(db, caller.tenantId)
      const [states, outcomes] = await Promise.all([store.states(keys), store.lastOutcomes(keys)])
      return ok(
        dataExtracts.flatMap((extract, n) =>
          states[n] ? [presentDataSet(extract, states[n], outcomes.get(extract.key), jobs.links)] : [],
        ),
      )
    },
  }),

  endpoint({
    ...common,
    operationId: 'listDataSetRows',
    readsPeople: true,
    summary:
      'Rows of a data set, paged; with MinGeneration, once a change is in them. A cursor is of one refresh: after the next, begin again',
    description:
      'Returns a page of the visible rows, those of one subject together. All pages must come from one refresh: after the next one a cursor is refused, and reading begins anew. With MinGeneration the call waits for up to 30 s until a change is in the rows, and is otherwise answered 503. Numbers keep the digits that the provider wrote.',
    method: 'get',
    path: '/api/v1/dataSet/:dataExtractKey/rows',
    permission: 'View:DataSet',
    query: pagingQuery(orders, {
      SubjectIdentifier: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description: 'Of this subject only: Id, ExternalId or as providers name it.',
        }),
      ),
      MinGeneration: Type.Optional(
        Type.Integer({ minimum: 0, description: 'Wait (30 s) until the rows hold all up to this number.' }),
      ),
    }),
    answers: {
      200: Type.Interface([pageSchema(Row)], {
        AsOf: asOf,
        Generation: generation,
        FailedGenerations: Type.Array(FailedGeneration, {
          description:
            'Changes up to Generation that could not be fetched, so that the rows may not show them; the latest 100. They are ' +
            'named until a later change or refresh has fetched their subject.',
        }),
      }),
    },
    problems: ['unknown-generation', 'generation-not-reached'],
    async handle({ params, query, caller }) {
      const { key } = await extractOf(db, caller.tenantId, params.dataExtractKey)
      const subject = await subjectOf(db, caller.tenantId, query.SubjectIdentifier)
      await waitForGeneration(() => dataSetStore(db, caller.tenantId).state(key), query.MinGeneration ?? 0)
      // A refresh may end at any time, so both are read in one transaction, which sees one snapshot.
      const { state, failed, list, page } = await db.transaction(async trx => {
        const store = dataSetStore(trx, caller.tenantId)
        const state = await store.state(key)
        const list = listingOf(query, ['dataSet', caller.tenantId, key, subject?.id, state.snapshot])
        const page = await store.rows(key, state.snapshot, subject?.ids, list.request)
        return { state, list, page, failed: await store.failedChanges(key, subject?.ids) }
      })
      const ids = page.rows.map(({ subject_id }) => subject_id)
      const survivors = await survivorsOf(db, caller.tenantId, ids)
      const present = (point: (typeof page.rows)[number]) => {
        const { id, subjectId, subjectIdentifier, items } = pointOf(point)
        return {
          Id: id,
          SubjectId: survivors.get(subjectId) ?? subjectId,
          SubjectIdentifier: subjectIdentifier,
          DataPointItems: items,
        }
      }
      const members = {
        AsOf: presentTime(state.asOf),
        Generation: state.generation,
        FailedGenerations: failed.map(presentFailed),
      }
      // Keeps the digits that the provider wrote.
      return ok(await pageOf(page, list, 'point_id', present, { members, stringify: stringifyExactJson }))
    },
  }),
]

/**
 * Opens a listing. A cursor of an earlier snapshot is refused with a hint that the data set was refreshed.
 * @throws Problem 400 as {@link listing}.
 */
function listingOf(query: Parameters<typeof listing>[0], scope: unknown[]): Listing {
  try {
    return listing(query, orders, scope)
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'foreign-cursor') throw error
    throw badRequest(error.code, `${error.message} If the data set was refreshed in the meantime, begin again.`)
  }
}

/**
 * Returns the tenant's data extract with this key.
 * @throws Problem 404 if the manifest has no such data extract.
 */
async function extractOf(db: Knex, tenantId: number, key = ''): Promise<DataExtract> {
  const { dataExtracts } = await glueSettings(db, tenantId)
  const extract = dataExtracts.find(candidate => candidate.key === key)
  if (!extract) throw notFound(`There is no data extract '${key}'.`)
  return extract
}

async function subjectOf(
  db: Knex,
  tenantId: number,
  identifier: string | undefined,
): Promise<ShownSubject | undefined> {
  if (identifier === undefined) return undefined
  const subjectId = (await subjectsNamed(db, tenantId, [identifier])).get(identifier)
  if (subjectId !== undefined) return subjectShown(db, tenantId, subjectId)
  const detail = 'It names no subject, or more than one.'
  throw invalid([{ pointer: '/query/SubjectIdentifier', code: 'unknown-subject', detail }])
}

/**
 * Waits until the data set has reached a generation, and returns its state.
 * @throws Problem 400 if the number was never given, 503 if it takes too long.
 */
async function waitForGeneration(read: () => Promise<DataSetState>, minGeneration: number): Promise<DataSetState> {
  const until = Date.now() + waitTimeoutMs
  for (;;) {
    const state = await read()
    if (state.generation >= minGeneration) return state
    if (state.issued < minGeneration) {
      throw badRequest(
        'unknown-generation',
        `No change has the number ${minGeneration}; the last one is ${state.issued}.`,
      )
    }
    if (Date.now() >= until) {
      const detail = `The rows are at ${state.generation}, not yet at ${minGeneration}. Ask again, or see the job.`
      throw new Problem('generation-not-reached', detail, [], {
        'Retry-After': '5',
      })
    }
    await sleep(checkIntervalMs)
  }
}

const presentRound = ({ refreshedAt, asOf, ...counts }: RoundResult) => ({
  refreshedAt: refreshedAt.toISOString(),
  asOf: asOf.toISOString(),
  ...counts,
})

const presentFailed = ({ subjectId, first, last, jobId }: FailedChanges) => ({
  SubjectId: subjectId,
  First: first,
  Last: last,
  ...(jobId === undefined ? {} : { JobId: jobId }),
})

const presentTime = (time: Date | undefined): string | null => time?.toISOString() ?? null

const presentDataSet = (
  { key, source, options, refreshSeconds }: DataExtract,
  state: DataSetState,
  outcome: RefreshOutcome | undefined,
  { basePath }: JobLinks,
) => ({
  Key: key,
  Source: source,
  Options: options,
  ...(refreshSeconds === undefined ? {} : { RefreshSeconds: refreshSeconds }),
  ...(state.pausedAt && { PausedAt: state.pausedAt.toISOString() }),
  AsOf: presentTime(state.asOf),
  Generation: state.generation,
  ...(state.refreshJob === undefined ? {} : { RefreshJobId: state.refreshJob }),
  ...(outcome ? { LastOutcome: presentOutcome(outcome, basePath) } : {}),
})

const presentOutcome = ({ id, status, finished_at, problem }: RefreshOutcome, basePath: string) => ({
  JobId: id,
  Status: status,
  FinishedAt: finished_at.toISOString(),
  ...(problem === null ? {} : { Problem: presentProblem(problem, basePath) }),
})
