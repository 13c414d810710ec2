// The activities of data set refreshes.
import { Context } from '@temporalio/activity'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import { transaction } from '../../../db/errors.js'
import {
  countPoints,
  type FetchedPage,
  giveUpChanges,
  nextPlace,
  placeOfRefresh,
  type RefreshPlace,
  startOver,
  writePage,
} from '../../../db/glue/data/data-set-refresh.js'
import type { DataPoint } from '../../../db/glue/data/data-sets.js'
import { dropOldPoints } from '../../../db/glue/data/forgotten-data.js'
import { acceptRefresh, type Refresh } from '../../../db/glue/data/refresh-requests.js'
import { identifiersOf, pageOfSubjects } from '../../../db/glue/data/subject-identifiers.js'
import { glueSettings } from '../../../db/glue/endpoints/settings.js'
import { advance, type JobRun } from '../../../db/jobs/advance.js'
import { isOpen, jobStore } from '../../../db/jobs/jobs.js'
import { newId } from '../../../runtime/ids.js'
import { prefetched } from '../../../runtime/prefetched.js'
import { fault } from '../../../runtime/problem.js'
import type { ScheduledRefresh } from '../../../workflows/glue/contracts.js'
import type { JobProgress, JobRef, StepsInput } from '../../../workflows/jobs/contracts.js'
import { asFailure } from '../../failure.js'
import { doSteps, type StepDependencies, type Steps } from '../../jobs/do-steps.js'
import { schedule, scheduledJob } from '../../jobs/scheduled-job.js'
import { askSource, known, type Origin, originOf, problemOfCall, type SourceDependencies } from './source.js'
import { wrongAnswer } from './structured-data.js'

/** Subjects asked about in one step where a source answers for one at a time, and how many of them at once. */
const subjectsPerStep = 50
const subjectsAtOnce = 10

