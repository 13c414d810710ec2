// Validates the scheduled exports of a manifest beyond the schema.
import type { TenantManifest } from '../../../db/admin/manifest.js'
import type { TenantId } from '../../../db/connect.js'
import { definitionFaults, notPublished } from '../../../db/forms/extracts/definition-faults.js'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import type { FormExport } from '../../../db/forms/settings.js'
import { exportSettings } from '../../../db/storage/export-targets.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import type { Config } from '../../../runtime/settings/config.js'
import { duplicateFileNames, onDisk } from '../../schema/duplicate-keys.js'
import { oneOf } from './glue-faults.js'

const all = '/forms/exports'

/**
 * Returns all faults of a tenant's exports that the schema cannot find. A form that is not published yet is not a
 * fault, because forms are written separately and may follow later.
 * @param tenant undefined if it does not exist yet.
 */
export async function exportFaults(
  stores: ExtractStores,
  tenant: TenantId | undefined,
  exports: readonly FormExport[] = [],
): Promise<Fault[]> {
  const keys = exports.map(({ key }) => key)
  const named = await namedFaults(stores, tenant, exports)
  return [
    ...duplicateFileNames(keys, n => `${all}/${n}/key`, 'export'),
    ...exports.flatMap((entry, n) => [...timeFaults(entry, `${all}/${n}`), ...fileFaults(entry, `${all}/${n}`)]),
    ...named.filter(({ code }) => code !== notPublished),
  ]
}

/** Warns about destinations that this installation does not have, and about forms that are not published. */
export async function exportWarnings(
  stores: ExtractStores,
  destinations: Config['exports'],
  { key, forms: { exports } }: Pick<TenantManifest, 'key' | 'forms'>,
): Promise<Fault[]> {
  if (!exports) return []
  const tenant = await stores.db('tenants').where({ tenant_key: key }).first('id')
  const named = await namedFaults(stores, tenant?.id, exports)
  const unpublished = named.filter(({ code }) => code === notPublished)
  return [
    ...destinationWarnings(exports, destinations),
    ...unpublished.map(fault => ({ ...fault, detail: `${fault.detail} The export fails until it is published.` })),
  ]
}

const destinationWarnings = (exports: readonly FormExport[], destinations: Config['exports']): Fault[] =>
  exports.flatMap(({ destination }, n) => {
    if (destinations[destination]) return []
    const detail = `The API has no ${exportSettings[destination]}. Set it for the API and the workers: without it the export fails.`
    return [{ pointer: `${all}/${n}/destination`, code: 'no-destination', detail }]
  })

function timeFaults({ every, dailyAt, timeZone }: FormExport, at: string): Fault[] {
  const faults = oneOf({ every, dailyAt }, at)
  if (timeZone === undefined) return faults
  const pointer = `${at}/timeZone`
  if (dailyAt === undefined)
    faults.push({ pointer, code: 'unknown-member', detail: 'A time zone is allowed only together with dailyAt.' })
  if (!isTimeZone(timeZone)) {
    const detail = `'${timeZone}' is not the name of a time zone, such as Europe/Vienna. Upper and lower case matter.`
    faults.push({ pointer, code: 'unknown-time-zone', detail })
  }
  return faults
}

const zones = new Map(['UTC', ...Intl.supportedValuesOf('timeZone')].map(name => [name.toLowerCase(), name]))

/**
 * Tells whether Temporal accepts the name. Unlike Node, Temporal distinguishes upper from lower case and takes no
 * offsets.
 */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    return false
  }
  // Aliases of zones are not in the list, so their letter case cannot be checked.
  return (zones.get(name.toLowerCase()) ?? name) === name
}

/** Files that every export contains besides those of the definitions. */
const reservedNames = ['removed']

function fileFaults({ definitions }: FormExport, at: string): Fault[] {
  const identifiers = definitions.map(({ identifier }) => identifier)
  const pointerOf = (n: number) => `${at}/definitions/${n}/identifier`
  return [
    ...duplicateFileNames(identifiers, pointerOf, 'identifier'),
    ...identifiers.flatMap((identifier, n) => {
      const detail = `'${identifier}' is the name of another file of the export.`
      return reservedNames.includes(onDisk(identifier)) ? [fault(pointerOf(n), 'reserved', detail)] : []
    }),
  ]
}

/** Returns the faults of the exports' definitions. */
async function namedFaults(
  stores: ExtractStores,
  tenant: TenantId | undefined,
  exports: readonly FormExport[],
): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [n, { definitions }] of exports.entries()) {
    // A tenant that does not exist yet has no published forms, just as number 0, which no tenant has.
    faults.push(...(await definitionFaults(stores, tenant ?? 0, definitions, `${all}/${n}/definitions`)))
  }
  return faults
}
