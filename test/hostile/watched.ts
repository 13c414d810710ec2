import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { signal } from '../support/faults.js'
import { sharedStack } from '../support/running-stack.js'

/** Longest time that a request may hold up all others, in ms. */
export const longestMs = 250

const baseUrl = inject('baseUrl')
const { api } = sharedStack()

/** Memory of the API's process, in bytes. */
async function memory(): Promise<number> {
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^armature_nodejs_${name}_bytes (\\S+)`, 'm').exec(metrics)?.[1])
  return value('heap_size_used') + value('external_memory')
}

/** Processor time of the API's main thread, in ms: no garbage collector and no compression. Only Linux tells. */
function mainThreadMs(): number {
  try {
    return Number(readFileSync(`/proc/${api.pid}/task/${api.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch (error) {
    if (platform() === 'linux') throw error
    return performance.now()
  }
}

/**
 * How long the API held up others in a piece of work, in ms. Its main thread's processor time and a caller of /health/live must
 * both say so: on a busy machine the caller waits for other reasons.
 */
export async function watched(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  const watch = async () => {
    while (!isDone) {
      const [started, used] = [performance.now(), mainThreadMs()]
      await fetch(`${baseUrl}/health/live`).then(answer => answer.text())
      longest = Math.max(longest, Math.min(performance.now() - started, mainThreadMs() - used))
      await sleep(20)
    }
  }
  const watching = watch()
  await work().finally(() => {
    isDone = true
  })
  await watching
  return longest
}

/** Memory that the API holds after all garbage was collected, in bytes. */
export async function collected(): Promise<number> {
  // Twice: what a collection finalizes, the next one frees.
  for (let times = 0; times < 2; times++) {
    signal(api, 'SIGUSR2')
    await memory()
  }
  return memory()
}
