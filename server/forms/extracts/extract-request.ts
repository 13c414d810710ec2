// Translates the body of an extract into a query on published forms.
import type { TenantId } from '../../../db/connect.js'
import { notPublished } from '../../../db/forms/extracts/definition-faults.js'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import { definitionOf, type ExtractRequest } from '../../../db/forms/extracts/extracts.js'
import { utc } from '../../../db/frame/fields/custom-fields.js'
import { type Fault, invalid, notFound, type Problem } from '../../../runtime/problems/problem.js'
import type { ExtractBody } from './extract-body.js'
import { extractFaults } from './request-faults.js'

/**
 * Resolves the body of an extract against the tenant's published forms.
 * @throws Problem 400 with every fault; 404 if all faults are forms or building blocks that are not published.
 */
export async function extractRequest(
  stores: ExtractStores,
  tenant: TenantId,
  body: ExtractBody,
): Promise<ExtractRequest> {
  const faults = await extractFaults(stores, tenant, body)
  if (faults.length > 0) throw refusal(faults)
  const { from, to, maxResults, maxResultsPerDefinitionPerSubject, definitions } = body
  return {
    from: momentOf(from),
    to: momentOf(to),
    maxResults,
    maxResultsPerDefinitionPerSubject,
    definitions: definitions.map(definitionOf),
  }
}

function refusal(faults: Fault[]): Problem {
  if (faults.some(({ code }) => code !== notPublished)) return invalid(faults)
  const [first] = faults
  const more = faults.length > 1 ? ` ${faults.length - 1} more are missing.` : ''
  return notFound(`${first?.detail}${more}`, faults)
}

/** The range of times that the database can compare. No submission lies outside it. */
const [firstTime, lastTime] = [0, Date.parse('9999-12-31T23:59:59.999Z')]

/**
 * Rounds a time up to the next full millisecond, the precision of submission times, and limits it to what the database can
 * compare.
 */
export function momentOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const finer = /\.\d{3}\d*[1-9]/.test(text) ? 1 : 0
  return new Date(Math.min(Math.max(Date.parse(utc(text)) + finer, firstTime), lastTime)).toISOString()
}
