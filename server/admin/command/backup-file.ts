// The file of a backup: a first line that describes it, and a dump in SQL, compressed by gzip.
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import Type, { type Static } from 'typebox'
import { Check } from 'typebox/value'
import { textLines } from '../../../runtime/rows/text-lines.js'
import { CommandFailed } from './command-failed.js'

const Description = Type.Object({
  version: Type.String(),
  /** The steps of the schema that the database had. */
  steps: Type.Array(Type.String()),
  takenAt: Type.String(),
  server: Type.String(),
  /** Size of its tables, in bytes. */
  bytes: Type.Integer(),
})

/** What a backup says about itself. */
export type BackupDescription = Static<typeof Description>

const mark = '-- Armature backup '

/** Returns the first line of a backup, a comment in SQL. */
export const firstLine = (description: BackupDescription): string => `${mark}${JSON.stringify(description)}\n`

/** How a dump ends that is complete, of MySQL's program and of MariaDB's. */
const lastLine = /^-- Dump completed/

/**
 * Reads a backup from its beginning to its end.
 * @returns what it says about itself.
 * @throws CommandFailed if it is none, or only a part of one.
 */
export async function readBackup(file: string): Promise<BackupDescription> {
  let description: BackupDescription | undefined
  let last = ''
  try {
    const text = createReadStream(file).on('error', error => unzipped.destroy(error))
    const unzipped = createGunzip()
    for await (const line of textLines(text.pipe(unzipped))) {
      description ??= parsed(line, file)
      if (line !== '') last = line
    }
  } catch (error) {
    if (error instanceof CommandFailed) throw error
    throw new CommandFailed([`${file} cannot be read to its end: ${error instanceof Error ? error.message : error}.`])
  }
  if (description && lastLine.test(last)) return description
  throw new CommandFailed([`${file} is only a part of a backup: its end is missing. Take another one.`])
}

function parsed(line: string, file: string): BackupDescription {
  const json: unknown = line.startsWith(mark) ? JSON.parse(line.slice(mark.length)) : undefined
  if (Check(Description, json)) return json
  throw new CommandFailed([`${file} is no backup that \`armature backup\` has made.`])
}
