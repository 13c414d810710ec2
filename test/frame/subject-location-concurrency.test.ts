import { afterAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Api, Reply, Tenant } from '../support/api.js'
import { at, paths } from '../support/frame.js'
import { randomOf } from '../support/random.js'
import { openDatabase } from '../support/stored-subjects.js'
import { addPerson, bulkPath, person, plantWards, subjectsPath, subjectTenant } from '../support/subjects.js'

const seed = Number(process.env.SUBJECTS_SEED ?? 20_261_205)
const db = openDatabase()
afterAll(() => db.destroy())

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))

/** Assignments whose entity does not exist, or takes no subjects, or whose subject does not exist. */
async function orphans(tenant: Tenant) {
  const id = await tenantIdOf(db, tenant.tenantKey)
  const rows = await db('subject_locations as l')
    .leftJoin('structural_entities as e', join =>
      join.on('e.tenant_id', 'l.tenant_id').on('e.entity_key', 'l.entity_key'),
    )
    .leftJoin('structure_types as t', join => join.on('t.tenant_id', 'e.tenant_id').on('t.type_key', 'e.type_key'))
    .leftJoin('subjects as s', join => join.on('s.tenant_id', 'l.tenant_id').on('s.id', 'l.subject_id'))
    .where('l.tenant_id', id)
    .where(query => query.whereNull('e.entity_key').orWhereNull('s.id').orWhere('t.subject_assignable', 0))
    .select('l.entity_key', 'l.subject_id')
  return rows
}

test('entities that go and types that close while people are assigned leave no assignment without a place', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant)
  const ids = await Promise.all(times(4, n => addPerson(tenant, `p${n}`)))
  const random = randomOf(seed)
  const seen = new Set<string>()
  for (let round = 0; round < 12; round++) {
    const key = `w${round}`
    const type = `t${round}`
    await tenant.put(paths.types, { Key: type, Name: type, SubjectAssignable: true, CustomFields: [] })
    await tenant.put(paths.entities, { Key: key, DisplayName: key, StructureTypeKey: type })
    const assignments: ((client: Api) => Promise<Reply>)[] = [
      client => client.put(`/api/v1/subject/${ids[0]}/structuralEntities`, { keys: [key] }),
      client => client.post(subjectsPath, person('p1', {}, [key])),
      client => client.post(subjectsPath, person(`new ${round}`, {}, [key])),
      client => client.post(bulkPath, [person('p2', {}, [key]), person('p3', {}, [])]),
    ]
    const closing = () =>
      round % 2
        ? tenant.delete(at(paths.entities, key))
        : tenant.put(paths.types, { Key: type, Name: type, SubjectAssignable: false, CustomFields: [] })
    const all = random.shuffled([...assignments.slice(0, 1 + (round % 4)).map(each => () => each(tenant)), closing])
    const answers = await Promise.all(all.map(each => each().then(answer => ({ answer, closes: each === closing }))))
    for (const { answer, closes } of answers) {
      seen.add(`${closes ? 'closes' : 'assigns'} ${answer.status}`)
      expect(closes ? [200, 204, 409] : [200, 204, 400]).toContain(answer.status)
    }
    expect(await orphans(tenant)).toEqual([])
  }
  // Both sides won now and then; else nothing was tried.
  expect([...seen].filter(each => /assigns 20|closes 409/.test(each)).length).toBeGreaterThan(1)
})
