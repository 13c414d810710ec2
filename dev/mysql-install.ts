// Installs MySQL's server and clients into a file tree of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { install } from './apt.js'
import { findProgram, isExecutable, type LogLine, run, StartProblem } from './programs.js'

/**
 * A Debian system that holds MySQL's server and clients and little else, made with debootstrap and kept under `dataDir`: Debian's
 * releases ship MariaDB, its unstable suite ships MySQL, and a tree of its own leaves the machine's packages alone.
 * @returns the directory to chroot to. Half a gigabyte; the first time takes about a minute, later ones nothing.
 * @throws StartProblem with the choice that is left when this is not Debian, or we are not root.
 */
export async function mysqlTree({
  dataDir,
  logDir,
  log,
}: {
  dataDir: string
  logDir: string
  log: LogLine
}): Promise<string> {
  const tree = join(dataDir, 'mysql', 'root')
  if (process.getuid?.() !== 0) throw noServer('only root can set one up')
  if (['usr/sbin/mysqld', 'usr/bin/mysqldump'].every(program => isExecutable(join(tree, program)))) return tree
  const logFile = join(logDir, 'mysql-install.log')
  log(`Installing MySQL into ${tree} (debootstrap), about a minute; details in ${logFile}`)
  const { debootstrap, mirror } = await debootstrapAndMirror(logFile)
  // It appears under its name only when it is complete.
  const unfinished = `${tree}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dirname(unfinished), { recursive: true })
  const args = ['--variant=minbase', '--include=mysql-server-core,mysql-client-core', 'sid', unfinished, mirror]
  await run(debootstrap, args, { logFile })
  if (existsSync(tree)) rmSync(tree, { recursive: true })
  renameSync(unfinished, tree)
  return tree
}

async function debootstrapAndMirror(logFile: string): Promise<{ debootstrap: string; mirror: string }> {
  const apt = findProgram('apt-get')
  if (!apt) throw noServer('this is not Debian')
  // apt knows its sources, Debian's own archive among them, only after it has read the lists.
  if (!findProgram('debootstrap') || !debianMirror(apt)) {
    await install(['debootstrap', 'debian-archive-keyring'], logFile)
  }
  const mirror = debianMirror(apt)
  if (!mirror) throw noServer("this machine's apt has no source of Debian's own archive")
  const debootstrap = findProgram('debootstrap')
  if (!debootstrap) throw noServer('debootstrap could not be installed')
  return { debootstrap, mirror }
}

/** The address from which apt takes Debian itself, as apt tells it. */
function debianMirror(apt: string): string | undefined {
  const format = '$(ORIGIN)|$(LABEL)|$(CREATED_BY)|$(REPO_URI)'
  const targets = execFileSync(apt, ['indextargets', '--format', format], { encoding: 'utf8' })
  const archive = targets.split('\n').find(target => target.startsWith('Debian|Debian|Packages|'))
  return archive?.split('|').at(-1)
}

const noServer = (reason: string) =>
  new StartProblem(
    `There is no MySQL server for the tests (${reason}). Set DATABASE_URL to mysql://user:password@host:port/database ` +
      'of a MySQL 8.4 or later whose user may create databases.',
  )
