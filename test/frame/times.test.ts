// Times of day.
import { beforeAll, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { aField, subjectTenant, value } from '../support/factories.js'
import { peopleOf, subjectsPath, texts, type WrittenSubject } from '../support/subjects.js'

let tenant: Tenant
beforeAll(async () => {
  const fields = [aField('id'), aField('at', 'Time', { required: true })]
  tenant = await subjectTenant({ fields, matchingFields: ['at'], portal: {} })
})

const upsert = (time: string, id: string) =>
  tenant.post<WrittenSubject>(subjectsPath, { CustomFieldValues: [value('at', 'Time', time), ...texts({ id })] })
const foundBy = (time: string) => peopleOf(tenant, { 'customFieldValueFilter.values[at]': time }, 'id')

test('a matching field of times takes one time in any spelling for one value', async () => {
  const ids = new Set<string>()
  for (const time of ['10:30', '10:30:00', '10:30:00.000', '10:30:00.0']) {
    const { status, body } = await upsert(time, 'one')
    expect(status).toBe(ids.size === 0 ? 201 : 200)
    ids.add(body.internalId)
    expect(await foundBy(time)).toEqual(['one'])
  }
  expect(ids.size).toBe(1)
  expect((await upsert('10:30:00.5', 'two')).body.internalId).not.toBe([...ids][0])
})
