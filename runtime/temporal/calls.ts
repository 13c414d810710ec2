// Calls Temporal, each call with a deadline.
import { type Client, isGrpcServiceError, ServiceError } from '@temporalio/client'
import type { NativeConnection } from '@temporalio/worker'
import { unavailable } from '../problems/problem.js'

export interface Temporal {
  connection: NativeConnection
  call: CallTemporal
}

/** How long Temporal may take to answer before it counts as away, in ms. */
export const temporalTimeoutMs = 5_000

/**
 * Calls Temporal. The client is reachable only this way, so that no call is without a deadline.
 * @param timeoutMs how long all calls of `work` may take together; {@link temporalTimeoutMs} by default.
 * @throws Problem 503 if Temporal does not answer in time or cannot be reached, with the SDK's error as its cause.
 *   Anything that Temporal has answered is thrown as the SDK does, such as WorkflowNotFoundError.
 */
export type CallTemporal = <T>(work: (client: Client) => Promise<T>, timeoutMs?: number) => Promise<T>

/** Creates the function that makes all calls of a client. */
export const callsOf =
  (client: Client): CallTemporal =>
  async (work, timeoutMs = temporalTimeoutMs) => {
    try {
      return await client.withDeadline(Date.now() + timeoutMs, () => work(client))
    } catch (error) {
      throw isAway(error) ? unavailable('The workflow service', error) : error
    }
  }

/** gRPC codes with which Temporal answers a call that it has understood: it refuses it, or does not know the object. */
const answers = new Set([3, 5, 6, 9, 11, 12])

function isAway(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : error
  if (isGrpcServiceError(cause)) return !answers.has(cause.code)
  // Errors of the SDK's own connection.
  return cause instanceof Error && ['TransportError', 'IllegalStateError'].includes(cause.name)
}

/** Tells whether an error means that Temporal does not know the requested object (gRPC code 5). */
export const isNotFound = (error: unknown): boolean => isGrpcServiceError(error) && error.code === 5
