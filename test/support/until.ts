// Waits until a condition holds.
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Asks again and again until there is an answer. Logs a long wait, because a test that times out first would not say
 * what it waited for.
 * @throws Error after `timeoutMs`, which is a hang and not a slow machine.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  timeoutMs = 150_000,
): Promise<T> {
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
    // Whoever asks takes processor time from what is waited for.
    await sleep(Math.min(Math.max(waited / 5, 20), 200))
  }
}
