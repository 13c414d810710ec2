// Work that a process repeats until it stops.
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does a work again and again, with a pause after each.
 * @param work never rejects. Resolves to the length of the pause, in ms.
 * @returns what ends it, and resolves when the work is not under way any more.
 */
export function repeat(work: (stopping: AbortSignal) => Promise<number>): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  async function go(): Promise<void> {
    while (!signal.aborted) await sleep(await work(signal), undefined, { signal }).catch(() => undefined)
  }
  const going = go()
  return async () => {
    stopping.abort()
    await going
  }
}
