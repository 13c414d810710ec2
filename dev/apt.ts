// Installs Debian packages, one process at a time.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, run } from './programs.js'

/** Whether this process may install packages: it is root on Debian or Ubuntu. */
export const canInstall = (): boolean => process.getuid?.() === 0 && findProgram('apt-get') !== undefined

/**
 * Installs packages and what they depend on, without recommended ones. It takes a minute or two.
 *
 * `flock` holds the lock from the lists to the last package. apt's own locks are released between the download and the
 * installation, and images of Debian delete all downloads after any `apt-get update`: a second process then breaks the first.
 * @throws StartProblem with the end of the log file.
 */
export async function install(packages: readonly string[], logFile: string): Promise<void> {
  const lock = join(tmpdir(), 'armature-apt.lock')
  const apt = 'apt-get -o DPkg::Lock::Timeout=300'
  const script = `${apt} update && ${apt} install -y --no-install-recommends "$@"`
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('flock', [lock, 'sh', '-c', script, 'install', ...packages], { logFile, env })
}
