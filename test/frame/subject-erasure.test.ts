// Erasure of subjects.
import { randomBytes } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { ago } from '../../db/clock.js'
import { sealedDelivery } from '../../db/forms/exports/deliveries.js'
import { forgetUnidentified } from '../../db/frame/imports/rejects.js'
import { settleWords } from '../../db/frame/search/word-settling.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import type { Reply } from '../support/api.js'
import { type ExtractBody, extract } from '../support/extracts.js'
import { addPerson, aSmallTemplate, formAsked, launchTenant, openDatabase, plantWards } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { list, type Page, refusal } from '../support/frame.js'
import { send } from '../support/http.js'
import { imported, ndjsonType } from '../support/imports.js'
import { patientOf } from '../support/instances.js'
import { forgetNow, openTemporal, temporalClient } from '../support/jobs.js'
import { form, hidden, page, smallForm } from '../support/launches.js'
import { mergesOf } from '../support/merges.js'
import { invite } from '../support/portal.js'
import { effectiveDate, file, formOf, formType } from '../support/records.js'
import { tablesWithColumn } from '../support/schema.js'
import { heldOfRuns } from '../support/sealed.js'
import { peopleOf, person, subjectsPath } from '../support/subjects.js'

const db = openDatabase()
const temporal = await openTemporal()
const seal = createSeal(Buffer.from(inject('encryptionKey'), 'base64'))

const controls = [{ id: 'note', label: 'Note' }]
const tenant = await launchTenant([aSmallTemplate(controls, { allowRevoke: true })])
const tenant_id = await tenantIdOf(db, tenant.tenantKey)
tenant.endpoint.answers(503)
await plantWards(tenant, 'a', 'b')
afterAll(() => tenant.endpoint.stop())

/** A word of letters that nothing else has. */
const aMarker = () => `q${Array.from(randomBytes(12), byte => String.fromCharCode(97 + (byte % 26))).join('')}`

const eraseAt = (id: string) => `${subjectsPath}/${id}/erase`

async function erase(id: string): Promise<JobBody> {
  const { status, body } = await tenant.post<JobBody>(eraseAt(id))
  if (status !== 202) throw new Error(JSON.stringify(body))
  return ended(tenant, body.jobId)
}

/** A cell as somebody can read it who has the database and the key. */
function readable(row: Record<string, unknown>, cell: unknown): string {
  if (Buffer.isBuffer(cell)) return (cell[0] === 0x1f && cell[1] === 0x8b ? gunzipSync(cell) : cell).toString()
  const text = cell instanceof Date ? cell.toISOString() : String(cell)
  if (cell === undefined || cell !== row.sealed_content) return text
  return seal.open(sealedDelivery(tenant.tenantKey, String(row.transaction_id)), text)
}

/** Every table of the schema with rows of the tenant. */
const tables = (): Promise<string[]> => tablesWithColumn(db, 'tenant_id')

/** Tables of the tenant with a cell that has a text, in any letter case. */
async function tablesWith(text: string): Promise<string[]> {
  const found: string[] = []
  for (const table of await tables()) {
    const rows: Record<string, unknown>[] = await db(table).where({ tenant_id })
    const cells = rows.flatMap(row => Object.values(row).map(cell => readable(row, cell)))
    if (cells.some(cell => cell.toLowerCase().includes(text))) found.push(table)
  }
  return found
}

