// Watches the health of the API beside a work.
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { mainThreadMs, slowness } from '../support/machine-speed.js'
import { sharedStack } from '../support/running-stack.js'

/** Longest time that a request may hold up all others, in ms of the usual machine. */
export const longestMs = 250

/** The process of an API. */
interface ApiProcess {
  baseUrl: string
  metricsUrl: string
  pid: number | undefined
}

const shared = (): ApiProcess => ({
  baseUrl: inject('baseUrl'),
  metricsUrl: inject('metricsUrl'),
  pid: sharedStack().api.pid,
})

/** Memory of a process, in bytes. */
async function memory({ metricsUrl }: ApiProcess): Promise<number> {
  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^armature_nodejs_${name}_bytes (\\S+)`, 'm').exec(metrics)?.[1])
  return value('heap_size_used') + value('external_memory')
}

/**
 * How long the API held up others in a piece of work, in ms of the usual machine. Its main thread's processor time and a
 * caller of /health/live must both say so: on a busy machine the caller waits for other reasons.
 */
export async function watched(work: () => Promise<unknown>, api = shared()): Promise<number> {
  let longest = 0
  let isDone = false
  const watch = async () => {
    while (!isDone) {
      const [started, used] = [performance.now(), mainThreadMs(api.pid)]
      await fetch(`${api.baseUrl}/health/live`).then(answer => answer.text())
      longest = Math.max(longest, Math.min(performance.now() - started, mainThreadMs(api.pid) - used))
      await sleep(20)
    }
  }
  const watching = watch()
  await work().finally(() => {
    isDone = true
  })
  await watching
  return longest / slowness()
}

/**
 * As {@link watched}, the least of up to three times. On a busy machine, or where other files use the same process, a moment is
 * long by chance: a piece of work that holds others up does it each time.
 */
export async function minWatched(work: (time: number) => Promise<unknown>, api = shared()): Promise<number> {
  let min = Number.POSITIVE_INFINITY
  for (let time = 0; time < 3 && min > longestMs; time++) min = Math.min(min, await watched(() => work(time), api))
  return min
}

/** Memory that an API holds after all garbage was collected, in bytes. */
export async function collected(api: ApiProcess): Promise<number> {
  // Twice: what a collection finalizes, the next one frees.
  for (let times = 0; times < 2; times++) {
    if (api.pid !== undefined) process.kill(api.pid, 'SIGUSR2')
    await sleep(200)
  }
  // Metrics are up to a second old.
  await sleep(1_000)
  return memory(api)
}
