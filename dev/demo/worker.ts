// Kills the worker for the demo.
import { existsSync, readFileSync } from 'node:fs'
import { holderOf, startSettings } from '../settings.js'
import { pidFileOf } from '../supervise.js'

/**
 * Ends the worker of the `npm start` on this machine by kill -9.
 * @returns its process id; undefined where no worker runs here.
 */
export function killWorker(): number | undefined {
  const { dataDir, logDir } = startSettings(process.env)
  // A file that a killed `npm start` left behind may name anybody's process by now.
  if (process.env.ARMATURE_URL || holderOf(dataDir) === undefined) return undefined
  const file = pidFileOf(logDir, 'worker')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8'))
  process.kill(pid, 'SIGKILL')
  return pid
}
