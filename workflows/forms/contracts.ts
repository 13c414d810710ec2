/** What a schedule exports. */
export interface ScheduledExport {
  tenantKey: string
  exportKey: string
}

/** One schedule an export. */
export const exportScheduleId = ({ tenantKey, exportKey }: ScheduledExport): string =>
  `${tenantKey}/scheduledExport/${exportKey}`
