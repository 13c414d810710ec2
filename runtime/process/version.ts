// The version of the product, and the directory of its files.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The directory of package.json. Searched upwards, because this file runs from the sources and from `dist`. */
export const projectRoot = (() => {
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, 'package.json'))) directory = dirname(directory)
  return directory
})()

const manifest: { version: string } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

/** The version of the product, such as `1.0.0`. */
export const { version } = manifest
