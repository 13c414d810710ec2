/** The result of one activity of the outbox. */
export interface OutboxReport {
  /** Jobs that were accepted and had no run. */
  started: number
  /** Jobs that were open although their run was over. */
  repaired: number
}

/** Counts of one pass of the retention. */
export interface Forgotten {
  jobs: number
  /** Of forms, that no extract shows any more. */
  reports: number
  dataSets: number
  uploads: number
}

/** Workflow types of the platform's own, each with a schedule: seconds between two runs. Those that never end are begun by theirs. */
export const platformRuns = {
  outbox: 60,
  searchWords: 60,
  manifestSchedules: 60,
  webhooks: 60,
  retention: 300,
} as const
export type PlatformRun = keyof typeof platformRuns

/** Summaries of the runs, as operators read them in the Temporal UI. */
export const platformSummaries: Record<PlatformRun, string> = {
  outbox: 'Starts jobs that were accepted and have no run; ends or restarts those whose run has ended',
  searchWords: 'Learns words for searches with typos',
  manifestSchedules: 'Makes the schedules what the manifests say',
  webhooks: 'Carries events to the receivers of webhooks',
  retention: 'Deletes what is kept no longer',
}

/** Id of the schedule, and the beginning of its runs' ids. */
export const platformScheduleId = (run: PlatformRun): string => `platform/${run}`
