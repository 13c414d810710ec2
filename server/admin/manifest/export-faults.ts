// Validation of the scheduled exports in a manifest, beyond the schema.
import type { TenantManifest } from '../../../db/admin/manifest.js'
import type { TenantId } from '../../../db/connect.js'
import { definitionFaults, notPublished } from '../../../db/forms/extracts/extract-faults.js'
import type { ExtractStores } from '../../../db/forms/extracts/extract-results.js'
import type { FormExport } from '../../../db/forms/templates/settings.js'
import { exportSettings } from '../../../db/storage/export-targets.js'
import type { Config } from '../../../runtime/config.js'
import { type Fault, fault } from '../../../runtime/problem.js'
import { duplicateFileNames, onDisk } from './duplicates.js'
import { oneOf } from './glue-faults.js'

const all = '/forms/exports'

/**
 * Every fault of a tenant's exports that their schema does not show. That a form is not published is none: forms are written by
 * themselves, and may come later.
 * @param tenant undefined where it is new.
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
    ...exports.flatMap((each, n) => [...timeFaults(each, `${all}/${n}`), ...fileFaults(each, `${all}/${n}`)]),
    ...named.filter(({ code }) => code !== notPublished),
  ]
}

/** Exports to a destination that this installation does not have, and what exports name and is not published. */
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
    ...unpublished.map(fault => ({ ...fault, detail: `${fault.detail} The export fails until there is.` })),
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
    faults.push({ pointer, code: 'unknown-member', detail: 'Only a time of day, dailyAt, has a time zone.' })
  if (!isTimeZone(timeZone)) {
    const detail = `'${timeZone}' is no name of a time zone, such as Europe/Vienna; letters are large and small as there.`
    faults.push({ pointer, code: 'unknown-time-zone', detail })
  }
  return faults
}

const zones = new Map(['UTC', ...Intl.supportedValuesOf('timeZone')].map(name => [name.toLowerCase(), name]))

/** Temporal tells large letters from small ones in these names; Node does not, and takes offsets besides. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
  } catch {
    return false
  }
  // Those that are another name of a zone are not among them.
  return (zones.get(name.toLowerCase()) ?? name) === name
}

/** Files of an export that are there besides those of the definitions. */
const taken = ['removed']

function fileFaults({ definitions }: FormExport, at: string): Fault[] {
  const identifiers = definitions.map(({ identifier }) => identifier)
  const pointerOf = (n: number) => `${at}/definitions/${n}/identifier`
  return [
    ...duplicateFileNames(identifiers, pointerOf, 'identifier'),
    ...identifiers.flatMap((identifier, n) => {
      const detail = `'${identifier}' is the name of another file of the export.`
      return taken.includes(onDisk(identifier)) ? [fault(pointerOf(n), 'reserved', detail)] : []
    }),
  ]
}

/** Faults of the definitions themselves. */
async function namedFaults(
  stores: ExtractStores,
  tenant: TenantId | undefined,
  exports: readonly FormExport[],
): Promise<Fault[]> {
  const faults: Fault[] = []
  for (const [n, { definitions }] of exports.entries()) {
    // No tenant has the number 0, and so none of its forms are published.
    faults.push(...(await definitionFaults(stores, tenant ?? 0, definitions, `${all}/${n}/definitions`)))
  }
  return faults
}
