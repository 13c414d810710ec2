// Detects sockets that have stopped receiving data.
import type { Socket } from 'node:net'

/**
 * Calls `giveUp` if nothing arrives on a socket whose timer has fired. It lets the event loop read once more first,
 * because the timer may have fired only because this process was too busy to read.
 */
export function onSilence(socket: Socket, giveUp: () => void): void {
  const heard = socket.bytesRead
  setImmediate(() => socket.bytesRead === heard && giveUp())
}
