// Streams the results of a completed extract as JSON or NDJSON.
import type { TenantId } from '../../../db/connect.js'
import { type ExtractReader, ndjsonOf, resultsOf } from '../../../db/forms/extracts/extract-results.js'
import type { Extract } from '../../../db/forms/extracts/extracts.js'
import { inBlocks } from '../../../runtime/in-blocks.js'
import type { Answer } from '../../endpoint.js'

const ndjson = 'application/x-ndjson'

/** As what an extract is answered. */
export const extractTypes = ['application/json', ndjson]

/**
 * The results of an extract that is completed, read as they are sent. `Extract-Instant` is its instant, from which the next
 * one can go on.
 * @param type one of {@link extractTypes}; JSON where the caller takes neither.
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
    compressible: inBlocks(texts),
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
