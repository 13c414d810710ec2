// Times of day.
import { beforeAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { transaction } from '../../db/errors.js'
import type { StoredValue, StoredValues } from '../../db/frame/subjects/custom-fields.js'
import { indexValues, valueRows } from '../../db/frame/subjects/subject-values.js'
import { times } from '../../db/migrations/2026-11-times.js'
import type { Tenant } from '../support/api.js'
import { aField, anEntity, aType, subjectTenant, value } from '../support/factories.js'
import { at, type EntityBody, list, paths, put, refusal } from '../support/frame.js'
import { texts } from '../support/people.js'
import { openDatabase, storeSubject } from '../support/stored-subjects.js'
import { peopleOf, readPerson, subjectsPath, type WrittenSubject } from '../support/subjects.js'

const db = openDatabase()

let tenant: Tenant
let tenantId: number
beforeAll(async () => {
  const fields = [aField('id'), aField('at', 'Time', { required: true }), aField('many', 'Time', { isArray: true })]
  tenant = await subjectTenant({ fields, matchingFields: ['at'], portal: {} })
  tenantId = await tenantIdOf(db, tenant.tenantKey)
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

describe('times from before they were kept in one spelling', () => {
  const time = (text: string): StoredValue => ['Time', text]
  const id = (text: string): StoredValue => ['String', text]

  /** A subject as it was written then. */
  async function stored(values: StoredValues): Promise<string> {
    const subject = await storeSubject(db, tenant.tenantKey, values)
    await indexValues(db, valueRows(tenantId, [{ id: subject, before: {}, after: values }]))
    return subject
  }

  /** Runs the batches of this tenant. @returns how many there were. */
  async function migrate(): Promise<number> {
    const [step] = times
    if (!step || !('batch' in step)) throw new Error('The migration has batches')
    let from: string | undefined = JSON.stringify(['subjects', tenantId, ''])
    let batches = 0
    while (from !== undefined && JSON.parse(from)[1] === tenantId) {
      const place: string = from
      from = await transaction(db, 'platform', trx => step.batch(trx, place))
      batches++
    }
    return batches
  }

  test('get it in subjects and structural entities, and are found by it; zones go, and nothing is merged', async () => {
    const zoned = await stored({ id: id('zoned'), at: time('09:00:00+02:00'), many: [time('08:00:00.10')] })
    const utc = await stored({ id: id('utc'), at: time('09:00:00Z') })
    const leap = await stored({ id: id('leap'), at: time('23:59:60.1239z') })
    const kept = await stored({ id: id('"Time",'), at: time('12:00:00') })
    const field = { TypeKey: 'Time', Name: 'Opens', Key: 'opens', Required: false }
    await put(tenant, paths.types, aType('unit', { CustomFields: [field] }))
    await put(tenant, paths.entities, anEntity('old'), anEntity('none'))
    await db('structural_entities')
      .where({ tenant_id: tenantId, entity_key: 'old' })
      .update({ custom_values: JSON.stringify({ opens: time('07:00:00.000Z') }) })

    expect(await migrate()).toBeLessThan(7)
    expect(await readPerson(tenant, zoned)).toMatchObject({ at: '09:00:00', many: ['08:00:00.100'] })
    expect(await readPerson(tenant, utc)).toMatchObject({ at: '09:00:00' })
    expect(await readPerson(tenant, leap)).toMatchObject({ at: '23:59:59.123' })
    expect(await readPerson(tenant, kept)).toMatchObject({ at: '12:00:00' })
    const { body } = await tenant.get<EntityBody>(at(paths.entities, 'old'))
    expect(body.CustomFieldValues.map(({ Value }) => Value)).toEqual([{ DataType: 'Time', ValueText: '07:00:00' }])

    expect((await foundBy('09:00')).sort()).toEqual(['utc', 'zoned'])
    const many = list(subjectsPath, { 'customFieldValueFilter.values[many]': '08:00:00.1' })
    expect(await tenant.get(many)).toMatchObject({ body: { PageInfo: { TotalCount: 1 } } })
    expect(refusal(await upsert('09:00', 'which'))).toMatchObject({ status: 409, code: 'ambiguous-match' })
    const noted = await db('subject_duplicates').where({ tenant_id: tenantId }).pluck('subject_id')
    expect(noted.sort()).toEqual([zoned, utc].sort())
  })

  test('that are kept so already are left alone', async () => {
    const of = () => db('subjects').where({ tenant_id: tenantId }).orderBy('id').select('id', 'updated_at')
    const before = await of()
    await migrate()
    expect(await of()).toEqual(before)
  })
})
