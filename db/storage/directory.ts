// Writes exports to a directory.
import { access, constants, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { newId } from '../../runtime/ids.js'
import { unavailable } from '../../runtime/problem.js'
import type { ExportTarget } from './export-target.js'

/** Readers of the files get the group of the process. */
const [fileMode, folderMode] = [0o640, 0o750]

/**
 * Keeps files below a directory. Each is written beside its place, under a hidden name, and moved there when the disk has it. The
 * directory itself is not made here: where it is missing, a disk that is not mounted would be taken for it.
 */
export function directoryTarget(directory: string): ExportTarget {
  const root = resolve(directory)
  return {
    name: `directory ${root}`,
    async write(folder, name, content) {
      const path = join(root, folder)
      const given = watched(content)
      try {
        await access(root, constants.W_OK)
        await make(root, path)
        await removeParts(path, name)
        await writeWhole(path, name, given)
      } catch (error) {
        // An error of the content stays that error.
        throw error === given.failure() ? error : unavailable('The directory for exports', error)
      }
    },
  }
}

async function writeWhole(path: string, name: string, content: AsyncIterable<Buffer>): Promise<void> {
  const part = join(path, partOf(name) + newId())
  const file = await open(part, 'wx', fileMode)
  try {
    // `flush`: when it ends, the disk has the bytes.
    await pipeline(content, file.createWriteStream({ flush: true }))
    await rename(part, join(path, name))
    await sync(path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Beginning of the names under which a file is written. */
const partOf = (name: string) => `.${name}.part-`

/** Removes what is left of a file by who was killed while it was written. */
async function removeParts(path: string, name: string): Promise<void> {
  const parts = (await readdir(path)).filter(each => each.startsWith(partOf(name)))
  for (const part of parts) await rm(join(path, part), { force: true })
}

/** Makes a folder below the root, so that it is there after a power cut as well. */
async function make(root: string, path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true, mode: folderMode })) === undefined) return
  for (let parent = path; parent !== root; ) {
    parent = dirname(parent)
    await sync(parent)
  }
}

/** When it resolves, the disk has the names that a directory holds. */
async function sync(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** The content, which remembers what it has failed with. */
function watched(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> & { failure(): unknown } {
  let failed: unknown = Symbol('not failed')
  return {
    failure: () => failed,
    async *[Symbol.asyncIterator]() {
      try {
        yield* content
      } catch (error) {
        failed = error
        throw error
      }
    },
  }
}
