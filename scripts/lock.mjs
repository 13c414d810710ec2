// Locks between processes: `npm start` and `npm test` may start at the same moment and share node_modules and dist.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` while holding a lock file that contains the id of its process. Takes over the lock of a process that has
 * ended.
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true })
  for (let waits = 0; !take(file); waits++) {
    if (waits === 10) console.error('Waiting for another build of this directory…')
    if (holderHasEnded(file)) rmSync(file, { force: true })
    else await sleep(100)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function holderHasEnded(file) {
  try {
    const holder = Number(readFileSync(file, 'utf8'))
    // An empty file gives 0: its process has just created it and is about to write its id.
    if (holder > 0) process.kill(holder, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
