// Streams the results of a completed extract as JSON or NDJSON.
import type { TenantId } from '../../../db/connect.js'
import { type ExtractReader, ndjsonOf, resultsOf } from '../../../db/forms/extracts/extract-results.js'
import type { Extract } from '../../../db/forms/extracts/extracts.js'
import { bufferLines } from '../../../runtime/rows/buffered-lines.js'
import type { Answer } from '../../endpoint.js'

const ndjson = 'application/x-ndjson'

/** The media types in which an extract can be returned. */
export const extractTypes = ['application/json', ndjson]

/**
 * Answers with the results of a completed extract, which are read while they are sent. `Extract-Instant` is the moment that the
 * results show; the next extract can use it as its `from`.
 * @param type one of {@link extractTypes}. If the caller accepts neither, it is undefined and the answer is JSON.
 */
export function extractAnswer(
  stores: ExtractReader,
  tenant: TenantId,
  extract: Extract,
  type: string | undefined,
): Answer {
  const texts = type === ndjson ? ndjsonOf(stores, tenant, extract) : jsonOf(stores, tenant, extract)
  return {
    status: 200,
    compressible: bufferLines(texts),
    headers: {
      'Content-Type': type === ndjson ? ndjson : 'application/json; charset=utf-8',
      'Extract-Instant': extract.instant.toISOString(),
      Vary: 'Accept',
    },
  }
}

async function* jsonOf(stores: ExtractReader, tenant: TenantId, extract: Extract): AsyncGenerator<string> {
  yield '{"results":['
  for (const [n, { identifier, type }] of extract.request.definitions.entries()) {
    yield `${n > 0 ? ',' : ''}${JSON.stringify({ identifier, type }).slice(0, -1)},"results":[`
    let comma = ''
    for await (const result of resultsOf(stores, tenant, extract, n)) {
      yield comma + result
      comma = ','
    }
    yield ']}'
  }
  yield ']}'
}