/** A person whose marker stands wherever something of a person can be. */
async function everywhere(): Promise<{ id: string; marker: string; instance: string }> {
  const marker = aMarker()
  const values = { givenName: marker, email: `${marker}@example.org` }
  const id = await addPerson(tenant, marker, values, ['a'])
  const dateOfBirth = [{ Key: 'dateOfBirth', Value: { Date: { Value: '1980-01-31' } } }]
  await tenant.send('PATCH', `${subjectsPath}/${id}`, dateOfBirth)

  const parts = [
    file(`%PDF-1.7\n${marker}`, { fileName: `${marker}.pdf` }),
    { name: 'title', content: marker },
    effectiveDate(),
  ]
  const document = await send(inject('baseUrl'), `/api/v1/subjects/${id}/file/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.token}`, 'content-type': formType },
    body: [formOf(parts)],
  })
  expect(document.status).toBe(200)

  const patient = patientOf({ subjectId: id, forms: tenant.forms })
  const instance = await patient.created({ instanceContext: { who: marker }, correlationId: marker })
  expect((await patient.submit(instance, { note: marker })).status).toBe(200)
  const withdrawn = await patient.created()
  expect((await patient.submit(withdrawn, { note: marker })).status).toBe(200)
  expect((await patient.withdraw(withdrawn, marker)).status).toBe(200)

  const opened = await page(`${tenant.path('small', 1)}/launch`, smallForm())
  const sent = await page(tenant.path('small', 1), form(['ticket', hidden(opened.text, 'ticket')], ['note', marker]))
  expect(sent.status).toBe(303)

  expect((await tenant.post(invite(id), [`${marker}@family.example`])).status).toBe(200)

  const csv = `nationalId,givenName,familyName,dateOfBirth\n${marker},${marker},B,31.01.1980\n`
  await Promise.all([imported(tenant, csv), imported(tenant, csv, { query: { Mode: 'all' } })])

  const point = { tenant_id, extract_key: 'x', subject_id: id, subject_identifier: marker }
  await db('data_points').insert({ ...point, snapshot: 1, point_id: '1', items: JSON.stringify([marker]) })
  await db('data_points').insert({ ...point, snapshot: 2, point_id: '1', items: '[]' })
  await db('data_set_changes').insert({ ...point, ticket: 1, since: 1 })
  return { id, marker, instance }
}

