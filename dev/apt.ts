// Installs Debian packages, from one process at a time.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProgram, run } from './programs.js'

/** Reports whether this process may install packages, which takes root on Debian or Ubuntu. */
export const canInstall = (): boolean => process.getuid?.() === 0 && findProgram('apt-get') !== undefined

/**
 * Installs packages with their dependencies, which takes a minute or two. `flock` locks out other processes from the
 * update of the package lists to the last package: Debian's images delete downloads after `apt-get update`, and apt's own
 * locks do not prevent one process from doing that to another.
 * @throws StartProblem with the end of the log file.
 */
export async function install(packages: readonly string[], logFile: string): Promise<void> {
  const lock = join(tmpdir(), 'armature-apt.lock')
  const apt = 'apt-get -o DPkg::Lock::Timeout=300'
  const script = `${apt} update && ${apt} install -y --no-install-recommends "$@"`
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await run('flock', [lock, 'sh', '-c', script, 'install', ...packages], { logFile, env })
}
