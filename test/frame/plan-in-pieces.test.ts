// The plan of a large batch gives way to other requests.
import { expect, inject, test } from 'vitest'
import { type EntityInput, type EntityRules, planEntities } from '../../db/frame/hierarchy/structural-entity-plan.js'
import { newTenant } from '../support/api.js'
import { aType, openDatabase } from '../support/factories.js'
import { paths, put } from '../support/frame.js'

const db = openDatabase()
const rules: EntityRules = { allows: () => true, maxDepth: 100 }
const tenant = await newTenant(inject('baseUrl'))
await put(tenant, paths.types, aType('unit'))
const tenantId = (await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')).id

test.each([
  ['a sound batch', 'unit', undefined],
  ['a batch at fault in each item', 'nowhere', 404],
])('planning %s is spread over several passes of the event loop', async (_, type, status) => {
  let reads = 0
  let maxReads = 0
  const items = Array.from(
    { length: 20_000 },
    (_, n): EntityInput => ({
      get Key() {
        reads++
        return `ward-${n}`
      },
      DisplayName: 'Ward',
      get ParentKey() {
        reads++
        return n === 0 ? null : `ward-${n >> 1}`
      },
      get StructureTypeKey() {
        reads++
        return type
      },
    }),
  )
  let isOver = false
  const pass = () => {
    maxReads = Math.max(maxReads, reads)
    reads = 0
    if (!isOver) setImmediate(pass)
  }
  setImmediate(pass)
  try {
    const plan = planEntities(db, tenantId, items, rules)
    if (status) await expect(plan).rejects.toMatchObject({ status })
    else await expect(plan).resolves.toHaveLength(items.length)
  } finally {
    isOver = true
  }
  expect(maxReads).toBeGreaterThan(0)
  expect(maxReads).toBeLessThan(items.length)
})
