// Configures Temporal's failure converter to encode messages and stack traces.
import { DefaultFailureConverter } from '@temporalio/common'

/**
 * Puts messages and stack traces of failures into payloads, so that the codec encrypts them; only 'Encoded failure'
 * remains readable. Workers, and the workflow bundle in which the conversion happens, refer to this module by its path.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true })
