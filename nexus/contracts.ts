// The contract between the gateway's workflow and its activities.
import type { Job } from '../client/index.js'
import type { Inputs } from './service.js'

/** One operation as it was asked for. */
export interface Asked<Name extends keyof Inputs = keyof Inputs> {
  operation: Name
  input: Inputs[Name]
  /** Makes the call the same when it is repeated. */
  idempotencyKey: string
}

/** Activities of the gateway, each a call of the API. */
export interface Calls {
  /** Begins the job of an operation, or finds the one that it has begun. */
  begin(asked: Asked): Promise<Pick<Job, 'jobId'>>
  /** Waits for some minutes. @returns the completed job; undefined while it goes on. */
  awaitEnd(job: Pick<Job, 'jobId'>): Promise<Job | undefined>
  /** Cancels a job and waits until it has stopped. */
  cancel(job: Pick<Job, 'jobId'>): Promise<void>
}

export const armatureOperation = 'armatureOperation'
