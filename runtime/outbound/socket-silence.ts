// Detects sockets on which nothing arrives.
import type { Socket } from 'node:net'

/**
 * Reports a silent socket only after one more look at its input: a timer may fire because this process was too busy to
 * read.
 */
export function onSilence(socket: Socket, giveUp: () => void): void {
  const heard = socket.bytesRead
  setImmediate(() => socket.bytesRead === heard && giveUp())
}
