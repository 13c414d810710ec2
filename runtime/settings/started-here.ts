// The addresses of the installation that `npm start` runs on this machine, so that the demo and the command line find it.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface StartedHere {
  /** The API, as PUBLIC_URL names it. */
  url: string
  /** The data provider of the demo. */
  providerUrl: string
}

const fileIn = (dataDir: string): string => join(dataDir, 'addresses.json')

/** Writes the addresses into the data directory. They are removed when this process ends. */
export function writeAddresses(dataDir: string, addresses: StartedHere): void {
  writeFileSync(fileIn(dataDir), `${JSON.stringify(addresses, null, 2)}\n`)
  process.once('exit', () => rmSync(fileIn(dataDir), { force: true }))
}

/**
 * Returns the addresses of the installation that keeps its data in DATA_DIR, by default `.data`. If none was started there, returns
 * those of an `npm start` without settings.
 */
export function startedHere({ DATA_DIR }: NodeJS.ProcessEnv): StartedHere {
  try {
    return JSON.parse(readFileSync(fileIn(DATA_DIR || '.data'), 'utf8'))
  } catch {
    return { url: 'http://127.0.0.1:3000', providerUrl: 'http://127.0.0.1:3100' }
  }
}
