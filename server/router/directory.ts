// Which cell has a tenant: the directories of all cells, kept in memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import type { DirectoryEntry, Presence } from '../../db/cells/directory.js'
import type { Log } from '../../runtime/log.js'
import { processMetrics } from '../../runtime/metrics.js'
import { unavailable } from '../../runtime/problem.js'
import { repeat } from '../../runtime/repeat.js'

/** Pause between two readings of a cell's directory, in ms. */
const intervalMs = 1_000
/** Shortest time between two readings that requests ask for, in ms. Strangers with invented keys cause no more. */
const spacingMs = 100

/** A tenant by its key, or by one of its clients. */
export type TenantName = { tenantKey: string } | { clientId: string }

/** Where a tenant is. */
export interface Place {
  cell: string
  presence: Presence
}

export interface Directory {
  /**
   * The cell of a tenant, by what is remembered. A name that is not is looked for in all cells.
   * @returns undefined where no cell has it. @throws Problem 503 where a cell that may have it cannot be read.
   */
  find(name: TenantName): Promise<Place | undefined>
  /** The same by what the cells have now. */
  findAgain(name: TenantName): Promise<Place | undefined>
  /** Whether the directory of each cell can be read, by its name. */
  isCurrent(): ReadonlyMap<string, boolean>
  /** Whether one was read at all. */
  isUsable(): boolean
  stop(): Promise<void>
}

/** A cell's directory as it was last read. */
interface Listed {
  tenants: ReadonlyMap<string, Presence>
  clients: ReadonlyMap<string, Presence>
}

interface CellDirectory {
  name: string
  listed: Listed | undefined
  /** False before the first reading, and while the database is away. */
  isCurrent: boolean
  /** Resolves after a reading that begins after the call. Never rejects. */
  fresh(): Promise<void>
}

const directoriesRead = new Gauge({
  name: 'armature_router_directory_read',
  help: 'Whether the directory of a cell could be read last (1) or not (0)',
  labelNames: ['cell'],
  registers: [processMetrics],
})

/**
 * Keeps the directories of all cells, and reads each again every second. While the database of a cell is away, its tenants
 * are found by the last reading.
 * @param read by the name of the cell.
 * @returns after the first reading of all of them, done or failed.
 */
export async function keepDirectory(
  read: ReadonlyMap<string, () => Promise<DirectoryEntry[]>>,
  log: Log,
): Promise<Directory> {
  const cells = [...read].map(([name, readCell]) => cellDirectory(name, readCell, log))
  const ends = cells.map(({ fresh }) =>
    repeat(async () => {
      await fresh()
      return intervalMs
    }),
  )
  // The same readings, which have just begun.
  await Promise.all(cells.map(({ fresh }) => fresh()))

  async function findAgain(name: TenantName): Promise<Place | undefined> {
    // Nobody waits for a database that is known to be away.
    await Promise.all(cells.flatMap(each => (each.isCurrent ? each.fresh() : [])))
    const place = placeIn(cells, name)
    const unread = cells.find(each => !each.isCurrent)
    if (place?.presence !== 'served' && unread) throw unavailable(`The database of the cell ${unread.name}`)
    return place
  }
  return {
    find: async name => placeIn(cells, name) ?? findAgain(name),
    findAgain,
    isCurrent: () => new Map(cells.map(({ name, isCurrent }) => [name, isCurrent])),
    isUsable: () => cells.some(({ listed }) => listed !== undefined),
    async stop() {
      await Promise.all(ends.map(end => end()))
    },
  }
}

/** In the cell that serves it, else in the one to which it comes, else in one that it has left. */
const order: readonly Presence[] = ['served', 'arriving', 'moved']

function placeIn(cells: readonly CellDirectory[], name: TenantName): Place | undefined {
  const places = cells.flatMap(({ name: cell, listed }) => {
    const presence = 'tenantKey' in name ? listed?.tenants.get(name.tenantKey) : listed?.clients.get(name.clientId)
    return presence ? [{ cell, presence }] : []
  })
  return order.flatMap(presence => places.filter(place => place.presence === presence))[0]
}

function cellDirectory(name: string, read: () => Promise<DirectoryEntry[]>, log: Log): CellDirectory {
  let underWay = Promise.resolve()
  let next: Promise<void> | undefined
  let earliest = 0
  let isFailing = false
  const cell: CellDirectory = {
    name,
    listed: undefined,
    isCurrent: false,
    fresh() {
      next ??= after(underWay)
      return next
    },
  }

  async function after(last: Promise<void>): Promise<void> {
    await last
    await sleep(Math.max(0, earliest - performance.now()))
    // A caller from now on needs another reading: its tenant may be newer than this one.
    next = undefined
    earliest = performance.now() + spacingMs
    underWay = readOnce()
    await underWay
  }

  async function readOnce(): Promise<void> {
    try {
      cell.listed = listedIn(await read())
      if (!cell.isCurrent)
        log.info({ cell: name, tenants: cell.listed.tenants.size }, 'the directory of a cell is read')
      cell.isCurrent = true
      isFailing = false
    } catch (err) {
      if (!isFailing) log.error({ err, cell: name }, 'the directory of a cell cannot be read')
      cell.isCurrent = false
      isFailing = true
    }
    directoriesRead.set({ cell: name }, cell.isCurrent ? 1 : 0)
  }
  return cell
}

function listedIn(entries: readonly DirectoryEntry[]): Listed {
  const [tenants, clients] = [new Map<string, Presence>(), new Map<string, Presence>()]
  for (const { tenantKey, clientId, presence } of entries) {
    tenants.set(tenantKey, presence)
    if (clientId !== null) clients.set(clientId, presence)
  }
  return { tenants, clients }
}
