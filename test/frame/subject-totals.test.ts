// Totals of subject lists.
import { afterAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { forgetChanges } from '../../db/feeds.js'
import { noteChanges } from '../../db/frame/fields/subject-changes.js'
import { newId } from '../../runtime/ids.js'
import { addPerson, openDatabase, storeSubject, subjectTenant } from '../support/factories.js'
import type { Page } from '../support/frame.js'
import { patch, subjectsPath, texts } from '../support/subjects.js'

describe('totals', () => {
  const db = openDatabase()
  afterAll(() => db.destroy())

  test('are counted again after a change, or while very many changes have no position', async () => {
    const tenant = await subjectTenant()
    const tenantId = await tenantIdOf(db, tenant.tenantKey)
    const total = async () => (await tenant.get<Page<unknown>>(subjectsPath)).body.PageInfo.TotalCount
    const note = (count: number) =>
      db.transaction(trx =>
        noteChanges(
          trx,
          tenantId,
          Array.from({ length: count }, () => ({ id: newId(), kind: 'updated' as const })),
        ),
      )
    const id = await addPerson(tenant, 'one')
    expect(await total()).toBe(1)
    // Nobody is told of it, so that it shows what was counted.
    await storeSubject(db, tenant.tenantKey)
    expect(await total()).toBe(1)
    await patch(tenant, id, texts({ email: 'one' }))
    expect(await total()).toBe(2)
    await note(5_000)
    expect(await total()).toBe(2)
    await storeSubject(db, tenant.tenantKey)
    expect(await total()).toBe(3)
    await forgetChanges(db)
    expect(await total()).toBe(3)
    await storeSubject(db, tenant.tenantKey)
    expect(await total()).toBe(3)
    await note(1)
    expect(await total()).toBe(4)
  })
})
