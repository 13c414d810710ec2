// Reads the archive of a tenant for `armature tenant import`, and writes it to the database of an installation.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import type { Knex } from 'knex'
import { type ArchiveSummary, summariseArchive } from '../../../db/admin/tenant-archive.js'
import { importArchive } from '../../../db/admin/tenant-import.js'
import { databaseCondition, missingSteps } from '../../../db/condition.js'
import { createStorages } from '../../../db/storage/storage.js'
import { version } from '../../../runtime/process/version.js'
import { textLines } from '../../../runtime/rows/text-lines.js'
import { createSeal } from '../../../runtime/secrets/seal.js'
import type { Config } from '../../../runtime/settings/config.js'
import { CommandFailed } from './command-failed.js'
import { progressBar } from './progress.js'
import type { Shell } from './shell.js'

/** Writes an archive as a suspended tenant. @param identity a file of `age-keygen`, with the identity for which the archive was encrypted. */
export async function importTenant(
  file: string,
  identity: string,
  { db, config, shell }: { db: Knex; config: Config; shell: Shell },
): Promise<void> {
  const began = performance.now()
  const decrypter = new Decrypter()
  for (const key of await identitiesIn(identity)) decrypter.addIdentity(key)
  const summary = await summariseArchive(linesOf(file, decrypter))
  await requireSameSchema(db, summary)
  const { encryptionKey, oldEncryptionKeys } = config
  const stores = { db, seal: createSeal(encryptionKey, oldEncryptionKeys), storages: createStorages(db, config) }
  const bar = progressBar(shell, '{bar} {percentage}%  {value}/{total} rows')
  bar?.start(summary.rows, 0)
  try {
    await importArchive(stores, summary, linesOf(file, decrypter), rows => bar?.update(rows))
  } finally {
    bar?.stop()
  }
  const { tenantKey } = summary.head
  const seconds = ((performance.now() - began) / 1_000).toFixed(1)
  shell.console.log(
    `The tenant '${tenantKey}' is imported, ${summary.rows} rows in ${seconds} s, and suspended. To let it go on: armature tenant resume ${tenantKey}`,
  )
}

async function identitiesIn(file: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailed([`${file} cannot be read: ${error.message}`])
  })
  const found = text.split('\n').filter(line => line.startsWith('AGE-SECRET-KEY-'))
  if (found.length === 0) throw new CommandFailed([`${file} has no identity of age. Make one: age-keygen -o ${file}`])
  return found
}

/** Decrypts and unpacks an archive, line by line. */
async function* linesOf(file: string, decrypter: Decrypter): AsyncGenerator<string> {
  const encrypted = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const unzipped = createGunzip()
  const decrypted = await decrypter.decrypt(encrypted).catch((error: Error) => {
    throw new CommandFailed([`${file} cannot be decrypted with this identity: ${error.message}.`])
  })
  const unpacking = pipeline(Readable.fromWeb(decrypted as never), unzipped)
  unpacking.catch(() => undefined)
  try {
    yield* textLines(unzipped)
    await unpacking
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    throw new CommandFailed([`${file} is cut off or was changed: ${why}. Copy it again.`])
  }
}

/** @throws CommandFailed unless the archive, this program and the database have the same schema. */
async function requireSameSchema(db: Knex, { head }: ArchiveSummary): Promise<void> {
  const { steps } = await databaseCondition(db)
  const isSame = head.steps.length === steps.length && head.steps.every((step, n) => step === steps[n])
  if (isSame && (await missingSteps(db)) === 0) return
  throw new CommandFailed([
    `The archive was made by version ${head.version}, whose schema is not that of this database and of version ${version}. Bring both installations to the same version, and export it again.`,
  ])
}
