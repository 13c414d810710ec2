// Claims ports that no other test stack uses.
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { isFree } from '../../dev/ports.js'

/** These are above the ports that dev/ports.ts hands out. */
const [firstPort, blockSize, blocks] = [26_000, 300, 20]

/** Ports on 127.0.0.1 that only one stack uses. */
interface ClaimedPorts {
  ports: number[]
  release(): Promise<void>
}

/** Blocks that this process has used. They are not reused, so that tokens and connections never reach another stack. */
const had = new Set<number>()

/**
 * Claims a block of ports, even those that nobody listens on yet. While it is claimed, we listen on its first port, which
 * shows other processes that the block is taken. (The package get-port only locks within one process.)
 */
export async function claimPorts(): Promise<ClaimedPorts> {
  const start = randomInt(blocks)
  for (let n = 0; n < blocks; n++) {
    const first = firstPort + ((start + n) % blocks) * blockSize
    const release = had.has(first) ? undefined : await claim(first)
    if (!release) continue
    had.add(first)
    const ports: number[] = []
    for (let port = first + 1; port < first + blockSize; port++) if (await isFree(port)) ports.push(port)
    return { ports, release }
  }
  throw new Error(
    `The ports from ${firstPort} are all claimed by other stacks, or were claimed by this process before.`,
  )
}

/** Listens on a port until the returned function is called. Resolves with undefined if the port is taken. */
function claim(port: number): Promise<(() => Promise<void>) | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    const release = () => new Promise<void>(closed => server.close(() => closed()))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(release))
  })
}
