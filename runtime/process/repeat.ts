// Repeats work until the process stops.
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` again and again, with a pause after each run.
 * @param work must not reject. Resolves to the length of the pause, in ms.
 * @returns a function that stops the repetition and resolves when no run is in progress.
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
