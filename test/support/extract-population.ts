import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Cell, upsertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'
import { blockControls, type Filled, type Life, lifeForms, lifeTemplates } from './extract-lives.js'
import { type FormsTenant, formsTenant } from './forms.js'
import { type Random, randomOf } from './random.js'
import { addPerson } from './subjects.js'

/** A tenant whose forms are filled in, and all that was ever submitted of them. */
export interface Practice extends FormsTenant {
  tenantId: number
  subjectIds: string[]
  lives: Life[]
}

/**
 * A tenant with published forms, some subjects, and many submissions straight in the database, as the product stores them.
 * @param baseUrl of a stack of one's own; otherwise of the shared one.
 */
export async function practice(
  db: Knex,
  { count, textLength }: { count: number; textLength: number },
  baseUrl?: string,
): Promise<Practice> {
  const tenant = await formsTenant({}, baseUrl)
  await tenant.publish(...lifeTemplates)
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const subjectIds = [tenant.subjectId]
  for (let n = 1; n < 5; n++) subjectIds.push(await addPerson(tenant, `person-${n}`))
  const random = randomOf(count)
  const lives = Array.from({ length: count }, (_, n) => aLife(n, subjectIds, textLength, random))
  await store(db, tenantId, lives)
  return { ...tenant, tenantId, subjectIds, lives }
}

/** What somebody fills in: `extra` is left empty by half of them. */
export const filledIn = (text: string, textLength: number, random: Random): Filled => ({
  reason: text,
  findings: `${text} `.padEnd(textLength, 'ä"\\\n'),
  ...(random.between(0, 2) === 0 ? { plan: `Plan of ${text}` } : {}),
})

/** Three have been submitted at the same time. A tenth were withdrawn, a tenth amended. */
function aLife(n: number, subjectIds: readonly string[], textLength: number, random: Random): Life {
  const submittedAt = Date.UTC(2026, 0, 1) + Math.floor(n / 3) * 60_000
  const isCall = random.between(0, 4) === 0
  const filled = (what: string): Filled => {
    const { plan, ...general } = filledIn(`${what} ${n}`, textLength, random)
    return isCall || plan === undefined ? general : { ...general, plan }
  }
  const span = (from: number, until: number, what: string) => ({
    from,
    until,
    submittedAt: from,
    submittedBy: 'Ada',
    filled: filled(what),
  })
  const [day, what] = [86_400_000, random.between(0, 10)]
  const spans =
    what === 0
      ? [span(submittedAt - day, submittedAt, 'First'), span(submittedAt, Number.POSITIVE_INFINITY, 'Amended')]
      : [span(submittedAt, what === 1 ? submittedAt + day : Number.POSITIVE_INFINITY, 'Visit')]
  return {
    id: newId(),
    subjectId: subjectIds[random.between(0, subjectIds.length)] ?? '',
    formKey: isCall ? 'call' : 'visit',
    correlationId: n % 2 === 0 ? `correlation ${n}` : null,
    spans,
  }
}

const forever = Date.UTC(9999, 11, 31)
const date = (time: number) => new Date(Math.min(time, forever))

async function store(db: Knex, tenant: number, lives: readonly Life[]): Promise<void> {
  const tables = {
    form_instances: [] as Record<string, Cell>[],
    form_instance_versions: [] as Record<string, Cell>[],
    form_values: [] as Record<string, Cell>[],
    form_withdrawals: [] as Record<string, Cell>[],
    form_reports: [] as Record<string, Cell>[],
  }
  const mine = { tenant_id: tenant }
  for (const { id, subjectId, formKey, correlationId, spans } of lives) {
    const by = { instance_id: id, created_by: 'Ada' }
    let last = ''
    for (const [n, { from, until, submittedAt, submittedBy, filled }] of spans.entries()) {
      last = newId()
      const at = { created_at: date(submittedAt), modified_at: date(submittedAt) }
      const version = { id: last, revision: n + 2, status: 'Complete', is_milestone: 1 }
      tables.form_instance_versions.push({ ...mine, ...by, ...version, ...at })
      const documents = lifeForms[formKey].map(key => ({ key, ...documentOf(key, filled) }))
      for (const { key, hasData, document } of documents) {
        const value = { instance_id: id, version_id: last, block_key: key, has_data: hasData ? 1 : 0, document }
        tables.form_values.push({ ...mine, ...value })
      }
      const report = (is_block: 0 | 1, definition_key: string, bytes: number) =>
        tables.form_reports.push({
          ...mine,
          is_block,
          definition_key,
          definition_version: 1,
          submitted_at: date(submittedAt),
          instance_id: id,
          counts_from: date(from),
          counts_until: date(until),
          version_id: last,
          subject_id: subjectId,
          submitted_by: submittedBy,
          correlation_id: correlationId,
          bytes,
        })
      const sizes = documents.map(({ document }) => Buffer.byteLength(document))
      report(
        0,
        formKey,
        sizes.reduce((a, b) => a + b, 0),
      )
      for (const [at, { key, hasData }] of documents.entries()) if (hasData) report(1, key, sizes[at] ?? 0)
    }
    const end = spans.at(-1)
    if (!end) continue
    const isWithdrawn = Number.isFinite(end.until)
    const at = date(end.submittedAt)
    const taken = { status: 'Withdrawn', reason: 'x', taken_by: 'Ada', taken_at: date(end.until) }
    if (isWithdrawn) tables.form_withdrawals.push({ ...mine, instance_id: id, revision: 9, ...taken })
    tables.form_instances.push({
      ...mine,
      id,
      subject_id: subjectId,
      form_key: formKey,
      form_version: 1,
      title: 'Home visit',
      classification: 'Observation',
      allow_amend: 1,
      instance_identifier: id,
      request_hash: 'x',
      correlation_id: correlationId,
      context: '{}',
      status: 'Complete',
      current_version: last,
      reported_version: last,
      revision: 9,
      is_withdrawn: isWithdrawn ? 1 : 0,
      created_by: 'Ada',
      created_at: at,
      modified_at: at,
      submitted_by: 'Ada',
      submitted_at: at,
    })
  }
  for (const [table, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0] ?? {})
    const cells = rows.map(row => columns.map(column => row[column] ?? null))
    await upsertRows(db, table, columns, cells, [])
  }
}

function documentOf(block: string, filled: Filled): { hasData: boolean; document: string } {
  const values = blockControls(block).map(id => {
    const held = filled[id]
    const content = held === undefined ? { type: 'empty' } : { type: 'single-value', value: held }
    return [id, [{ repeatIterationIndex: null, ...content }]]
  })
  const hasData = blockControls(block).some(id => id in filled)
  return { hasData, document: JSON.stringify(Object.fromEntries(values)) }
}