/** Activities that carry refreshes of data sets. */
export const refreshActivities = (dependencies: StepDependencies & SourceDependencies) => ({
  /** Fetches and writes the refresh's next pages, and says how far the job is. Safe to run again at any point. */
  async dataSetRefresh(input: StepsInput): Promise<JobProgress> {
    // On a retry a single page: then the age of the activity is the time for which the provider has been failing.
    const limit = Context.current().info.attempt > 1 ? 1 : input.limit
    return doSteps(dependencies, { ...input, limit }, (tenant, run) =>
      openRefresh(dependencies, { id: tenant, key: input.tenantKey }, run),
    )
  },

  /** Accepts a refresh whose time has come. @returns undefined where the manifest schedules it no more. */
  async beginRefresh({ tenantKey, dataExtractKey }: ScheduledRefresh) {
    const { db } = dependencies
    const tenant = await tenantIdOf(db, tenantKey)
    const { dataExtracts } = await glueSettings(db, tenant)
    if (dataExtracts.find(({ key }) => key === dataExtractKey)?.refreshSeconds === undefined) return undefined
    const total = await countPoints(db, tenant, dataExtractKey)
    const origin = { tenantKey, actor: schedule, traceId: newId(), newId }
    const { jobId } = await transaction(db, tenant, trx => acceptRefresh(trx, tenant, dataExtractKey, origin, total))
    return scheduledJob(db, tenant, tenantKey, jobId)
  },

  /** Deletes what a refresh has replaced, and what others have left behind. */
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

/** The steps of a refresh: a page each. */
async function openRefresh(
  dependencies: StepDependencies & SourceDependencies,
  tenant: Fetching['tenant'],
  run: JobRun,
): Promise<Steps> {
  const { db, glue, log } = dependencies
  const { info, cancellationSignal: signal } = Context.current()
  const job = await jobStore(db, tenant.id).byId(run.jobId)
  // An activity that was thought to be lost may have completed it, and a caller may have withdrawn it.
  if (!job || !isOpen(job)) return { next: () => advance(db, tenant.id, run, async () => undefined) }
  const { dataExtractKey }: Refresh = JSON.parse(job.input ?? '{}')
  const origin = originOf(await glue(tenant.id), tenant.key, dataExtractKey)
  const asked = origin.byPage ?? origin.bySubject
  if (!asked) throw new Error(`The source of '${dataExtractKey}' has no endpoint`)
  const { taskQueue } = asked
  if (taskQueue !== undefined && taskQueue !== info.taskQueue)
    return { next: async () => ({ state: 'elsewhere', done: job.done, total: job.done + 1, taskQueue }) }
  // A provider with limits is called by one activity a call.
  const inQueue = (progress: JobProgress): JobProgress =>
    taskQueue === undefined || progress.state === 'ended' ? progress : { ...progress, state: 'elsewhere', taskQueue }

  const whole = origin.bySubject === undefined
  const refresh = { ...run, extractKey: dataExtractKey, whole }
  const fetching = { tenant, origin, traceId: job.trace_id ?? '', signal }
  const pages = prefetched((place: RefreshPlace) => {
    const since = info.attempt > 1 ? info.scheduledTimestampMs : Date.now()
    return (origin.byPage ? fetchPage : fetchSubjects)(dependencies, fetching, place).catch((error: unknown) => {
      throw problemOfCall(error, asked, nameOf(place), Date.now() - since)
    })
  })
  let begun: RefreshPlace | undefined

  return {
    async next(isLast) {
      const place = begun ?? (await placeOfRefresh(db, tenant.id, refresh))
      begun = undefined
      const page = await pages.at(place).catch(async (error: unknown) => {
        if (signal.aborted || asFailure(error).final === undefined) throw error
        const later = await startOver(db, tenant.id, refresh)
        if (!later) throw error
        log.warn({ tenantKey: tenant.key, jobId: run.jobId, err: error }, 'a round was given up for a later request')
        return { later }
      })
      if ('later' in page) return inQueue(page.later)
      if (page.next && taskQueue === undefined && !isLast) {
        begun = page.next
        pages.begin(begun)
      }
      const written = inQueue(await writePage(db, tenant.id, refresh, page))
      // Rounds may follow one another for long, each with as many rows.
      if (page.next === undefined && written.state !== 'ended') await dropAll(db, tenant.id, dataExtractKey)
      return written
    },
    // Changes that nobody but this refresh would fetch have failed with it.
    failed: async () => whole && giveUpChanges(db, tenant.id, refresh),
  }
}

const nameOf = ({ place }: RefreshPlace): string => `page ${Number(place ?? 0) + 1}`

interface Fetching {
  tenant: { id: number; key: string }
  origin: Origin
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
  const answered = await askSource(dependencies, tenant, origin, 'byPage', wanted, {
    ...call,
    where,
  })
  const next = answered.next === undefined ? undefined : nextPlace(place, answered.next)
  if (answered.next !== undefined && next === undefined) {
    const detail = 'The cursor is that of an earlier page of this refresh: it would never come to its end.'
    throw wrongAnswer(where, [fault('/next', 'repeated-cursor', detail)])
  }
  return { ...place, ...(await known(dependencies, tenant, answered)), next }
}

/** The next subjects, one call each: the cursor is the last one's id. */
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
    // Where one fails, the others ask no more.
    queue.length = 0
  }
  const last = ids.at(-1)
  return {
    ...place,
    points: points.flat(),
    unknownSubjects: 0,
    next: last === undefined ? undefined : nextPlace(place, last),
  }
}

/** The data points of one subject. Its source answers for no other. */
export async function pointsOfSubject(
  dependencies: SourceDependencies,
  { tenant, origin, ...call }: Fetching,
  subjectId: string,
  subjectIdentifier: string,
): Promise<DataPoint[]> {
  const where = `subject ${subjectId}`
  const wanted = { subjectIdentifier }
  const answered = await askSource(dependencies, tenant, origin, 'bySubject', wanted, {
    ...call,
    where,
  })
  const others = answered.points.flatMap((point, n) =>
    point.subjectIdentifier === subjectIdentifier
      ? []
      : [fault(`/dataPoints/${n}/SubjectIdentifier`, 'other-subject', 'It is of another subject than was asked for.')],
  )
  if (others.length > 0) throw wrongAnswer(where, others)
  return answered.points.map(point => ({ ...point, subjectId }))
}
