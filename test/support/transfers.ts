// Transfers subjects, and runs clients that write at the same time.
import type { Knex } from 'knex'
import { expect } from 'vitest'
import type { Api, Reply, Tenant } from './api.js'
import { addPerson } from './factories.js'
import { ended, type JobBody } from './faults.js'
import { seedSubjects, subjectId, subjectIds } from './locations.js'
import { randomOf } from './random.js'
import { readPerson } from './subjects.js'

export type Mode = 'Copy' | 'Move'

export const transferPath = (destination: string): string =>
  `/api/v1/structuralEntity/${encodeURIComponent(destination)}/subjects/transfer`

/** Starts a transfer, which must be accepted. */
export const startTransfer = (tenant: Api, source: string, destination: string, mode: Mode): Promise<JobBody> =>
  insist(tenant.post<JobBody>(transferPath(destination), { SourceStructuralEntityKey: source, TransferMode: mode }))

/** Starts a transfer, and waits for its end. */
export const transfer = async (tenant: Api, ...given: [source: string, destination: string, mode: Mode]) =>
  ended(tenant, (await startTransfer(tenant, ...given)).jobId)

/** Starts the undo of a job, which must be accepted. */
export const startUndo = (tenant: Api, jobId: string): Promise<JobBody> =>
  insist(tenant.post<JobBody>(`/api/v1/jobs/${jobId}/undo`))

/** Starts the undo of a job, and waits for its end. */
export const undo = async (tenant: Api, jobId: string) => ended(tenant, (await startUndo(tenant, jobId)).jobId)

/** Assigns a subject to entities through the API, which must succeed. */
export const assignByHand = (tenant: Api, subjectId: string, ...keys: string[]): Promise<Reply> =>
  byHand(tenant.put(`/api/v1/subject/${subjectId}/structuralEntities`, { keys }))

/** Removes a subject from an entity through the API, which must succeed. */
export const removeByHand = (tenant: Api, subjectId: string, key: string): Promise<Reply> =>
  byHand(tenant.delete(`/api/v1/subject/${subjectId}/structuralEntities?${new URLSearchParams({ keys: key })}`))

async function byHand(request: Promise<Reply>): Promise<Reply> {
  const answer = await request
  if (answer.status !== 204) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer
}

async function insist(request: Promise<Reply<JobBody>>): Promise<JobBody> {
  const { status, body } = await request
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/**
 * Runs clients that upsert, assign and remove subjects while `act` moves the subjects of two wards back and forth. Asserts that no call is
 * refused, and that each person is at exactly one of the two wards at the end.
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
    // Neither an upsert nor a Move leaves a person at both wards or at none.
    ...Array.from({ length: 3 }, () =>
      repeated(() => addPerson(tenant, people[random.between(0, 24)] ?? '', {}, [wards[random.between(0, 2)] ?? ''])),
    ),
    // A subject is assigned to a ward before it is removed from south, so it is always somewhere.
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
