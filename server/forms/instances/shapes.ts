// Response schemas of form instances, and the functions that fill them.
import Type, { type Static } from 'typebox'
import type { VersionRow, WithdrawalRow } from '../../../db/forms/instances/instance-versions.js'
import { type InstanceRow, isAmendable } from '../../../db/forms/instances/instances.js'
import { ControlValue } from './value-shapes.js'

const guid = Type.String({ format: 'uuid' })
const moment = Type.String({ format: 'date-time' })
const maybe = <Value extends Type.TSchema>(value: Value) => Type.Union([value, Type.Null()])
const inUtc = Type.String({ description: 'UTC, ISO 8601 with milliseconds and without a zone.' })

export const instanceStatuses = ['New', 'Draft', 'Complete'] as const

const summary = {
  instanceGuid: guid,
  title: Type.String(),
  createDateTimeUtc: inUtc,
  lastModifiedDateTimeUtc: inUtc,
  status: Type.Enum([...instanceStatuses], {
    description: 'Status of the current version. Withdrawing does not change it.',
  }),
  isAmendable: Type.Boolean({
    description: 'True if the instance is complete and not withdrawn, and its form allows amending.',
  }),
  key: Type.String(),
  version: Type.Integer({ description: 'Version of the form.' }),
}
const viewLink = Type.String({ description: 'Relative address of the page that shows the version.' })

/** Form instance summary (spec forms). */
export const InstanceSummary = Type.Object(summary, { $id: 'FormInstanceSummary' })

/** Response to the creation or change of an instance. */
export const WrittenInstance = Type.Object({ ...summary, viewLink }, { $id: 'WrittenFormInstance' })

const details = {
  ...summary,
  subjectIdentifier: guid,
  classification: Type.String(),
  correlationId: Type.Optional(Type.String({ description: 'Absent if the instance was created without one.' })),
  isWithdrawn: Type.Boolean(),
  createdByUserIdentifier: Type.String(),
  submittedByUserIdentifier: maybe(Type.String({ description: 'Who submitted the latest complete version.' })),
  submissionDateTime: maybe(moment),
  viewLink,
}

/** An instance in the list of a subject's forms. */
export const ListedInstance = Type.Object(details, { $id: 'ListedFormInstance' })

/** An instance with what was filled in. */
export const FilledForm = Type.Object(
  {
    ...details,
    instanceContext: Type.Record(Type.String(), Type.String()),
    values: Type.Record(Type.String(), Type.Array(ControlValue), {
      description: 'Values by control id, sorted by iteration.',
    }),
  },
  { $id: 'FilledForm' },
)

const HistoryItem = Type.Object(
  {
    instanceGuid: guid,
    instanceVersionGuid: guid,
    createdByUserIdentifier: Type.String(),
    createdDateTimeUtc: moment,
    status: Type.Enum([...instanceStatuses]),
    isEditMilestone: Type.Boolean({
      description: 'False for versions that no person saved: new, amended and auto-saved ones.',
    }),
    isCompleted: Type.Boolean(),
    isDeleted: Type.Boolean(),
    deletedByUserIdentifier: maybe(Type.String()),
    deletedDateTimeUtc: maybe(moment),
    key: Type.String(),
    version: Type.Integer(),
    viewLink,
  },
  { $id: 'FormInstanceVersion' },
)

export const WithdrawalItem = Type.Object(
  {
    instanceGuid: guid,
    withdrawalStatus: Type.Enum(['Withdrawn', 'Reinstated']),
    reason: Type.String(),
    withdrawnByUserIdentifier: Type.String(),
    actionTakenDateTime: moment,
  },
  { $id: 'FormWithdrawal' },
)

/** Instance history (spec forms). */
export const InstanceHistory = Type.Object(
  { compositeInstanceHistory: Type.Array(HistoryItem), withdrawalHistory: Type.Array(WithdrawalItem) },
  { $id: 'FormInstanceHistory' },
)

const withoutZone = (time: Date): string => time.toISOString().replace('Z', '')

export const viewLinkOf = (tenantKey: string, instanceId: string, versionId: string): string =>
  `/forms/${encodeURIComponent(tenantKey)}/instances/${instanceId}/versions/${versionId}`

export const presentSummary = (row: InstanceRow): Static<typeof InstanceSummary> => ({
  instanceGuid: row.id,
  title: row.title,
  createDateTimeUtc: withoutZone(row.created_at),
  lastModifiedDateTimeUtc: withoutZone(row.modified_at),
  status: row.status,
  isAmendable: isAmendable(row),
  key: row.form_key,
  version: row.form_version,
})

export const presentWritten = (tenantKey: string, row: InstanceRow): Static<typeof WrittenInstance> => ({
  ...presentSummary(row),
  viewLink: viewLinkOf(tenantKey, row.id, row.current_version),
})

export const presentListed = (tenantKey: string, row: InstanceRow): Static<typeof ListedInstance> => ({
  ...presentWritten(tenantKey, row),
  subjectIdentifier: row.subject_id,
  classification: row.classification,
  ...(row.correlation_id === null ? {} : { correlationId: row.correlation_id }),
  isWithdrawn: row.is_withdrawn === 1,
  createdByUserIdentifier: row.created_by,
  submittedByUserIdentifier: row.submitted_by,
  submissionDateTime: row.submitted_at?.toISOString() ?? null,
})

export const presentVersion = (
  tenantKey: string,
  { id, form_key, form_version }: InstanceRow,
  version: VersionRow,
): Static<typeof HistoryItem> => ({
  instanceGuid: id,
  instanceVersionGuid: version.id,
  createdByUserIdentifier: version.created_by,
  createdDateTimeUtc: version.created_at.toISOString(),
  status: version.status,
  isEditMilestone: version.is_milestone === 1,
  isCompleted: version.status === 'Complete',
  isDeleted: version.deleted_at !== null,
  deletedByUserIdentifier: version.deleted_by,
  deletedDateTimeUtc: version.deleted_at?.toISOString() ?? null,
  key: form_key,
  version: form_version,
  viewLink: viewLinkOf(tenantKey, id, version.id),
})

export const presentWithdrawal = (
  instanceGuid: string,
  { status, reason, taken_by, taken_at }: WithdrawalRow,
): Static<typeof WithdrawalItem> => ({
  instanceGuid,
  withdrawalStatus: status,
  reason,
  withdrawnByUserIdentifier: taken_by,
  actionTakenDateTime: taken_at.toISOString(),
})
