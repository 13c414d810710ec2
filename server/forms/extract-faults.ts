import type { TenantId } from '../../db/connect.js'
import { definitionFaults } from '../../db/forms/extract-faults.js'
import type { ExtractStores } from '../../db/forms/extract-results.js'
import { utc } from '../../db/frame/custom-fields.js'
import type { Fault } from '../../runtime/problem.js'
import type { Sound } from '../../runtime/sound.js'
import { maxFaults } from '../schema/faults.js'
import type { ExtractBody } from './extract-request.js'

/** What the schema cannot say of a multi extract; of one that it refuses, what is wrong with the rest. */
export async function extractFaults(
  stores: ExtractStores,
  tenant: TenantId,
  { from, to, definitions = [] }: Sound<ExtractBody>,
): Promise<Fault[]> {
  const faults: Fault[] = []
  if (from !== undefined && to !== undefined && isAfter(from, to))
    faults.push({ pointer: '/from', code: 'from-after-to', detail: `from (${from}) is after to (${to}).` })
  const before = new Map<string, number>()
  for (const [n, given] of definitions.entries()) {
    if (!given) continue
    const pointer = `/definitions/${n}`
    const { identifier } = given
    const first = identifier === undefined ? undefined : before.get(identifier)
    if (first !== undefined) {
      const detail = `'${identifier}' is the identifier of /definitions/${first} too.`
      faults.push({ pointer: `${pointer}/identifier`, code: 'duplicate-identifier', detail })
    } else if (identifier !== undefined) before.set(identifier, n)
    faults.push(...(await definitionFaults(stores, tenant, given, pointer)))
    if (faults.length >= maxFaults) break
  }
  return faults
}

/** Tells apart what is finer than milliseconds too. */
function isAfter(one: string, other: string): boolean {
  const finer = (text: string) => (/\.\d{3}(\d+)/.exec(text)?.[1] ?? '').padEnd(6, '0')
  const [from, to] = [Date.parse(utc(one)), Date.parse(utc(other))]
  return from > to || (from === to && finer(one) > finer(other))
}
