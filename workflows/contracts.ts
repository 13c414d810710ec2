// Names the header that carries a run's trace, and the function by which a run reports its end.

/**
 * Header of workflows and activities with the trace that they belong to: the `traceparent` of the request, or for a run
 * that a schedule started, the id of the first run in its chain.
 */
export const traceHeader = 'armature-trace'

/**
 * The workflow types that tenants' schedules start. Since no request comes before them, each begins a trace of its own.
 */
export const startedBySchedule: readonly string[] = ['scheduledExport', 'scheduledRefresh']

/** How a run has ended. `continued` means that it continued as new. */
export type EndOfRun = 'completed' | 'failed' | 'cancelled' | 'continued'

/** Functions of the worker process that workflows may call from their sandbox. */
export type TraceSinks = {
  traces: {
    /** Reports the end of a run. @param origin the value of its {@link traceHeader}. */
    ended(origin: string, end: EndOfRun): void
  }
}
