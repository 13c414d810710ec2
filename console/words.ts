// The names of kinds of jobs and of what waits, and the forms of numbers and times, as pages write them.
import type { AttentionKind, AuditKind, Job, JobKind } from './api.js'

const jobs: Record<JobKind, string> = {
  structuralEntityBulkUpsert: 'Bulk of places',
  subjectImport: 'Import of people',
  subjectImportUndo: 'Undo of an import',
  structuralEntityImport: 'Import of places',
  subjectTransfer: 'Transfer of people',
  subjectTransferUndo: 'Undo of a transfer',
  subjectErasure: 'Erasure of a person',
  portalInvitation: 'Portal mail',
  dataSetRefresh: 'Refresh of a data set',
  dataChange: 'Change of data',
  singlePassDelivery: 'Delivery of a form',
  multiExtract: 'Extract',
  formExport: 'Export',
  tenantExport: 'Export of a tenant',
  tenantDeletion: 'Deletion of a tenant',
}

const attention: Record<AttentionKind, string> = {
  'failed-job': 'Failed job',
  'waiting-job': 'Waiting jobs',
  'data-set': 'Data set',
  export: 'Export',
  'refused-rows': 'Refused rows',
  webhook: 'Webhook',
  provider: 'Provider',
  mail: 'Mail',
}

const audit: Record<AuditKind, string> = {
  account: 'Accounts',
  audit: 'The audit',
  client: 'Clients',
  dataSet: 'Data sets',
  endpoint: 'Endpoints',
  event: 'Events',
  export: 'Exports',
  file: 'Documents',
  form: 'Forms',
  group: 'Groups',
  job: 'Jobs',
  entity: 'Places',
  subject: 'People',
  template: 'Templates of forms',
  tenant: 'The tenant',
  type: 'Types of places',
  user: 'Users',
  webhook: 'Webhooks',
}

/** Names a kind. One that is newer than this page is called by its key. */
const nameIn = (names: Record<string, string>, kind: string): string =>
  Object.hasOwn(names, kind) ? (names[kind] ?? kind) : kind

export const kindName = (kind: string): string => nameIn(jobs, kind)
export const auditName = (kind: string): string => nameIn(audit, kind)
export const attentionName = (kind: string): string => nameIn(attention, kind)

/** The kinds of jobs that this page has a name for, in the order of their names. */
export const knownKinds = (Object.keys(jobs) as JobKind[]).toSorted((a, b) => kindName(a).localeCompare(kindName(b)))
export const auditKinds = Object.keys(audit) as AuditKind[]
export const attentionKinds = Object.keys(attention) as AttentionKind[]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const hour = 3_600
const day = 24 * hour

/** Writes a time of day, in the reader's time zone. */
export const clock = (time: Date): string => time.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Writes how long ago a moment is, or in how long it is; beyond an hour, on which day and at what time. */
export function ago(time: string): string {
  const [then, now] = [new Date(time), new Date()]
  const seconds = Math.round((then.getTime() - now.getTime()) / 1_000)
  if (Math.abs(seconds) < 60) return relative.format(seconds, 'second')
  if (Math.abs(seconds) < hour) return relative.format(Math.round(seconds / 60), 'minute')
  const days = Math.round((midnight(then) - midnight(now)) / 1_000 / day)
  const year = then.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  const date = then.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...year })
  return `${Math.abs(days) > 1 ? date : relative.format(days, 'day')} ${clock(then)}`
}

/** Returns when the day of a moment begins, in ms since 1970. */
const midnight = (time: Date): number => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()

/** Returns for how long what {@link ago} writes stays true, in ms: a second within two minutes, and then half a minute. */
export const stepOf = (time: string): number => (Math.abs(Date.parse(time) - Date.now()) < 120_000 ? 1_000 : 30_000)

/** Writes a moment in full, in the reader's time zone. */
export const moment = (time: string): string =>
  new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/**
 * Reads a moment, or a day in the reader's time zone, which begins at midnight. Returns undefined for a text that is neither.
 * @param later days are added to it.
 */
export function momentOf(text: string | undefined, later = 0): Date | undefined {
  const time = new Date(/^[0-9-]{10}$/.test(text ?? '') ? `${text}T00:00` : (text ?? ''))
  time.setDate(time.getDate() + later)
  return Number.isNaN(time.getTime()) ? undefined : time
}

/** Writes a number of milliseconds in the two largest units that it has. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  let left = Math.round(ms / 1_000)
  const parts = durations.flatMap(([unit, size]) => {
    const n = Math.floor(left / size)
    left -= n * size
    return n > 0 ? [`${n} ${unit}`] : []
  })
  return parts.slice(0, 2).join(' ')
}

const durations = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const

/** A value of a field of a person, as lists and documents have it. */
interface FieldValue {
  DataType: string
  ValueText: string
}

/** Writes the values of a field, with commas between several. */
export const textOfValue = (values: FieldValue | FieldValue[]): string =>
  [values]
    .flat()
    .map(({ DataType, ValueText }) => (DataType === 'Boolean' ? (truths[ValueText] ?? ValueText) : ValueText))
    .join(', ')

const truths: Record<string, string> = { true: 'yes', false: 'no' }

export const count = (n: number): string => n.toLocaleString('en')

/** Writes a name of the API, such as `unknownSubjects`, as words. */
export const wordsOf = (name: string): string => name.replace(/[A-Z]/g, capital => ` ${capital.toLowerCase()}`)

/** Writes how long a job took, or nothing if it has not ended. */
export const tookOf = ({ startedAt, finishedAt }: Pick<Job, 'startedAt' | 'finishedAt'>): string =>
  startedAt && finishedAt ? duration(Date.parse(finishedAt) - Date.parse(startedAt)) : ''
