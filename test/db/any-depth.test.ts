// Hierarchies that are deeper than servers allow a statement to recurse by default.
import { beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { ancestors, belowEntity } from '../../db/frame/hierarchy/hierarchy-state.js'
import { userStore } from '../../db/frame/users/users.js'
import { insertRows } from '../../db/rows.js'
import { addPerson, openDatabase, subjectTenant } from '../support/factories.js'

const db = openDatabase()
const levels = 1_100
let tenantId: number
let subject: string

beforeAll(async () => {
  const tenant = await subjectTenant()
  tenantId = await tenantIdOf(db, tenant.tenantKey)
  subject = await addPerson(tenant, 'below')
  const columns = ['tenant_id', 'entity_key', 'display_name', 'parent_key', 'depth', 'type_key', 'updated_at']
  const chain = Array.from({ length: levels }, (_, n) => {
    const parent = n === 0 ? null : `level-${n}`
    return [tenantId, `level-${n + 1}`, 'Level', parent, n + 1, 'level', new Date()]
  })
  await insertRows(db, 'structural_entities', columns, chain)
  await db('subject_locations').insert({ tenant_id: tenantId, entity_key: `level-${levels}`, subject_id: subject })
  await db('users').insert({ tenant_id: tenantId, user_id: 'chief', display_name: 'Chief', active: 1 })
  await db('user_groups').insert({ tenant_id: tenantId, user_id: 'chief', group_key: 'top' })
  await db('structure_group_entities').insert({ tenant_id: tenantId, group_key: 'top', entity_key: 'level-1' })
})

test('all entities above one are read', async () => {
  expect(await ancestors(db, tenantId, [`level-${levels}`])).toHaveLength(levels)
})

test('all entities below one are read', async () => {
  const query = db('structural_entities').where({ tenant_id: tenantId })
  belowEntity(query, tenantId, 'level-1')
  expect(await query.pluck('entity_key')).toHaveLength(levels - 1)
})

test('a user of the highest entity has access to a subject of the lowest', async () => {
  const users = userStore(db, tenantId).list({ withAccessToSubjectId: subject, includeDescendants: true })
  expect(await users).toMatchObject([{ id: 'chief' }])
})
