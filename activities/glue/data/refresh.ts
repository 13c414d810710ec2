// The activities that refresh data sets.
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import { asAction } from '../../../db/audit/action.js'
import { transaction } from '../../../db/errors.js'
import {
  type FetchedPage,
  giveUpChanges,
  nextPlace,
  placeOfRefresh,
  type RefreshPlace,
  startOver,
  writePage,
} from '../../../db/glue/data/data-set-refresh.js'
import { type DataPoint, dataSetStore } from '../../../db/glue/data/data-sets.js'
import { dropOldPoints } from '../../../db/glue/data/forgotten-data.js'
import { driftOf } from '../../../db/glue/data/page-totals.js'
import { acceptRefresh, type Refresh } from '../../../db/glue/data/refresh-requests.js'
import { identifiersOf, pageOfSubjects } from '../../../db/glue/data/subject-identifiers.js'
import { glueSettings } from '../../../db/glue/endpoints/settings.js'
import { advance, type JobRun } from '../../../db/jobs/advance.js'
import { isOpen, type JobRow } from '../../../db/jobs/job-row.js'
import { jobStore } from '../../../db/jobs/jobs.js'
import { newId } from '../../../runtime/ids.js'
import { prefetched } from '../../../runtime/load/prefetched.js'
import { fault } from '../../../runtime/problems/problem.js'
import { temporalNow } from '../../../runtime/temporal/temporal-clock.js'
import type { ScheduledRefresh } from '../../../workflows/glue/contracts.js'
import type { JobProgress, JobRef, StepsInput } from '../../../workflows/jobs/contracts.js'
import { asFailure } from '../../failure.js'
import { doSteps, type StepDependencies, type Steps } from '../../jobs/do-steps.js'
import { schedule, scheduledAction, scheduledJob } from '../../jobs/scheduled-job.js'
import { waitIfSuspended } from '../../jobs/suspension.js'
import { askSource, known, type Origin, originOf, problemOfCall, type SourceDependencies } from './source.js'
import { type AnsweredPage, wrongAnswer } from './structured-data.js'

/**
 * If a source answers for one subject at a time: how many subjects one step asks about, and how many calls run at once.
 */
const subjectsPerStep = 50
const subjectsAtOnce = 10

/** Creates the activities that refresh data sets. */
export const refreshActivities = (dependencies: StepDependencies & SourceDependencies & { publicUrl: string }) => ({
  /** Fetches and writes the next pages of a refresh, and returns the job's progress. Safe to repeat at any point. */
  async dataSetRefresh(input: StepsInput): Promise<JobProgress> {
    // A retry fetches a single page: the one for which the provider has been failing.
    const limit = Context.current().info.attempt > 1 ? 1 : input.limit
    return doSteps(dependencies, { ...input, limit }, (tenant, run, job, since) =>
      stepsOfRefresh(dependencies, { id: tenant, key: input.tenantKey }, run, job, since),
    )
  },

  /** Starts a scheduled refresh, once the tenant is not suspended. Returns undefined if the manifest no longer schedules it. */
  async beginRefresh({ tenantKey, dataExtractKey }: ScheduledRefresh) {
    const { db, publicUrl } = dependencies
    const tenant = await tenantIdOf(db, tenantKey)
    await waitIfSuspended(db, tenantKey)
    const { dataExtracts } = await glueSettings(db, tenant)
    if (dataExtracts.find(({ key }) => key === dataExtractKey)?.refreshSeconds === undefined) return undefined
    if ((await dataSetStore(db, tenant).state(dataExtractKey)).pausedAt) return undefined
    const origin = { tenantKey, actor: schedule, traceId: newId() }
    const action = {
      ...scheduledAction,
      action: 'refreshDataSet',
      kind: 'dataSet',
      ids: [dataExtractKey],
      traceId: origin.traceId,
    }
    const accept = () => transaction(db, tenant, trx => acceptRefresh(trx, tenant, dataExtractKey, origin))
    const { jobId } = await asAction(action, accept)
    return scheduledJob(db, tenant, tenantKey, jobId, publicUrl)
  },

  /** Deletes the rows of a refresh that has failed, as far as no retry needs them, and any that earlier refreshes left behind. */
  async dropOldPoints({ tenantKey, jobId }: JobRef): Promise<void> {
    const { db } = dependencies
    const tenant = await tenantIdOf(db, tenantKey)
    const job = await jobStore(db, tenant).byId(jobId)
    const { dataExtractKey }: Refresh = JSON.parse(job?.input ?? '{}')
    await dropAll(db, tenant, dataExtractKey)
  },
})

