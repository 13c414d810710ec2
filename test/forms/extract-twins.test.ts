import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { listNextDefinition } from '../../db/forms/extract-lists.js'
import { acceptExtract, extractOf } from '../../db/forms/extracts.js'
import { createJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { notesTenant, whole } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

/** Of the activity that comes late: of one connection, so that it waits where that is held. */
const late = connect(inject('databaseUrl'), { poolSize: 1 })
let db: Knex
beforeAll(() => {
  db = openDatabase()
})
afterAll(() => Promise.all([late.destroy(), db.destroy()]))

test('an activity that was given up and goes on after its successor neither sets the job back nor changes its result', async () => {
  const { tenant: api, patient } = await notesTenant()
  const tenant = await tenantIdOf(db, api.tenantKey)
  const guid = await patient.created()
  expect(await patient.submit(guid, whole)).toMatchObject({ status: 200 })
  const id = newId()
  const definitions = ['a', 'b', 'c'].map(identifier => ({
    identifier,
    type: 'form' as const,
    key: 'small',
    version: 1,
  }))
  await db.transaction(async trx => {
    const named = { actor: 'test', workflowId: id, traceId: id }
    await createJob(trx, tenant, { id, kind: 'multiExtract', queue: 'background', total: 3, ...named })
    await acceptExtract(trx, tenant, id, { definitions }, undefined)
  })
  const next = (by: Knex) => listNextDefinition(by, tenant, id)

  // It has read what counts, and then gets nowhere.
  const door = new Promise<Knex.Transaction>(resolve => {
    late.on('query', ({ sql }) => {
      if (sql.includes('form_reports')) resolve(late.transaction())
    })
  })
  const lost = next(late)
  const held = await door
  expect([await next(db), await next(db)]).toEqual([1, 2].map(done => ({ done, total: 3 })))
  await held.rollback()
  expect(await lost).toEqual({ done: 2, total: 3 })
  expect(await next(db)).toEqual({ done: 3, total: 3 })
  expect(await next(db)).toEqual({ done: 3, total: 3 })
  expect(await extractOf(db, tenant, id)).toMatchObject({ taken: [1, 1, 1] })
})
