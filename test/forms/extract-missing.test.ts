import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { ndjsonOf } from '../../db/forms/extract-results.js'
import { extractOf } from '../../db/forms/extracts.js'
import { createPublishedForms } from '../../db/forms/published-forms.js'
import { copied } from '../support/extract-rows.js'
import { extract, formAsked } from '../support/extracts.js'
import type { FormsTenant } from '../support/forms.js'
import { refusal } from '../support/frame.js'
import { notesTenant, whole } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

/** More than one statement reads (500). */
const results = 700

let db: Knex
let tenant: FormsTenant
let path: string
/** In the order of the results. */
let ids: string[]
beforeAll(async () => {
  db = openDatabase()
  const made = await notesTenant()
  tenant = made.tenant
  const guid = await made.patient.created()
  expect(await made.patient.submit(guid, whole)).toMatchObject({ status: 200 })
  ids = [guid, ...(await copied(db, guid, results - 1))].sort()
  const { headers } = await extract(tenant.forms, { definitions: [formAsked('small')] })
  path = headers.get('location') ?? ''
  await db('form_values').where({ instance_id: ids[600] }).delete()
})
afterAll(() => db.destroy())

test('where the documents of a result are gone, those before it are shown, and then the answer fails', async () => {
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const found = await extractOf(db, tenantId, path.split('/').at(-1) ?? '')
  if (!found) throw new Error('The extract is gone')
  const lines = ndjsonOf({ db, forms: createPublishedForms({ db }) }, tenantId, found)
  const shown: string[] = []
  const read = async () => {
    for await (const line of lines) shown.push(JSON.parse(line).instanceGuid)
  }
  const { value: first } = await lines.next()
  // What is read ahead fails meanwhile: that ends the answer, and not the process.
  await once(db, 'query-response')
  await nextTurn()
  await nextTurn()
  await expect(read()).rejects.toThrow('Of 200 results 199 are there')
  expect([JSON.parse(first ?? '').instanceGuid, ...shown]).toEqual(ids.slice(0, 500))
  await expect(tenant.forms.get(`${path}/result`)).rejects.toThrow()
})

test('where that is one of the first, the answer is a problem', async () => {
  await db('form_values').where({ instance_id: ids[499] }).delete()
  for (const accept of ['application/json', 'application/x-ndjson']) {
    const reply = await tenant.forms.get(`${path}/result`, { accept })
    expect(refusal(reply)).toEqual({ status: 500, code: 'internal', errors: [] })
  }
})