async function dropAll(db: Knex, tenant: number, dataExtractKey: string): Promise<void> {
  while (!(await dropOldPoints(db, tenant, dataExtractKey))) Context.current().heartbeat()
}

/**
 * Returns the steps of a refresh; each step fetches and writes a page.
 * @param failingSince as {@link doSteps} says.
 */
async function stepsOfRefresh(
  dependencies: StepDependencies & SourceDependencies,
  tenant: Fetching['tenant'],
  run: JobRun,
  job: JobRow | undefined,
  failingSince: number,
): Promise<Steps> {
  const { db, glue, log } = dependencies
  const { info, cancellationSignal: signal } = Context.current()
  const { dataExtractKey }: Refresh = JSON.parse(job?.input ?? '{}')
  // The job may have been completed by an earlier activity that was thought to be lost, or withdrawn by its caller.
  if (!job || !isOpen(job)) {
    const next = async () => {
      const progress = await advance(db, tenant.id, run, async () => undefined)
      await dropAll(db, tenant.id, dataExtractKey)
      return progress
    }
    return { next }
  }
  const origin = originOf(await glue(tenant.id), tenant.key, dataExtractKey)
  const asked = origin.byPage ?? origin.bySubject
  if (!asked) throw new Error(`The source of '${dataExtractKey}' has no endpoint`)
  const { taskQueue } = asked
  if (taskQueue !== undefined && taskQueue !== info.taskQueue)
    return { next: async () => ({ state: 'elsewhere', done: job.done, total: job.done + 1, taskQueue }) }
  // If the provider has limits, each call is an activity of its own on the provider's queue, which counts them.
  const inQueue = (progress: JobProgress): JobProgress =>
    taskQueue === undefined || progress.state === 'ended' ? progress : { ...progress, state: 'elsewhere', taskQueue }

  const whole = origin.bySubject === undefined
  const refresh = { ...run, extractKey: dataExtractKey, whole, mostVanished: origin.extract.mostVanished }
  const fetching = { tenant, origin, jobId: run.jobId, traceId: job.trace_id ?? '', signal }
  const pages = prefetched((place: RefreshPlace) => {
    const since = info.attempt > 1 ? failingSince : temporalNow()
    return (origin.byPage ? fetchPage : fetchSubjects)(dependencies, fetching, place).catch((error: unknown) => {
      throw problemOfCall(error, asked, nameOf(place), temporalNow() - since)
    })
  })
  let following: RefreshPlace | undefined

  return {
    async next(isLast) {
      const place = following ?? (await placeOfRefresh(db, tenant.id, refresh))
      following = undefined
      try {
        const page = await pages.at(place)
        if (page.next && taskQueue === undefined && !isLast) pages.begin(page.next)
        const written = await writePage(db, tenant.id, refresh, page)
        following = written.next
        // Each round leaves a whole snapshot behind.
        if (page.next === undefined) await dropAll(db, tenant.id, dataExtractKey)
        return inQueue(written.progress)
      } catch (error) {
        if (signal.aborted || asFailure(error).final === undefined) throw error
        const later = await startOver(db, tenant.id, refresh)
        if (!later) throw error
        log.warn(
          { tenantKey: tenant.key, jobId: run.jobId, err: error },
          'a round failed and the refresh begins anew for a later request',
        )
        return inQueue(later)
      }
    },
    // If the source answers for all subjects only, changes were waiting for this refresh and fail with it.
    giveUp: async trx => whole && giveUpChanges(trx, tenant.id, refresh),
  }
}

const nameOf = ({ place }: RefreshPlace): string => `page ${Number(place ?? 0) + 1}`

interface Fetching {
  tenant: { id: number; key: string }
  origin: Origin
  jobId: string
  traceId: string
  signal: AbortSignal
}

