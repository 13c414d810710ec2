// Erasures beside kills.
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import { connect } from '../../../db/connect.js'
import { settleWords } from '../../../db/frame/search/word-settling.js'
import { addPerson, aNote, type FormsTenant, formsTenant, plantWards, whole } from '../../support/factories.js'
import { ended, type JobBody, kill } from '../../support/faults.js'
import { send } from '../../support/http.js'
import { patientOf } from '../../support/instances.js'
import { effectiveDate, file, formOf, formType, title } from '../../support/records.js'
import { type S3, startS3 } from '../../support/s3.js'
import { type Stack, startStack } from '../../support/stack.js'
import { subjectsPath } from '../../support/subjects.js'
import { until } from '../../support/until.js'

let s3: S3
let stack: Stack
let db: Knex
let tenant: FormsTenant
let tenant_id: number
beforeAll(async () => {
  s3 = await startS3()
  stack = await startStack({ ...s3.env, RECORD_STORAGE: 's3' })
  // Its transactions hold rows in silence, for longer than the server would let other connections do so.
  db = connect(stack.databaseUrl, { poolSize: 8, silenceTimeoutMs: 600_000 })
  tenant = await formsTenant({}, stack.baseUrl)
  tenant_id = await tenantIdOf(db, tenant.tenantKey)
  await tenant.publish(aNote())
  await plantWards(tenant, 'a')
})
afterAll(async () => {
  await db?.destroy()
  await stack?.stop()
  await s3?.stop()
})

/** A person with documents, forms and data points. @returns its id. */
async function personOf(nationalId: string, size: number): Promise<string> {
  const id = await addPerson(tenant, nationalId, { email: `${nationalId}@example.org` }, ['a'])
  await record(id, 0, size)
  return id
}

/** Adds as many documents, forms and data points to a person. */
async function record(id: string, from: number, until: number): Promise<void> {
  const patient = patientOf({ subjectId: id, forms: tenant.forms })
  for (let n = from; n < until; n++) {
    const { status } = await send(stack.baseUrl, `/api/v1/subjects/${id}/file/upload`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.token}`, 'content-type': formType },
      body: [formOf([title(), effectiveDate(), file(`%PDF-1.7\n${n}`)])],
    })
    expect(status).toBe(200)
    expect((await patient.submit(await patient.created(), whole)).status).toBe(200)
    const point = { extract_key: 'x', snapshot: 1, point_id: `${n}`, subject_identifier: id, items: '[]' }
    await db('data_points').insert({ tenant_id, subject_id: id, ...point })
  }
}

/** Jobs, and what tells by ids and times alone of an erasure and of who was there before it. */
const notCompared = /^(audit_.*|event_feeds|events|events_unnumbered|form_clocks|jobs)$/

/** All rows of the tenant, table by table, but for those of one subject that an erasure keeps. */
async function everything(but: string): Promise<Record<string, string[]>> {
  while ((await settleWords(db)) > 0) {
    // Some more.
  }
  const tables: { name: string }[] = await db('information_schema.columns')
    .where({ table_schema: db.raw('DATABASE()'), column_name: 'tenant_id' })
    .select('table_name as name')
  const rows = tables
    .filter(({ name }) => !notCompared.test(name))
    .map(async ({ name }): Promise<[string, string[]]> => {
      const all: { subject_id?: string }[] = await db(name).where({ tenant_id })
      return [name, all.flatMap(row => (row.subject_id === but ? [] : [JSON.stringify(row)])).sort()]
    })
  return Object.fromEntries(await Promise.all(rows))
}

test('a worker that is killed in each part of an erasure leaves nothing of the subject, and all of the others', async () => {
  await personOf('stays', 3)
  const [before, objects] = [await everything(''), await s3.objects()]
  const id = await personOf('goes', 45)
  const rows = (table: string) => db(table).where({ tenant_id, subject_id: id })
  const last = async (table: string, key: string) => (await rows(table).orderBy(key, 'desc').first(key))[key]
  const held: [part: string, row: object, table: string][] = [
    ['documents', { id: await last('record_items', 'id') }, 'record_items'],
    ['forms', { id: await last('form_instances', 'id') }, 'form_instances'],
    ['data', { point_id: '44', extract_key: 'x', snapshot: 1, subject_id: id }, 'data_points'],
    ['subject', { entity_key: 'a', subject_id: id }, 'subject_locations'],
  ]
  const holds = await Promise.all(
    held.map(async ([part, row, table]) => {
      const trx = await db.transaction()
      await trx(table)
        .where({ tenant_id, ...row })
        .forUpdate()
        .first('tenant_id')
      return { part, trx }
    }),
  )
  const { body } = await tenant.post<JobBody>(`${subjectsPath}/${id}/erase`)
  for (const { part, trx } of holds) {
    await until(`the erasure comes to its part ${part}`, async () => {
      const job = await db('jobs').where({ tenant_id, id: body.jobId }).first('position')
      return job.position !== null && JSON.parse(job.position).part === part
    })
    // The subject is still there, and its forms are erased: others may write some more.
    if (part === 'subject') await record(id, 100, 102)
    await kill(stack.worker)
    await trx.rollback()
  }
  expect(await ended(tenant, body.jobId, 120_000)).toMatchObject({ status: 'Completed' })
  expect(await everything(id)).toEqual(before)
  for (const table of [
    'record_items',
    'form_instances',
    'data_points',
    'subjects_by_word',
    'words_by_subject',
    'subject_values',
  ])
    expect(await rows(table), table).toEqual([])
  expect(await s3.objects()).toEqual(objects)
})
