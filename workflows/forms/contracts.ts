// Defines the contract of the workflow that the schedule of an export starts.

/** Input of the workflow that the schedule of an export starts. */
export interface ScheduledExport {
  tenantKey: string
  exportKey: string
}

/** Returns the id of an export's schedule in Temporal. */
export const exportScheduleId = ({ tenantKey, exportKey }: ScheduledExport): string =>
  `${tenantKey}/scheduledExport/${exportKey}`
