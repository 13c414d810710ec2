import { v7 } from 'uuid'

/** A new server-issued id: UUIDv7 text, so that ids sort by the time they were made. */
export const newId = (): string => v7()
