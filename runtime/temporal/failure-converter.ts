// Temporal's failure converter, with encoded messages and stack traces.
import { DefaultFailureConverter } from '@temporalio/common'

/**
 * Messages and stack traces of failures as payloads, which the codec seals; in the open there would be only 'Encoded failure'.
 * Named by its path to the workers and to the bundle of the workflows, where the conversion takes place.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