async function fetchPage(
  dependencies: SourceDependencies,
  { tenant, origin, ...call }: Fetching,
  place: RefreshPlace,
): Promise<FetchedPage> {
  const wanted = { cursor: place.cursor, pageSize: origin.source.pageSize }
  const where = nameOf(place)
  const answered = await askSource(dependencies, tenant, origin, 'byPage', wanted, { ...call, where })
  const next = placeAfter(place, answered, where)
  return { ...place, ...(await known(dependencies, tenant, answered)), next, total: answered.total }
}

/**
 * Returns the place of the page after an answered one, or undefined after the last page.
 * @throws Problem 502 if the cursor is that of an earlier page.
 */
function placeAfter(place: RefreshPlace, { next }: AnsweredPage, where: string): RefreshPlace | undefined {
  if (next === undefined) return undefined
  const after = nextPlace(place, next)
  if (after) return after
  const detail = 'The cursor is that of an earlier page of this refresh, so the refresh would never end.'
  throw wrongAnswer(where, [fault('/next', 'repeated-cursor', detail)])
}

/** Fetches the next subjects with one call each. The cursor is the last subject's id. */
async function fetchSubjects(
  dependencies: SourceDependencies,
  { tenant, origin, ...call }: Fetching,
  place: RefreshPlace,
): Promise<FetchedPage> {
  const { db } = dependencies
  const limited = origin.bySubject?.taskQueue !== undefined
  const ids = await pageOfSubjects(db, tenant.id, place.cursor, limited ? 1 : subjectsPerStep)
  const identifiers = await identifiersOf(db, tenant.id, ids)
  const points: DataPoint[][] = []
  const queue = [...identifiers]
  const worker = async () => {
    for (let entry = queue.shift(); entry; entry = queue.shift()) {
      points.push(await pointsOfSubject(dependencies, { tenant, origin, ...call }, ...entry))
    }
  }
  try {
    await Promise.all(Array.from({ length: subjectsAtOnce }, worker))
  } finally {
    // When one call fails, the others stop after their present subject.
    queue.length = 0
  }
  const last = ids.at(-1)
  return {
    ...place,
    points: points.flat(),
    unknownSubjects: 0,
    total: undefined,
    next: last === undefined ? undefined : nextPlace(place, last),
  }
}

/**
 * Fetches the data points of one subject, page by page. All pages are one activity, so the pauses between them keep to
 * the provider's rate.
 * @throws Problem 502 if an answer contains another subject's data, or if its pages never end.
 */
export async function pointsOfSubject(
  dependencies: SourceDependencies,
  { tenant, origin, ...call }: Fetching,
  subjectId: string,
  subjectIdentifier: string,
): Promise<DataPoint[]> {
  const { requestsPerSecond } = origin.bySubject?.provider?.limits ?? {}
  const points: DataPoint[] = []
  let total: number | undefined
  let place: RefreshPlace | undefined = { round: 0, place: null, cursor: null, mark: null }
  while (place) {
    const where = `subject ${subjectId}, ${nameOf(place)}`
    const wanted = { subjectIdentifier, cursor: place.cursor, pageSize: origin.source.pageSize }
    const answered = await askSource(dependencies, tenant, origin, 'bySubject', wanted, { ...call, where })
    refuseOthers(answered, subjectIdentifier, where)
    points.push(...answered.points.map(point => ({ ...point, subjectId })))
    const drifted = driftOf({ first: total, now: answered.total, fetched: points.length, isLast: !answered.next })
    if (drifted) throw drifted
    total = answered.total
    place = placeAfter(place, answered, where)
    if (place && requestsPerSecond !== undefined)
      await sleep(1000 / requestsPerSecond, undefined, { signal: call.signal })
  }
  return points
}

/** Refuses an answer with rows of another subject than was asked for. @throws Problem 502 that names them. */
function refuseOthers(answered: AnsweredPage, subjectIdentifier: string, where: string): void {
  const others = answered.points.flatMap((point, n) =>
    point.subjectIdentifier === subjectIdentifier
      ? []
      : [
          fault(
            `/dataPoints/${n}/SubjectIdentifier`,
            'other-subject',
            'It belongs to another subject than was asked for.',
          ),
        ],
  )
  if (others.length > 0) throw wrongAnswer(where, others)
}
