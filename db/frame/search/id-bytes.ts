// Converts ids of subjects to and from the 16 bytes that the word index stores. Bytes instead of text keep that index small: each
// subject has about a dozen rows in it.
import { Hex } from '../../rows.js'

/** Converts an id for a statement with many rows (see `upsertRows`). */
export const idHex = (id: string): Hex => new Hex(id.replaceAll('-', ''))

/** Converts an id for use as a binding. */
export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

/** Returns the SQL that converts an id to bytes. @param column the column with the id as text. */
export const sqlBytes = (column: string): string => `UNHEX(REPLACE(${column}, '-', ''))`

/**
 * Returns the SQL that converts bytes back to an id. The result has the collation of the id columns in other tables, so that joins
 * with these use their indexes.
 */
export const sqlId = (column: string): string => {
  const dashed = [9, 14, 19, 24].reduce((text, at) => `INSERT(${text}, ${at}, 0, '-')`, `HEX(${column})`)
  return `CONVERT(LOWER(${dashed}) USING ascii) COLLATE ascii_bin`
}
