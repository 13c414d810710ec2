// Writes exports to a directory.
import { access, constants, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { newId } from '../../runtime/ids.js'
import { unavailable } from '../../runtime/problems/problem.js'
import type { ExportTarget } from './export-target.js'

/** Files can be read by the process's group. */
const [fileMode, folderMode] = [0o640, 0o750]

/**
 * Creates a destination below a directory. A file is written under a hidden name in its folder, flushed to disk and
 * then renamed. The directory itself must exist and is not created: otherwise, if its disk were not mounted, files
 * would end up on the wrong one.
 */
export function directoryTarget(directory: string): ExportTarget {
  const root = resolve(directory)
  return {
    name: `directory ${root}`,
    async write(folder, name, content) {
      const path = join(root, folder)
      const source = watchFailure(content)
      try {
        await access(root, constants.W_OK)
        await makeFolder(root, path)
        await removeParts(path, name)
        await writeWhole(path, name, source)
      } catch (error) {
        // Errors of the content itself are passed on unchanged.
        throw error === source.failure() ? error : unavailable('The directory for exports', error)
      }
    },
    async removeAll(folder) {
      try {
        await access(root, constants.W_OK)
        await rm(join(root, folder), { recursive: true, force: true })
      } catch (error) {
        throw unavailable('The directory for exports', error)
      }
    },
  }
}

async function writeWhole(path: string, name: string, content: AsyncIterable<Buffer>): Promise<void> {
  const part = join(path, partOf(name) + newId())
  const file = await open(part, 'wx', fileMode)
  try {
    // With `flush`, the bytes are on the disk when the stream ends.
    await pipeline(content, file.createWriteStream({ flush: true }))
    await rename(part, join(path, name))
    await syncDirectory(path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

/** Returns the prefix of the hidden names under which a file is written. */
const partOf = (name: string) => `.${name}.part-`

/** Removes what a killed process has left of a file. */
async function removeParts(path: string, name: string): Promise<void> {
  const parts = (await readdir(path)).filter(entry => entry.startsWith(partOf(name)))
  for (const part of parts) await rm(join(path, part), { force: true })
}

/** Creates a folder below the root, so that it survives a power failure. */
async function makeFolder(root: string, path: string): Promise<void> {
  if ((await mkdir(path, { recursive: true, mode: folderMode })) === undefined) return
  for (let parent = path; parent !== root; ) {
    parent = dirname(parent)
    await syncDirectory(parent)
  }
}

/** Flushes a directory, so that the names in it are on the disk. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

/** Wraps the content to record the error with which it fails. */
function watchFailure(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> & { failure(): unknown } {
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
