// Measures form submissions against the same rows in bare SQL.
import { randomUUID } from 'node:crypto'
import { createConnection, type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { Pool } from 'undici'
import { newId } from '../runtime/ids.js'
import { type Api, admin, newTenant } from '../test/support/api.js'
import { addPerson } from '../test/support/factories.js'
import { putForm } from '../test/support/forms.js'
import { largeForm, largeFormOf, largeFormValues } from '../test/support/large-form.js'
import { demoSubjects } from '../test/support/manifest.js'
import type { Stack } from '../test/support/stack.js'
import { line, median } from './measure.js'

const warm = 20

/** Measures submitting a form with 200 values by HTTP against writing the same rows by hand in one transaction. */
export async function benchFormsSubmit(stack: Stack, short: boolean): Promise<void> {
  console.log(`Submitting a form with ${largeFormValues} values in four building blocks…`)
  const tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects })
  const { status, body } = await putForm(await admin(stack.baseUrl), tenant.tenantKey, largeForm())
  if (status >= 300) throw new Error(JSON.stringify(body))
  const client = await tenant.client(['*'], ['FormsApi'])
  const subjectId = await addPerson(tenant, 'person')
  const byHand = await handWritten(stack.databaseUrl)
  // A pool of undici, because `fetch` would add half a millisecond.
  const pool = new Pool(stack.baseUrl, { connections: 1 })
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' }
  const times = { ours: [] as number[], floor: [] as number[] }
  try {
    for (let call = -warm; call < (short ? 50 : 500); call++) {
      const id = await created(client, subjectId)
      const path = `/api/patientforms/${subjectId}/instance/${id}/submit`
      const body = JSON.stringify({ values: largeFormOf(call) })
      const started = performance.now()
      const reply = await pool.request({ method: 'POST', path, body, headers })
      const text = await reply.body.text()
      const ours = performance.now() - started
      if (reply.statusCode !== 200) throw new Error(text)
      const floor = await byHand.submit(await created(client, subjectId), id)
      if (call < 0) continue
      times.ours.push(ours)
      times.floor.push(floor)
    }
  } finally {
    await Promise.all([byHand.stop(), pool.close()])
  }
  const [ours, floor] = [median(times.ours), median(times.floor)]
  const ms = (value: number) => `${value.toFixed(1)} ms`
  line('  submit, p50', ms(ours), ms(floor), (ours / floor).toFixed(2), '≤ 3')
}

async function created(client: Api, patientIdentifier: string): Promise<string> {
  const request = { patientIdentifier, instanceIdentifier: randomUUID(), formKey: 'large', formVersion: 1 }
  const { status, body } = await client.post<{ instanceGuid: string }>('/api/clinicianforms/create/', request)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.instanceGuid
}

/**
 * Prepares the handwritten submission. It locks the instance, reads the clock, inserts a version with its values and
 * reports, and updates the instance.
 */
async function handWritten(databaseUrl: string) {
  const connection = await createConnection({ uri: databaseUrl, charset: 'utf8mb4', timezone: 'Z' })
  const insert = (table: string, columns: string[], rows: unknown[][]) =>
    connection.query<ResultSetHeader>('INSERT INTO ?? (??) VALUES ?', [table, columns, rows])
  return {
    /** Submits an instance. @param like a submitted instance whose values are written again. @returns ms */
    async submit(id: string, like: string): Promise<number> {
      const [kept] = await connection.query<RowDataPacket[]>('SELECT * FROM form_values WHERE instance_id = ?', [like])
      const [version, now] = [newId(), new Date()]
      const tenant = kept[0]?.tenant_id
      const rows = kept.map(row => [tenant, id, version, row.block_key, row.has_data, row.document])
      const [reports] = await connection.query<RowDataPacket[]>(
        'SELECT * FROM form_reports WHERE tenant_id = ? AND instance_id = ?',
        [tenant, like],
      )
      const changed = { submitted_at: now, instance_id: id, counts_from: now, version_id: version }
      const counting = reports.map(row => Object.values({ ...row, ...changed }))
      const started = performance.now()
      await connection.beginTransaction()
      await connection.query('SELECT * FROM form_instances WHERE tenant_id = ? AND id = ? FOR UPDATE', [tenant, id])
      await connection.query('SELECT instant, SYSDATE(3) FROM form_clocks WHERE tenant_id = ? LOCK IN SHARE MODE', [
        tenant,
      ])
      await insert('form_instance_versions', versionColumns, [
        [tenant, id, version, 2, 'Complete', 1, 'nurse', now, now],
      ])
      await insert('form_values', ['tenant_id', 'instance_id', 'version_id', 'block_key', 'has_data', 'document'], rows)
      await insert('form_reports', Object.keys(reports[0] ?? {}), counting)
      await connection.query('UPDATE form_instances SET ? WHERE tenant_id = ? AND id = ?', [
        { status: 'Complete', current_version: version, reported_version: version, submitted_at: now, revision: 2 },
        tenant,
        id,
      ])
      await connection.commit()
      return performance.now() - started
    },
    stop: () => connection.end(),
  }
}

const versionColumns = [
  'tenant_id',
  'instance_id',
  'id',
  'revision',
  'status',
  'is_milestone',
  'created_by',
  'created_at',
  'modified_at',
]
