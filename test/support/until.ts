// Waits until a condition holds.
import { setTimeout as sleep } from 'node:timers/promises'
import { patience } from './patience.js'

/**
 * Calls `ask` repeatedly until it returns something other than undefined or false. Logs a long wait, because a test that times out would
 * not tell what it was waiting for.
 * @param usualMs how long it may take while the servers are near. The default is long enough for any slow machine.
 * @throws Error when that time is over.
 */
export async function until<T>(what: string, ask: () => Promise<T | undefined | false>, usualMs = 150_000): Promise<T> {
  const timeoutMs = usualMs * patience
  const started = Date.now()
  let isNamed = false
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    const waited = Date.now() - started
    if (waited > timeoutMs) throw new Error(`Waited ${timeoutMs / 1000} s in vain: ${what}`)
    if (waited > Math.max(30_000, timeoutMs / 5) && !isNamed) {
      isNamed = true
      console.error(`Has waited ${Math.round(waited / 1000)} s: ${what}`)
    }
    // Pauses, because asking takes processor time from whatever is awaited.
    await sleep(Math.min(Math.max(waited / 5, 20), 200))
  }
}
