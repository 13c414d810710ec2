// The modes of the fault tests (`--clocks`, `--distance`): clocks that are wrong, and servers that are far away.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectRoot } from '../../runtime/process/version.js'
import { startDistance } from './distance.js'
import { distanceMs } from './patience.js'

/** How far the clocks of APIs are ahead and those of workers behind, in seconds. Negative: the other way round. */
export const clockSeconds = Number(process.env.FAULT_CLOCK_SECONDS ?? 0)

/** NODE_OPTIONS of this process, such as a debugger's. */
const ownOptions = process.env.NODE_OPTIONS ?? ''

/** Adds a module of test/support that is loaded first to NODE_OPTIONS. */
export const loading = (module: string, options = ownOptions): string =>
  `${options} --import=${pathToFileURL(join(projectRoot, 'test', 'support', module))}`

/** Makes settings for a process whose clock is ahead by so many seconds, or behind if the number is negative. */
export const clockAhead = (seconds: number, options = ownOptions): NodeJS.ProcessEnv =>
  seconds === 0
    ? { NODE_OPTIONS: options }
    : { NODE_OPTIONS: loading('clock-offset.mjs', options), CLOCK_OFFSET_MS: String(seconds * 1_000) }

/**
 * Puts a proxy that delays each round trip in front of the database and of Temporal.
 * @param ms the delay; 0 leaves the addresses as they are.
 */
export async function moveAway(databaseUrl: string, temporalAddress: string, ms = distanceMs) {
  if (ms === 0) return { databaseUrl, temporalAddress, stop: async () => undefined }
  const database = new URL(databaseUrl)
  const temporal = new URL(`tcp://${temporalAddress}`)
  const servers = [database, temporal]
  const proxies = await Promise.all(servers.map(({ port }) => startDistance(Number(port || 3306), ms)))
  for (const [n, server] of servers.entries()) server.port = String(proxies[n]?.port)
  return {
    databaseUrl: database.href,
    temporalAddress: temporal.host,
    stop: async () => {
      await Promise.all(proxies.map(proxy => proxy.stop()))
    },
  }
}
