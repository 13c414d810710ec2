// Ids that the platform issues (UUIDv7).
import { v7 } from 'uuid'

/** A new server-issued id: UUIDv7 text, so that ids sort by the time they were made. */
export const newId = (): string => v7()

/** True for a text that has the form of an id. Others name nothing, and the database does not compare letters that no id has. */
export const isId = (text: string): boolean => /^[\da-f-]{36}$/.test(text)

/** When such an id was made: its first 48 bits are the milliseconds (RFC 9562, 5.7). */
export const idTime = (id: string): Date => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16))
