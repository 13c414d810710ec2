// Ids of subjects in the word index: their 16 bytes, of which each subject has a dozen rows.
import { Hex } from '../../rows.js'

/** An id for a statement of many rows. */
export const idHex = (id: string): Hex => new Hex(id.replaceAll('-', ''))

/** An id as a binding. */
export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

/** SQL of the bytes of an id. @param column of the text. */
export const sqlBytes = (column: string): string => `UNHEX(REPLACE(${column}, '-', ''))`

/** SQL of the id of some bytes, as other tables have it: they are looked up by their indexes. */
export const sqlId = (column: string): string => {
  const dashed = [9, 14, 19, 24].reduce((text, at) => `INSERT(${text}, ${at}, 0, '-')`, `HEX(${column})`)
  return `CONVERT(LOWER(${dashed}) USING ascii) COLLATE ascii_bin`
}
