// Validates the body of a multi extract beyond its schema.
import type { TenantId } from '../../../db/connect.js'
import { definitionFaults } from '../../../db/forms/extracts/definition-faults.js'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import { utc } from '../../../db/frame/fields/custom-fields.js'
import type { Fault } from '../../../runtime/problems/problem.js'
import type { WithoutFaults } from '../../../runtime/schema/without-faults.js'
import type { ExtractBody } from './extract-body.js'

/**
 * Finds the faults of a body that its schema cannot find. If the schema refuses parts of the body, the rest is still
 * checked.
 */
export async function extractFaults(
  stores: ExtractStores,
  tenant: TenantId,
  { from, to, definitions = [] }: WithoutFaults<ExtractBody>,
): Promise<Fault[]> {
  const faults: Fault[] = []
  if (from !== undefined && to !== undefined && isAfter(from, to))
    faults.push({ pointer: '/from', code: 'from-after-to', detail: `from (${from}) is after to (${to}).` })
  return [
    ...faults,
    ...identifierFaults(definitions),
    ...(await definitionFaults(stores, tenant, definitions, '/definitions')),
  ]
}

function identifierFaults(definitions: NonNullable<WithoutFaults<ExtractBody>['definitions']>): Fault[] {
  const before = new Map<string, number>()
  return definitions.flatMap((given, n): Fault[] => {
    const { identifier } = given ?? {}
    if (identifier === undefined) return []
    const first = before.get(identifier)
    if (first === undefined) {
      before.set(identifier, n)
      return []
    }
    const detail = `'${identifier}' is the identifier of /definitions/${first} too.`
    return [{ pointer: `/definitions/${n}/identifier`, code: 'duplicate-identifier', detail }]
  })
}

/** Compares two times, including digits finer than milliseconds, which Date drops. */
function isAfter(one: string, other: string): boolean {
  const finer = (text: string) => (/\.\d{3}(\d+)/.exec(text)?.[1] ?? '').padEnd(6, '0')
  const [from, to] = [Date.parse(utc(one)), Date.parse(utc(other))]
  return from > to || (from === to && finer(one) > finer(other))
}
