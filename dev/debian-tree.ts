// Creates file trees with a Debian system.
import { execFileSync } from 'node:child_process'
import { install } from './apt.js'
import { findProgram, run, StartProblem } from './programs.js'

/**
 * Creates a small Debian system with debootstrap, from the archive that this machine's apt uses.
 * @param of.tree its directory, which must not exist yet.
 * @throws StartProblem if this is not Debian, if we are not root, or, with the end of the log file, if debootstrap fails.
 */
export async function debianTree(of: {
  suite: 'bookworm' | 'sid'
  packages: readonly string[]
  tree: string
  logFile: string
}): Promise<void> {
  if (process.getuid?.() !== 0) throw new StartProblem('only root can make a file tree of Debian')
  const { debootstrap, mirror } = await debootstrapAndMirror(of.logFile)
  const args = ['--variant=minbase', `--include=${of.packages.join()}`, of.suite, of.tree, mirror]
  await run(debootstrap, args, { logFile: of.logFile })
}

async function debootstrapAndMirror(logFile: string): Promise<{ debootstrap: string; mirror: string }> {
  const apt = findProgram('apt-get')
  if (!apt) throw new StartProblem('this is not Debian')
  // apt names its sources only after it has downloaded the package lists, which the installation does.
  if (!findProgram('debootstrap') || !debianMirror(apt)) {
    await install(['debootstrap', 'debian-archive-keyring'], logFile)
  }
  const mirror = debianMirror(apt)
  if (!mirror) throw new StartProblem("this machine's apt has no source of Debian's own archive")
  const debootstrap = findProgram('debootstrap')
  if (!debootstrap) throw new StartProblem('debootstrap could not be installed')
  return { debootstrap, mirror }
}

/** Asks apt for the address from which it downloads Debian itself. */
function debianMirror(apt: string): string | undefined {
  const format = '$(ORIGIN)|$(LABEL)|$(CREATED_BY)|$(REPO_URI)'
  const targets = execFileSync(apt, ['indextargets', '--format', format], { encoding: 'utf8' })
  const archive = targets.split('\n').find(target => target.startsWith('Debian|Debian|Packages|'))
  return archive?.split('|').at(-1)
}
