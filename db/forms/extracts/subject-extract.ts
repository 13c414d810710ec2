// Extracts a single form instance of a subject.
import type { FormTemplate } from '../../../forms/template.js'
import { notFound } from '../../../runtime/problems/problem.js'
import type { TenantId } from '../../connect.js'
import { documentsOf, type VersionKey } from '../instances/instance-values.js'
import { findInstance, type Named } from '../instances/instances.js'
import type { ExtractStores } from './extract-results.js'
import { formResults, type SubmissionHead } from './extract-writer.js'
import type { BlockSelection } from './extracts.js'

/** The version of an instance that extracts show. */
export interface ReportedInstance {
  template: FormTemplate
  head: SubmissionHead
  version: VersionKey
}

/**
 * Finds the version of an instance that extracts show: the latest complete one, even while the instance is being amended.
 * @throws Problem 404 like {@link findInstance}, and if the instance was never submitted or is withdrawn.
 */
export async function reportedInstance(
  { db, forms }: ExtractStores,
  tenant: TenantId,
  named: Named,
): Promise<ReportedInstance> {
  const { row, template } = await findInstance(db, forms, tenant, named)
  const { id, subject_id, reported_version, submitted_by, submitted_at, correlation_id } = row
  if (row.is_withdrawn === 1 || !reported_version || !submitted_by || !submitted_at)
    throw notFound(`The form instance '${id}' was not submitted, or it is withdrawn: there is nothing to extract.`)
  const head = { instance_id: id, subject_id, submitted_by, submitted_at, correlation_id }
  return { template, head, version: { instanceId: id, versionId: reported_version } }
}

/**
 * Writes a form extract result as JSON text (spec forms "Subject instance extract").
 * @param selected limits the result to these building blocks and controls.
 */
export async function subjectExtract(
  { db }: ExtractStores,
  tenant: TenantId,
  { template, head, version }: ReportedInstance,
  selected?: readonly BlockSelection[],
): Promise<string> {
  const keys = selected?.map(({ key }) => key)
  const documents = await documentsOf(db, tenant, version, keys)
  return formResults(template, selected)({ head, documents })
}
