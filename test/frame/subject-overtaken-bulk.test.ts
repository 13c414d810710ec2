import { afterAll, beforeEach, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { lockMatching } from '../../db/frame/subject-plan.js'
import { matchingHashes, type ValueHash } from '../../db/frame/subject-values.js'
import type { Reply, Tenant } from '../support/api.js'
import { until } from '../support/faults.js'
import { invalid, refusal } from '../support/frame.js'
import { openDatabase } from '../support/stored-subjects.js'
import {
  addPerson,
  bulkPath,
  patch,
  peopleOf,
  person,
  plantWards,
  readPerson,
  subjectTenant,
  texts,
  type WrittenSubject,
} from '../support/subjects.js'

const db = openDatabase()
afterAll(() => db.destroy())

let tenant: Tenant
beforeEach(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, 'a')
})

const hashOf = (nationalId: string): ValueHash =>
  matchingHashes(['nationalId'], { nationalId: ['String', nationalId] })?.together ?? ''

/** A bulk that waits for somebody else's lock, and goes on with `release`. */
async function heldBulk(batch: object[]): Promise<{ release(): Promise<Reply<WrittenSubject[]>> }> {
  // Locks are taken in the order of the hashes: the bulk waits for this one and has none yet.
  const first = Array.from({ length: 1000 }, (_, n) => `held ${n}`).sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))[0]
  const trx = await db.transaction()
  await lockMatching(trx, await tenantIdOf(db, tenant.tenantKey), [hashOf(first ?? '')])
  const answer = tenant.post<WrittenSubject[]>(bulkPath, [...batch, person(first ?? '')])
  await until('the bulk waits for the lock', async () => {
    const [threads = []]: { Info: string | null }[][] = await db.raw('SHOW FULL PROCESSLIST')
    return threads.some(({ Info }) => Info?.startsWith('INSERT INTO `subject_matching_keys`'))
  })
  return {
    async release() {
      await trx.commit()
      return answer
    },
  }
}

test('one whom another request creates while the bulk waits is updated by it', async () => {
  const bulk = await heldBulk([person('1', { familyName: 'Bulk' }, ['a'])])
  const id = await addPerson(tenant, '1', { email: 'kept' })
  const { status, body } = await bulk.release()
  expect([status, body[0]?.internalId]).toEqual([200, id])
  expect((await peopleOf(tenant)).filter(each => each === '1')).toHaveLength(1)
  expect(await readPerson(tenant, id)).toMatchObject({ familyName: 'Bulk', email: 'kept', places: ['a'] })
  expect(await tenant.get('/api/v1/jobs')).toMatchObject({
    body: { Edges: [{ Node: { counts: { created: 1, updated: 1 } } }] },
  })
})

test('one who is given other matching values while the bulk waits is left alone; the item makes a new subject', async () => {
  const id = await addPerson(tenant, '1', { email: 'kept' })
  const bulk = await heldBulk([person('1', { familyName: 'Bulk' }, ['a'])])
  expect((await patch(tenant, id, texts({ nationalId: '2' }))).status).toBe(200)
  expect((await bulk.release()).status).toBe(200)
  expect(await readPerson(tenant, id)).toMatchObject({
    nationalId: '2',
    familyName: 'Byron',
    email: 'kept',
    places: [],
  })
  expect((await peopleOf(tenant)).slice(0, 1)).toEqual(['2'])
  const [made] = await peopleOf(tenant, { 'customFieldValueFilter.values[nationalId]': '1' }, 'familyName')
  expect(made).toBe('Bulk')
})

test('a change that makes an item a fault while the bulk waits refuses the bulk: nobody is written, and there is no job', async () => {
  const id = await addPerson(tenant, '1')
  // The item is all that there is for one who exists, and too little for somebody new.
  const bulk = await heldBulk([{ CustomFieldValues: texts({ nationalId: '1', email: 'x' }) }])
  expect((await patch(tenant, id, texts({ nationalId: '2' }))).status).toBe(200)
  const missing = 'required-custom-field /0/CustomFieldValues #0'
  expect(refusal(await bulk.release())).toEqual(invalid(missing, missing))
  expect(await peopleOf(tenant)).toEqual(['2'])
  expect(await readPerson(tenant, id)).not.toHaveProperty('email')
  expect(await tenant.get('/api/v1/jobs')).toMatchObject({ body: { Edges: [] } })
})
