// Detects sockets on which nothing arrives.
import type { Socket } from 'node:net'

/**
 * Takes a socket for silent only after one more look at what has arrived: a timer that ends may say no more than that this
 * process was too busy to read.
 */
export function onSilence(socket: Socket, giveUp: () => void): void {
  const heard = socket.bytesRead
  setImmediate(() => socket.bytesRead === heard && giveUp())
}
