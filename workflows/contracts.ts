// How runs carry the trace that they belong to.

/** Header of runs and activities: `traceparent` of the request, or the id of the first run where a schedule began it. */
export const traceHeader = 'armature-trace'

/** Types of the workflows that schedules of tenants start: no request comes before them. */
export const startedBySchedule: readonly string[] = ['scheduledExport', 'scheduledRefresh']

/** How a run has ended. */
export type EndOfRun = 'completed' | 'failed' | 'cancelled' | 'continued'

/** Functions of the worker that runs call. */
export type TraceSinks = {
  traces: {
    /** @param origin text of {@link traceHeader}. */
    ended(origin: string, end: EndOfRun): void
  }
}
