// Handwritten queries that serve as the floor of the extract benchmark.
const shown = 'r.instance_id, r.subject_id, r.submitted_by, r.submitted_at, r.correlation_id, v.block_key, v.document'
const visits = "tenant_id = ? AND is_block = 0 AND definition_key = 'visit' AND definition_version = 1"
const documents =
  'form_values v ON v.tenant_id = r.tenant_id AND v.instance_id = r.instance_id AND v.version_id = r.version_id'
const order = 'ORDER BY r.submitted_at DESC, r.instance_id'

/** Selects each submission with its rank among those of the same subject, latest first. */
const ranked = (columns: string, index: string) =>
  `SELECT ${columns}, ROW_NUMBER() OVER (PARTITION BY subject_id ORDER BY submitted_at DESC, instance_id) AS place
   FROM form_reports FORCE INDEX (${index}) WHERE ${visits} AND counts_until > NOW()`

/**
 * Queries for the results of one form, with a row for each document. `recent` returns the latest submissions of all
 * subjects; the others return the latest ones of each subject. Parameters: the tenant and the number of submissions.
 */
export const floorQueries: Record<string, string> = {
  recent: `SELECT ${shown} FROM (SELECT * FROM form_reports WHERE ${visits} AND counts_until > NOW()
    ORDER BY submitted_at DESC, instance_id LIMIT ?) r JOIN ${documents} ${order}`,
  ...Object.fromEntries(
    ['PRIMARY', 'form_reports_by_subject'].flatMap(index => [
      [
        `latest-${index}`,
        `SELECT ${shown} FROM (${ranked('form_reports.*', index)}) r JOIN ${documents} WHERE place <= ? ${order}`,
      ],
      [
        `latest-narrow-${index}`,
        `SELECT ${shown} FROM (${ranked('tenant_id, is_block, definition_key, definition_version, submitted_at, instance_id, counts_from', index)}) w
         JOIN form_reports r USING (tenant_id, is_block, definition_key, definition_version, submitted_at, instance_id, counts_from)
         JOIN ${documents} WHERE w.place <= ? ${order}`,
      ],
    ]),
  ),
}
