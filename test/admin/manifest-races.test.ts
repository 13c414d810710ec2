import { afterAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { admin, newTenant } from '../support/api.js'
import { demoSubjects } from '../support/manifest.js'
import { openDatabase } from '../support/stored-subjects.js'
import { person, subjectsPath } from '../support/subjects.js'

const db = openDatabase()
afterAll(() => db.destroy())

const extra = { key: 'extra', name: 'Extra', type: 'Text' }
const withExtra = { ...demoSubjects, fields: [...demoSubjects.fields, extra] }

test('of a field that goes while subjects get values of it, no value is left: the field stays, or they are refused', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const platform = await admin(inject('baseUrl'))
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  const address = `/admin/v1/tenants/${tenant.tenantKey}`
  for (let round = 0; round < 12; round++) {
    await tenant.change({ subjects: withExtra })
    const { body } = await platform.get<object>(address)
    const people = Array.from({ length: 6 }, (_, n) => person(`${round}-${n}`, { extra: 'value' }))
    const [gone, ...written] = await Promise.all([
      platform.put(address, { ...body, subjects: demoSubjects }),
      ...people.map(each => tenant.post(subjectsPath, each)),
    ])
    const holders = await db('subjects').where({ tenant_id }).whereRaw('LOCATE(?, custom_values)', ['"extra":['])
    expect([200, 409]).toContain(gone.status)
    for (const { status } of written) expect([200, 400]).toContain(status)
    expect(holders).toHaveLength(written.filter(({ status }) => status === 200).length)
    if (gone.status === 200) expect(holders).toEqual([])
    else expect(holders.length).toBeGreaterThan(0)
    for (const table of ['subjects', 'subject_values', 'subject_matching_keys'])
      await db(table).where({ tenant_id }).delete()
  }
})
