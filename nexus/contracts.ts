// Defines the contract between the gateway's workflow and its activities.
import type { Job } from '../client/index.js'
import type { Inputs } from './service.js'

/** A requested operation. */
export interface Asked<Name extends keyof Inputs = keyof Inputs> {
  operation: Name
  input: Inputs[Name]
  /** Idempotency-Key of the call, so that it can be repeated. */
  idempotencyKey: string
}

/** The activities of the gateway. Each calls the API. */
export interface Calls {
  /** Starts the job of an operation. If an earlier attempt started it already, returns that job. */
  begin(asked: Asked): Promise<Pick<Job, 'jobId'>>
  /** Waits some minutes for a job to end. @returns the completed job; undefined if it is still running. */
  awaitEnd(job: Pick<Job, 'jobId'>): Promise<Job | undefined>
  /** Cancels a job and waits until it has stopped. */
  cancel(job: Pick<Job, 'jobId'>): Promise<void>
}

export const armatureOperation = 'armatureOperation'
