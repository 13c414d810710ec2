// The activity that fetches one subject's rows again after a data change.
import { Context } from '@temporalio/activity'
import type { ChangeOfSubject } from '../../../db/glue/data/data-changes.js'
import { identifiersOf } from '../../../db/glue/data/subject-identifiers.js'
import { giveUp, type PendingChange, pendingChanges, writeSubject } from '../../../db/glue/data/subject-refresh.js'
import { isFetchedBySubject } from '../../../db/glue/endpoints/settings.js'
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
      let pending: PendingChange | undefined
      return {
        async next() {
          const open = (await pendingChanges(db, tenantId, subjectId, jobId)).filter(({ extractKey }) =>
            concerned(extractKey),
          )
          // Each attempt takes the next data set, so that one provider that is down does not hold up the others.
          pending = open[(info.attempt - 1) % open.length]
          if (!pending) return writeSubject(db, tenantId, run, subjectId, undefined, undefined, concerned)
          const { extractKey, subjectIdentifier } = pending
          const tenant = { id: tenantId, key: tenantKey }
          const origin = originOf(opened, tenantKey, extractKey)
          const taskQueue = origin.bySubject?.taskQueue
          if (taskQueue !== undefined && taskQueue !== info.taskQueue)
            return { state: 'elsewhere', done: job?.done ?? 0, total: (job?.done ?? 0) + 1, taskQueue }
          const fetching = { tenant, origin, jobId, traceId: job?.trace_id ?? '', signal }
          const named = await identifiersOf(db, tenantId, [subjectId], () => subjectIdentifier)
          const identifier = named.get(subjectId) ?? subjectIdentifier
          const points = await pointsOfSubject(dependencies, fetching, subjectId, identifier).catch(
            (error: unknown) => {
              const failingMs = temporalNow() - since
              throw problemOfCall(error, origin.bySubject, `subject ${subjectId}`, failingMs)
            },
          )
          return writeSubject(db, tenantId, run, subjectId, pending, points, concerned)
        },
        // Only this fetch is given up: rows that the provider pushed remain, and later changes are still fetched.
        giveUp: async trx => job && pending && giveUp(trx, tenantId, job, subjectId, pending, { tenantKey, concerned }),
      }
    })
  },
})
