import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { extractPlace, stopClock } from '../support/extract-place.js'
import { aTemplate } from '../support/forms.js'
import { patientOf } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

let db: Knex
beforeAll(() => {
  db = openDatabase()
})
afterAll(() => db.destroy())

const blockOf = (key: string) => ({
  key,
  sections: [{ id: `of-${key}`, controls: [{ id: key, label: 'Text', maxLength: 5_000 }] }],
})

test.each([
  ['as time goes', false],
  ['where all of it has the same time', true],
])('what counts says how large its documents are, by which they are read a few at a time: %s', async (_, isStopped) => {
  const place = await extractPlace(db)
  if (isStopped) await stopClock(place)
  const { tenant } = place
  await tenant.publish(aTemplate({ key: 'sized', buildingBlocks: [blockOf('one'), blockOf('two')] }))
  const patient = patientOf(tenant)
  const guid = await patient.created({ formKey: 'sized' })
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const sizes = async () => {
    const rows: { is_block: number; bytes: number; size: string }[] = await db({ r: 'form_reports' })
      .join({ v: 'form_values' }, on => {
        for (const column of ['tenant_id', 'instance_id', 'version_id']) on.on(`r.${column}`, `v.${column}`)
      })
      .where({ 'r.tenant_id': tenantId })
      .whereRaw('(r.is_block = 0 OR v.block_key = r.definition_key)')
      .groupBy('r.is_block', 'r.definition_key', 'r.submitted_at', 'r.counts_from', 'r.bytes')
      .orderBy(['r.submitted_at', 'r.is_block', 'r.definition_key'])
      .select('r.is_block', 'r.bytes', db.raw('SUM(LENGTH(v.document)) AS size'))
    for (const { bytes, size } of rows) expect(bytes).toBe(Number(size))
    return rows.map(({ is_block, bytes }) =>
      is_block === 1 && bytes > 2_000 ? 'large block' : is_block === 1 ? 'block' : 'form',
    )
  }
  expect(await patient.submit(guid, { one: 'ä'.repeat(10) })).toMatchObject({ status: 200 })
  const first = ['form', 'block']
  expect(await sizes()).toEqual(first)
  await patient.amend(guid)
  const more = { one: 'ä'.repeat(2_000), two: 'x' }
  expect(await patient.submit(guid, more, await patient.etag(guid))).toMatchObject({ status: 200 })
  const second = ['form', 'large block', 'block']
  expect(await sizes()).toEqual(isStopped ? second : [...first, ...second])
})
