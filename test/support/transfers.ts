// Starts transfers and their undo.
import type { Api, Reply } from './api.js'
import { ended, type JobBody } from './faults.js'

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