describe('an erased subject', () => {
  const holding = [
    'data_points',
    'data_set_changes',
    'file_chunks',
    'form_deliveries',
    'form_instances',
    'form_reports',
    'form_values',
    'form_withdrawals',
    'import_rejects',
    'portal_mails',
    'record_items',
    'subject_access_users',
    'subject_word_typos',
    'subjects',
    'subjects_by_word',
    'words_by_subject',
  ]
  let gone: Awaited<ReturnType<typeof everywhere>>
  let stays: Awaited<ReturnType<typeof everywhere>>
  let before: Record<'gone' | 'stays', string[]>
  let extracted: JobBody
  let cursor: string
  let document: string
  let job: JobBody
  const asked = { definitions: [formAsked('small')] }
  beforeAll(async () => {
    ;[stays, gone] = await Promise.all([everywhere(), everywhere()])
    await settleWords(db)
    const found = await Promise.all([tablesWith(gone.marker), tablesWith(stays.marker)])
    before = { gone: found[0], stays: found[1] }
    const answer: Reply = await extract(tenant.forms, asked, { prefer: 'respond-async' })
    extracted = await ended(tenant, (answer.body as unknown as JobBody).jobId)
    const feed = await tenant.get<Page<object>>(list(`${subjectsPath}/changes`, { FromNow: 'true' }))
    cursor = feed.body.PageInfo.EndCursor
    document = (await db('record_items').where({ tenant_id, subject_id: gone.id }).first('id')).id
    job = await erase(gone.id)
    while ((await settleWords(db)) > 0) {
      // Some more.
    }
  })

  test('is in no table any more, whether plain, compressed or sealed', async () => {
    expect(before).toEqual({ gone: holding, stays: holding })
    expect(await tablesWith(gone.marker)).toEqual([])
  })

  test('leaves its id in the tombstone and where ids alone are', async () => {
    const found: string[] = []
    for (const name of await tablesWithColumn(db, 'subject_id'))
      if (await db(name).where({ tenant_id, subject_id: gone.id }).first('subject_id')) found.push(name)
    expect(found.sort()).toEqual(['form_reports', 'subject_tombstones'])
  })

  test('erases nobody else, except for the uploads of all imports', async () => {
    expect(await tablesWith(stays.marker)).toEqual(holding)
    expect(await peopleOf(tenant)).toEqual(expect.arrayContaining([stays.marker]))
    expect(await db('import_files').where({ tenant_id })).toEqual([])
  })

  test('was never in a run of Temporal', async () => {
    const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
    const runs = await heldOfRuns(client, `TenantKey = '${tenant.tenantKey}' AND JobKind = 'subjectErasure'`)
    await close()
    expect(runs.opened).toContain(job.jobId)
    expect(runs.opened).not.toContain(gone.marker)
  })

  test('is counted by its job, which names no values', () => {
    const counts = {
      uploads: expect.any(Number),
      rejects: 2,
      deliveries: 1,
      documents: 1,
      forms: 2,
      data: 2,
      subject: 1,
    }
    expect(job).toMatchObject({ kind: 'subjectErasure', status: 'Completed', counts, input: { subjectId: gone.id } })
  })

  test('is answered 410 with its code; a second erasure too', async () => {
    const answer = { status: 410, code: 'subject-erased' }
    expect(refusal(await tenant.get(`${subjectsPath}/${gone.id}`))).toMatchObject(answer)
    expect(refusal(await tenant.post(eraseAt(gone.id)))).toMatchObject(answer)
    for (const path of [
      '/api/v1/subject/ID/subjectAccessUsers',
      '/api/v2/subject/ID/merges',
      '/api/v1/subjects/ID/file',
      `/api/v1/subjects/ID/file/${document}`,
    ])
      expect([path, refusal(await tenant.get(path.replace('ID', gone.id)))]).toMatchObject([path, answer])
    expect(refusal(await tenant.delete(`/api/v1/subjects/${gone.id}/file/${document}`))).toMatchObject(answer)
  })

  test('is `erased` in the feed', async () => {
    const { body } = await tenant.get<Page<object>>(list(`${subjectsPath}/changes`, { After: cursor }))
    expect(body.Edges.map(({ Node }) => Node)).toMatchObject([{ SubjectId: gone.id, Change: 'erased' }])
  })

  test('is in no extract, not even in an earlier one', async () => {
    const ids = ({ results }: ExtractBody) => results.flatMap(each => each.results.map(one => one.instanceGuid))
    expect(ids((await extract(tenant.forms, asked)).body)).toEqual([stays.instance])
    const result = await tenant.forms.get<ExtractBody>(`/api/v1/jobs/${extracted.jobId}/result`)
    expect([result.status, ids(result.body)]).toEqual([200, [stays.instance]])
  })

  test('is another subject when it is sent again', async () => {
    const id = await addPerson(tenant, gone.marker)
    expect(id).not.toBe(gone.id)
    await erase(id)
  })
})

test('the undo of a transfer does not place an erased subject again', async () => {
  const id = await addPerson(tenant, 'moved', {}, ['a', 'b'])
  const move = { SourceStructuralEntityKey: 'a', TransferMode: 'Move' }
  const { body: there } = await tenant.post<JobBody>('/api/v1/structuralEntity/b/subjects/transfer', move)
  await ended(tenant, there.jobId)
  const skips = () => db('subject_transfer_skips').where({ tenant_id, subject_id: id })
  expect(await skips()).toHaveLength(1)
  await erase(id)
  expect(await skips()).toEqual([])
  const { body: back } = await tenant.post<JobBody>(`/api/v1/jobs/${there.jobId}/undo`)
  await ended(tenant, back.jobId)
  expect(await db('subject_locations').where({ tenant_id, subject_id: id })).toEqual([])
})

