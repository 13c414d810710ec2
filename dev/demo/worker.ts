// Kills the worker for the demo.
import { existsSync, readFileSync } from 'node:fs'
import { holderOf, startSettings } from '../settings.js'
import { pidFileOf } from '../supervise.js'

/**
 * Kills the worker of the `npm start` on this machine with kill -9.
 * @returns its process id, or undefined if no worker runs here.
 */
export function killWorker(): number | undefined {
  const { dataDir, logDir } = startSettings(process.env)
  // Only while `npm start` runs: a killed one leaves its files behind, and by now their process ids may be somebody else's.
  if (process.env.ARMATURE_URL || holderOf(dataDir) === undefined) return undefined
  const file = pidFileOf(logDir, 'worker')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8'))
  process.kill(pid, 'SIGKILL')
  return pid
}
