// Transfers of subjects, and clients that write beside them.

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

/** Asks for a transfer and insists that it is accepted. */
export const startTransfer = (tenant: Api, source: string, destination: string, mode: Mode): Promise<JobBody> =>
  insist(tenant.post<JobBody>(transferPath(destination), { SourceStructuralEntityKey: source, TransferMode: mode }))

/** A transfer from its request to its end. */
export const transfer = async (tenant: Api, ...given: [source: string, destination: string, mode: Mode]) =>
  ended(tenant, (await startTransfer(tenant, ...given)).jobId)

/** Asks for the undo of a job and insists that it is accepted. */
export const startUndo = (tenant: Api, jobId: string): Promise<JobBody> =>
  insist(tenant.post<JobBody>(`/api/v1/jobs/${jobId}/undo`))

/** An undo from its request to its end. */
export const undo = async (tenant: Api, jobId: string) => ended(tenant, (await startUndo(tenant, jobId)).jobId)

/** Assigns a subject to entities the way a client does. */
export const assignByHand = (tenant: Api, subjectId: string, ...keys: string[]): Promise<Reply> =>
  byHand(tenant.put(`/api/v1/subject/${subjectId}/structuralEntities`, { keys }))

/** Takes a subject from an entity the way a client does. */
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