test('an erasure also erases subjects that were merged into the subject, whichever id is given', async () => {
  const [stays, goes] = [await everywhere(), await everywhere()]
  const early = await addPerson(tenant, 'merged early')
  const { merge, unmerge } = mergesOf(tenant)
  expect((await merge(goes.id, early)).status).toBe(200)
  expect((await merge(stays.id, goes.id)).status).toBe(200)
  expect((await erase(goes.id)).status).toBe('Completed')
  while ((await settleWords(db)) > 0) {
    // Some more.
  }
  expect([await tablesWith(stays.marker), await tablesWith(goes.marker)]).toEqual([[], []])
  const answer = { status: 410, code: 'subject-erased' }
  const left = await addPerson(tenant, 'left')
  for (const id of [stays.id, goes.id, early]) {
    expect(refusal(await tenant.get(`${subjectsPath}/${id}`))).toMatchObject(answer)
    expect(refusal(await merge(left, id))).toMatchObject(answer)
    expect(refusal(await merge(id, left))).toMatchObject(answer)
    expect(refusal(await unmerge(id))).toMatchObject(answer)
    expect(await db('subject_tombstones').where({ tenant_id, subject_id: id })).toHaveLength(1)
  }
  for (const table of ['merged_subjects', 'merged_subject_values', 'merged_subject_rows'])
    expect(await db(table).where({ tenant_id })).toEqual([])
})

test('an erasure deletes no refused rows of others that merely contain a common matching value', async () => {
  const id = await addPerson(tenant, 'x7')
  await imported(tenant, 'nationalId,givenName,familyName,dateOfBirth\nother,bed x7,B,31.01.1980\n')
  const rejects = () => db('import_rejects').where({ tenant_id }).pluck('content')
  const before = await rejects()
  expect(before).not.toEqual([])
  await erase(id)
  expect(await rejects()).toEqual(before)
})

test('an erasure deletes the refused rows that mean the subject, however they spell it', async () => {
  const marker = aMarker()
  const id = await addPerson(tenant, `Müller-${marker}`)
  const short = await addPerson(tenant, 'k9')
  const rows = [`Müller-${marker}`, 'k9'].map(nationalId =>
    JSON.stringify(person(nationalId, { dateOfBirth: '31.01.1980' })).replace('ü', '\\u00fc'),
  )
  await imported(tenant, `${rows.join('\n')}\n`, { headers: ndjsonType })
  const rejects = async () => {
    const contents: Buffer[] = await db('import_rejects').where({ tenant_id }).pluck('content')
    return rows.filter(row => contents.some(content => content.includes(row)))
  }
  expect(await rejects()).toEqual(rows)
  await erase(id)
  expect(await rejects()).toEqual(rows.slice(1))
  await erase(short)
  expect(await rejects()).toEqual([])
})

test('a refused row that does not say whom it means is kept for a day only', async () => {
  const [lost, named] = [aMarker(), aMarker()]
  await imported(
    tenant,
    `nationalId,givenName,familyName,dateOfBirth\n,${lost},B,31.01.1980\nn-${named},A,B,31.01.1980\n`,
  )
  const markers = async () => {
    const contents: Buffer[] = await db('import_rejects').where({ tenant_id }).pluck('content')
    return [lost, named].filter(marker => contents.some(content => content.includes(marker)))
  }
  const aged = (hours: number) =>
    db('import_rejects')
      .where({ tenant_id })
      .whereNotNull('unidentified_since')
      .update({ unidentified_since: ago(db, hours * 3_600_000) })
  expect(await aged(23)).toBeGreaterThan(0)
  await forgetUnidentified(db)
  expect(await markers()).toEqual([lost, named])
  await aged(25)
  await forgetNow(temporal)
  expect(await markers()).toEqual([named])
})

test('an erasure needs Delete:Subject; another tenant has no such subject', async () => {
  const id = await addPerson(tenant, 'kept')
  const [editor] = await tenant.clients([['View:Subject', 'Create:Subject', 'Edit:Subject']])
  expect(refusal((await editor?.post(eraseAt(id))) as Reply)).toMatchObject({ status: 403, code: 'forbidden' })
  expect(refusal(await tenant.post(eraseAt(crypto.randomUUID())))).toMatchObject({ status: 404 })
})
