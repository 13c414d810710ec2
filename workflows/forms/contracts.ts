/** Input of the workflow that an export's schedule starts. */
export interface ScheduledExport {
  tenantKey: string
  exportKey: string
}

/** One schedule an export. */
export const exportScheduleId = ({ tenantKey, exportKey }: ScheduledExport): string =>
  `${tenantKey}/scheduledExport/${exportKey}`
