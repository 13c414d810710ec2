import { afterAll, beforeEach, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { lockMatching } from '../../db/frame/subject-plan.js'
import { matchingHashes, type ValueHash } from '../../db/frame/subject-values.js'
import type { Tenant } from '../support/api.js'
import { ended, type JobBody } from '../support/faults.js'
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

/** A bulk that is accepted and cannot write before `release`. */
async function heldBulk(batch: object[]): Promise<{ release(): Promise<JobBody> }> {
  // Locks are taken in the order of the hashes: the bulk waits for this one and has none yet.
  const first = Array.from({ length: 1000 }, (_, n) => `held ${n}`).sort((a, b) => (hashOf(a) < hashOf(b) ? -1 : 1))[0]
  const trx = await db.transaction()
  await lockMatching(trx, await tenantIdOf(db, tenant.tenantKey), [hashOf(first ?? '')])
  const { status, body } = await tenant.post<JobBody>(bulkPath, [...batch, person(first ?? '')], {
    prefer: 'respond-async',
  })
  if (status !== 202) throw new Error(JSON.stringify(body))
  return {
    async release() {
      await trx.commit()
      return ended(tenant, body.jobId)
    },
  }
}

test('one whom another request creates after the bulk was accepted is updated by it', async () => {
  const bulk = await heldBulk([person('1', { familyName: 'Bulk' }, ['a'])])
  const id = await addPerson(tenant, '1', { email: 'kept' })
  expect(await bulk.release()).toMatchObject({ status: 'Completed', counts: { created: 1, updated: 1 } })
  expect((await peopleOf(tenant)).filter(each => each === '1')).toHaveLength(1)
  expect(await readPerson(tenant, id)).toMatchObject({ familyName: 'Bulk', email: 'kept', places: ['a'] })
})

test('one who is given other matching values after the bulk was accepted is left alone; the item makes a new subject', async () => {
  const id = await addPerson(tenant, '1', { email: 'kept' })
  const bulk = await heldBulk([person('1', { familyName: 'Bulk' }, ['a'])])
  expect((await patch(tenant, id, texts({ nationalId: '2' }))).status).toBe(200)
  expect(await bulk.release()).toMatchObject({ status: 'Completed', counts: { created: 2 } })
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

test('a change that makes an item a fault after the bulk was accepted fails it with that fault, and nobody is written', async () => {
  const id = await addPerson(tenant, '1')
  // The item is all that there is for one who exists, and too little for somebody new.
  const bulk = await heldBulk([{ CustomFieldValues: texts({ nationalId: '1', email: 'x' }) }])
  expect((await patch(tenant, id, texts({ nationalId: '2' }))).status).toBe(200)
  const job = await bulk.release()
  expect(job).toMatchObject({
    status: 'Failed',
    progress: { done: 0, total: 2 },
    problem: {
      status: 400,
      errors: [1, 2].map(() => ({ code: 'required-custom-field', pointer: '/0/CustomFieldValues', index: 0 })),
    },
  })
  expect(await peopleOf(tenant)).toEqual(['2'])
  expect(await readPerson(tenant, id)).not.toHaveProperty('email')

  // When it is right again, the job goes on where it stopped.
  await patch(tenant, id, texts({ nationalId: '1' }))
  expect((await tenant.post(`/api/v1/jobs/${job.jobId}/retry`)).status).toBe(202)
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { created: 1, updated: 1 } })
  expect(await readPerson(tenant, id)).toMatchObject({ nationalId: '1', email: 'x' })
})
