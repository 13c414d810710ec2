// The activity that fetches one subject's rows again after a data change.
import { Context } from '@temporalio/activity'
import type { ChangeOfSubject } from '../../../db/glue/data/data-changes.js'
import type { DataPoint } from '../../../db/glue/data/data-sets.js'
import { identifiersOf } from '../../../db/glue/data/subject-identifiers.js'
import { giveUp, type PendingChange, pendingChanges, writeSubject } from '../../../db/glue/data/subject-refresh.js'
import { isFetchedBySubject } from '../../../db/glue/endpoints/settings.js'
import { Problem } from '../../../runtime/problems/problem.js'
import { temporalNow } from '../../../runtime/temporal/temporal-clock.js'
import type { JobProgress, StepsInput } from '../../../workflows/jobs/contracts.js'
import { doSteps, type StepDependencies } from '../../jobs/do-steps.js'
import { pointsOfSubject } from './refresh.js'
import { originOf, problemOfCall, type SourceDependencies } from './source.js'

/** Creates the activities that fetch a subject's data again after it changed at a provider. */
export const dataChangeActivities = (dependencies: StepDependencies & SourceDependencies) => ({
  /** Fetches the subject's rows of one data set again. Safe to repeat at any point. */
  async dataChange(input: StepsInput): Promise<JobProgress> {
    const { db, glue } = dependencies
    const { tenantKey, jobId } = input
    const { info, cancellationSignal: signal } = Context.current()
    return doSteps(dependencies, input, async (tenantId, run, job, since) => {
      const { subjectId }: ChangeOfSubject = JSON.parse(job?.input ?? '{}')
      const opened = await glue(tenantId)
      const concerned = (extractKey: string) => isFetchedBySubject(opened.settings, extractKey)
      const origin = ({ extractKey }: PendingChange) => originOf(opened, tenantKey, extractKey)
      const isHere = (change: PendingChange) =>
        [undefined, info.taskQueue].includes(origin(change).bySubject?.taskQueue)
      /** Fetches the rows of a data set. Returns the problem if its provider is away. */
      const fetch = async (change: PendingChange): Promise<DataPoint[] | Problem> => {
        const { subjectIdentifier } = change
        const tenant = { id: tenantId, key: tenantKey }
        const fetching = { tenant, origin: origin(change), jobId, traceId: job?.trace_id ?? '', signal }
        const named = await identifiersOf(db, tenantId, [subjectId], () => subjectIdentifier)
        const identifier = named.get(subjectId) ?? subjectIdentifier
        return pointsOfSubject(dependencies, fetching, subjectId, identifier).catch((error: unknown) => {
          const failingMs = temporalNow() - since
          const problem = problemOfCall(error, origin(change).bySubject, `subject ${subjectId}`, failingMs)
          if (problem instanceof Problem && problem.code === 'provider-away') return problem
          throw problem
        })
      }
      let pending: PendingChange | undefined
      return {
        async next() {
          const open = (await pendingChanges(db, tenantId, subjectId, jobId)).filter(({ extractKey }) =>
            concerned(extractKey),
          )
          // A provider with limits has a queue of its own, to which the job has to go. It goes only to queues that come later in
          // this order. Otherwise it would go back and forth for as long as two of these providers are away.
          const placeOf = (queue: string) => open.findIndex(change => origin(change).bySubject?.taskQueue === queue)
          /** The providers that are away, and the problem of each. Their other data sets wait for the next attempt. */
          const away = new Map<string | undefined, Problem>()
          for (pending of inTurn(open, isHere)) {
            const { provider, taskQueue } = origin(pending).bySubject ?? {}
            if (away.has(provider?.key)) continue
            if (taskQueue !== undefined && !isHere(pending)) {
              if (placeOf(taskQueue) < placeOf(info.taskQueue)) continue
              return { state: 'elsewhere', done: job?.done ?? 0, total: (job?.done ?? 0) + 1, taskQueue }
            }
            const fetched = await fetch(pending)
            if (!(fetched instanceof Problem))
              return writeSubject(db, tenantId, run, subjectId, pending, fetched, concerned)
            away.set(provider?.key, fetched)
          }
          const [longest] = [...away.values()].sort((a, b) => delayOf(b) - delayOf(a))
          if (longest) throw longest
          return writeSubject(db, tenantId, run, subjectId, undefined, undefined, concerned)
        },
        // Only this fetch is given up: rows that the provider pushed remain, and later changes are still fetched.
        giveUp: async trx => job && pending && giveUp(trx, tenantId, job, subjectId, pending, { tenantKey, concerned }),
      }
    })
  },
})

/**
 * Puts the pending fetches of a subject in the order in which an attempt tries them, so that a provider that is away does
 * not hold up the others. Those that need not go to another queue come first. Each attempt begins with another one.
 */
function inTurn(open: readonly PendingChange[], isHere: (pending: PendingChange) => boolean): PendingChange[] {
  const first = (Context.current().info.attempt - 1) % open.length
  const rotated = [...open.slice(first), ...open.slice(0, first)]
  return rotated.sort((a, b) => Number(isHere(b)) - Number(isHere(a)))
}

/** Returns how long a provider that is away asks to wait, in seconds. */
const delayOf = ({ headers }: Problem): number => Number(headers['Retry-After'] ?? 0)
