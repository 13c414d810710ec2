// Finds the sealed columns of a database, and what their values are sealed for.
import type { Knex } from 'knex'
import { type Seal, type SealedFor, sealPurposes } from '../../runtime/secrets/seal.js'
import { columnsOfTenants } from './schema.js'

export interface Column {
  table: string
  column: string
}

/** Columns of the schema by their names. */
export const columnsLike = async (db: Knex, pattern: string): Promise<Column[]> =>
  columnsOfTenants(db)
    .where('c.column_name', 'like', pattern)
    .orderBy(['c.table_name', 'c.column_name'])
    .select({ table: 'c.table_name', column: 'c.column_name' })

/** Columns of texts that hold a sealed value, whatever their names. */
export async function columnsWithSealed(db: Knex): Promise<Column[]> {
  const texts: Column[] = await columnsOfTenants(db)
    .whereIn('c.data_type', ['char', 'varchar', 'text', 'mediumtext', 'longtext', 'json'])
    .orderBy(['c.table_name', 'c.column_name'])
    .select({ table: 'c.table_name', column: 'c.column_name' })
  const found: Column[] = []
  for (const { table, column } of texts) {
    if (await db(table).where(column, 'like', '%sealed.%.%').first(db.raw('1'))) found.push({ table, column })
  }
  return found
}

export type Row = Record<string, unknown>

/**
 * Tries every purpose, the tenant of the row and none, and each of the row's other cells as the name.
 * @returns for what the value of a column opens.
 */
export function opensFor(seal: Seal, tenantKey: string, row: Row, column: string): SealedFor[] {
  const names = Object.entries(row).flatMap(([name, cell]) => (name === column || !cell ? [] : [String(cell)]))
  const tries = sealPurposes.flatMap(purpose =>
    [...new Set(['', tenantKey])].flatMap(key => names.map((name): SealedFor => ({ purpose, tenantKey: key, name }))),
  )
  return tries.filter(what => opens(seal, what, String(row[column])))
}

export function opens(seal: Seal, what: SealedFor, sealed: string): boolean {
  try {
    seal.open(what, sealed)
    return true
  } catch {
    return false
  }
}
