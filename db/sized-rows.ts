// Reads rows that have large documents, as many as a page has room for.
import type { Knex } from 'knex'
import { pageBudget, smallPage } from '../runtime/load/page-budget.js'
import type { Db } from './connect.js'

/** A row with the size of its documents. */
export interface Sized {
  bytes: number
}

/** The documents of a list's rows, which are read only if there is room for them. */
export interface Documents {
  db: Db
  table: string
  /** The columns that tell the table's rows apart. The queries of the list select them too, and `bytes`. */
  key: readonly string[]
  /** The columns of the documents. */
  columns: readonly string[]
}

/**
 * Adds the documents to the rows of a query that selects their keys and sizes. Large documents lie outside of the rows, so the
 * server does not touch those that it does not send.
 * @param maxBytes without documents if those of all rows together are larger.
 */
export function withDocuments(
  rows: Knex.QueryBuilder,
  { db, table, key, columns }: Documents,
  maxBytes: number,
): Knex.QueryBuilder {
  const page = db.from(rows.as('listed')).select('listed.*', db.raw('SUM(bytes) OVER () AS page_bytes')).as('page')
  return db
    .from(page)
    .leftJoin(`${table} as d`, on => {
      for (const column of key) on.on(`d.${column}`, `page.${column}`)
      if (Number.isFinite(maxBytes)) on.on('page.page_bytes', '<=', db.raw('?', [maxBytes]))
    })
    .select('page.*', ...columns.map(column => `d.${column}`))
}

/**
 * Reads the first rows of a page that its budget has room for, and at least one. A page of everyday size takes one statement.
 * @param read reads so many rows in the order of the page, without documents if these are larger than `maxBytes` together.
 */
export async function readWithin<Row extends Sized>(
  limit: number,
  read: (limit: number, maxBytes: number) => Promise<Row[]>,
): Promise<{ rows: Row[]; isCut: boolean }> {
  const rows = await read(limit, smallPage)
  if (totalBytes(rows) <= smallPage) return { rows, isCut: false }
  const fitting = fittingRows(rows, pageBudget())
  return { rows: await read(fitting, Number.POSITIVE_INFINITY), isCut: fitting < rows.length }
}

/** Returns the size of the documents of some rows together. */
export const totalBytes = (rows: readonly Sized[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0)

/** Returns how many of the first rows have at most so many bytes together, but at least 1. */
export function fittingRows(rows: readonly Sized[], maxBytes: number): number {
  let sum = 0
  const end = rows.findIndex(({ bytes }) => {
    sum += bytes
    return sum > maxBytes
  })
  return end < 0 ? rows.length : Math.max(end, 1)
}
