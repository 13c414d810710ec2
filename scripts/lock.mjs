// One at a time: `npm start` and `npm test` may begin in the same moment and share node_modules and dist.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs `work` while holding the lock file, which names its holder; the lock of a process that has ended is taken over. */
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
    // Empty: its holder has created it and is about to write.
    if (holder > 0) process.kill(holder, 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
