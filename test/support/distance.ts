// Moves a server away: a proxy that delays what passes.
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../../dev/ports.js'

/**
 * Starts a proxy in front of a server on this machine.
 * @param roundTripMs how long a question and its answer take in addition.
 */
export async function startDistance(toPort: number, roundTripMs: number) {
  const sockets = new Set<Socket>()
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    // Timers of equal length fire in the order in which they were set, so bytes stay in order.
    const later = (work: () => void) => setTimeout(work, roundTripMs / 2)
    from.on('data', chunk => later(() => to.write(chunk)))
    from.on('close', () => {
      sockets.delete(from)
      later(() => to.destroy())
    })
    from.on('error', () => undefined)
  }
  const server = createServer(near => {
    const far = connect(toPort, '127.0.0.1')
    for (const socket of [near, far]) socket.setNoDelay(true)
    pass(near, far)
    pass(far, near)
  })
  const port = await freePort()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port,
    async stop(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
