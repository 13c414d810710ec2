// Clients that write assignments while subjects are transferred.
import type { Knex } from 'knex'
import { expect } from 'vitest'
import type { Tenant } from './api.js'
import { addPerson } from './factories.js'
import { seedSubjects, subjectId, subjectIds } from './locations.js'
import { randomOf } from './random.js'
import { readPerson } from './subjects.js'
import { assignByHand, removeByHand } from './transfers.js'

/**
 * Clients upsert, assign and take away subjects while `act` moves those of two wards to and fro. None is refused, and each person of
 * theirs is at one of the two wards at the end.
 * @param tenant has the subject fields of the demo, and an entity `south`.
 * @returns the ids of their subjects.
 */
export async function whileClientsWrite(
  db: Knex,
  tenant: Tenant,
  wards: readonly [string, string],
  act: () => Promise<unknown>,
): Promise<string[]> {
  const random = randomOf(4)
  const people = Array.from({ length: 24 }, (_, n) => `person-${n}`)
  const ids = await Promise.all(people.map(name => addPerson(tenant, name, {}, [wards[0]])))
  const hands = { from: 900_000, count: 12 }
  await seedSubjects(db, tenant.tenantKey, hands)
  let over = false
  let writes = 0
  const repeated = async (write: () => Promise<unknown>) => {
    for (; !over; writes++) await write()
  }
  const writers = [
    // An upsert puts a person at one ward; a Move takes it from one to the other: it is always at one.
    ...Array.from({ length: 3 }, () =>
      repeated(() => addPerson(tenant, people[random.between(0, 24)] ?? '', {}, [wards[random.between(0, 2)] ?? ''])),
    ),
    // Always assigned to a ward before it is taken from south, and nowhere else taken away.
    repeated(async () => {
      const id = subjectId(hands.from + random.between(0, hands.count))
      await assignByHand(tenant, id, 'south', wards[0])
      await removeByHand(tenant, id, 'south')
    }),
  ]
  try {
    await act()
  } finally {
    over = true
    await Promise.all(writers)
  }
  expect(writes).toBeGreaterThan(20)
  for (const id of ids) expect(wards.map(ward => [ward])).toContainEqual((await readPerson(tenant, id)).places)
  return [...ids, ...subjectIds(hands)]
}
