// Contracts of the platform's own workflows: their results, schedules and ids.

/** The result of one activity of the outbox. */
export interface OutboxReport {
  /** Accepted jobs that had no run and were started. */
  started: number
  /** Jobs that were still open after their run had ended. */
  repaired: number
}

/** How much one run of the retention has deleted. */
export interface Forgotten {
  jobs: number
  /** Reports of forms that no extract shows any more. */
  reports: number
  dataSets: number
  uploads: number
}

/** What became of the daily mail about what waits for a human. */
export interface AttentionMailed {
  /** How many things wait. */
  waiting: number
  /** False if nothing waits, or nobody is to be told. */
  isMailed: boolean
}

/**
 * Workflow types of the platform's own, each with the interval of its schedule in seconds, and how long after midnight UTC
 * the intervals begin. For those that run forever, the schedule restarts a run that has ended.
 */
export const platformRuns = {
  outbox: { every: 60, offset: 0 },
  searchWords: { every: 60, offset: 0 },
  manifestSchedules: { every: 60, offset: 0 },
  webhooks: { every: 60, offset: 0 },
  retention: { every: 300, offset: 0 },
  attentionMail: { every: 86_400, offset: 6 * 3_600 },
} as const
export type PlatformRun = keyof typeof platformRuns

/** Summaries of the runs, which operators see in the Temporal UI. */
export const platformSummaries: Record<PlatformRun, string> = {
  outbox: 'Starts jobs that were accepted and have no run; ends or restarts those whose run has ended',
  searchWords: 'Learns words for searches with typos',
  manifestSchedules: 'Updates the schedules to what the manifests say',
  webhooks: 'Tells the runs of webhooks that there are events to send',
  retention: 'Deletes what is no longer kept',
  attentionMail: 'Mails what waits for a human, if ATTENTION_MAIL_TO is set',
}

/** Returns the id of a schedule, with which the ids of its runs begin. */
export const platformScheduleId = (run: PlatformRun): string => `platform/${run}`
