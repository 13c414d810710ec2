// Connections to the databases of other cells, for moves.
import type { Knex } from 'knex'
import type { Cell } from '../../runtime/config.js'
import type { Log } from '../../runtime/log.js'
import { connect } from '../connect.js'
import { MoveRefused } from './tenant-tables.js'

/** Another cell, with its database. */
export interface OpenCell {
  address: string
  db: Knex
}

/** The other cells of a process. */
export interface Cells {
  /** Name of this one. */
  own: string
  /** @throws MoveRefused where the settings do not have the cell, or not its database. */
  of(name: string): OpenCell
  close(): Promise<void>
}

/** Opens the database of a cell when it is first asked for. Statements give way to locks of others after a second. */
export function createCells({ own, others }: { own: string; others: ReadonlyMap<string, Cell> }, log: Log): Cells {
  const open = new Map<string, Knex>()
  return {
    own,
    of(name) {
      const { address, databaseUrl } = others.get(name) ?? {}
      if (address === undefined) throw new MoveRefused(`CELL_URLS of this worker has no cell '${name}'.`)
      if (databaseUrl === undefined) throw new MoveRefused(`CELL_DATABASE_URLS of this worker has no cell '${name}'.`)
      const db = open.get(name) ?? connect(databaseUrl, { poolSize: 8, lockWaitSeconds: 1, log })
      open.set(name, db)
      return { address, db }
    },
    async close() {
      await Promise.all([...open.values()].map(db => db.destroy()))
    },
  }
}
