// Extracts of some subjects.
import { afterAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { entriesOf } from '../../db/forms/extracts/extract-lists.js'
import { readsAt } from '../../db/replicas.js'
import { newId } from '../../runtime/ids.js'
import { notesTenant, whole } from '../support/form-factories.js'
import { plansOf } from '../support/plans.js'

const db = connect(inject('databaseUrl'), { poolSize: 1 })
afterAll(() => db.destroy())

test('subjects with up to 50,000 submissions are looked for by their index, those with more are picked out of all', async () => {
  const { tenant: api, patient } = await notesTenant()
  const tenant = await tenantIdOf(db, api.tenantKey)
  const guid = await patient.created()
  expect(await patient.submit(guid, whole)).toMatchObject({ status: 200 })
  const [model]: Record<string, unknown>[] = await db('form_reports').where({ tenant_id: tenant, is_block: 0 })
  const copy = (count: number) =>
    db.batchInsert(
      'form_reports',
      Array.from({ length: count }, () => ({ ...model, instance_id: newId() })),
    )
  const definition = { identifier: 'notes', type: 'form' as const, key: 'small', version: 1 }
  const request = { maxResults: 20, definitions: [definition] }
  const instant = new Date(Date.now() + 1_000)
  const keys = async () => {
    const plans = await plansOf(db, 'form_reports', async () => {
      for await (const page of entriesOf(
        readsAt(db),
        tenant,
        { request, instant, subjects: [api.subjectId] },
        definition,
      )) {
        expect(page).toHaveLength(20)
        return
      }
    })
    return plans.map(({ tables }) => tables.map(({ key }) => key))
  }
  const ofSubject = ['form_reports_by_subject']
  await copy(49_999)
  expect(await keys()).toEqual([ofSubject, ofSubject])
  await copy(1)
  expect(await keys()).toEqual([ofSubject, ['PRIMARY']])
})
