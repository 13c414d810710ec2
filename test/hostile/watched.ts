import { inject } from 'vitest'
import { signal } from '../support/faults.js'
import { sharedStack } from '../support/running-stack.js'

/** Longest time that a request may hold up all others, in ms. */
export const longestMs = 250

const baseUrl = inject('baseUrl')
const { api } = sharedStack()

/** Of the API's process: how long its loop stood still since this was last asked, and its memory. */
async function measured(): Promise<{ stillMs: number; cpuMs: number; memory: number }> {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^armature_${name} (\\S+)`, 'm').exec(metrics)?.[1])
  return {
    stillMs: 1000 * value('nodejs_eventloop_lag_max_seconds'),
    cpuMs: 1000 * value('process_cpu_seconds_total'),
    memory: value('nodejs_heap_size_used_bytes') + value('nodejs_external_memory_bytes'),
  }
}

/**
 * How long the API held up others in a piece of work, in ms. Its loop, its processor time and a caller of /health/live must all
 * say so: on a busy machine the first and the last stand still for other reasons.
 */
export async function watched(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  const watch = async () => {
    while (!isDone) {
      const started = performance.now()
      await fetch(`${baseUrl}/health/live`).then(
        answer => answer.text(),
        () => undefined,
      )
      longest = Math.max(longest, performance.now() - started)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }
  const before = await measured()
  const watching = watch()
  await work().finally(() => {
    isDone = true
  })
  await watching
  const after = await measured()
  return Math.min(longest, after.stillMs, after.cpuMs - before.cpuMs)
}

/** Memory that the API holds after all garbage was collected, in bytes. */
export async function collected(): Promise<number> {
  // Twice: what a collection finalizes, the next one frees.
  for (let times = 0; times < 2; times++) {
    signal(api, 'SIGUSR2')
    await measured()
  }
  return (await measured()).memory
}
