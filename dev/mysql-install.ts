// Installs MySQL's server and clients into a file tree of its own.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { debianTree } from './debian-tree.js'
import { isExecutable, type LogLine, StartProblem } from './programs.js'

/**
 * Installs a minimal Debian system with MySQL's server and clients under `dataDir`. Debian's releases ship only MariaDB, but
 * its unstable suite has MySQL; a separate tree leaves the machine's own packages alone. The first call takes about a minute
 * and half a gigabyte. Later calls find the tree.
 * @returns the directory to chroot to.
 * @throws StartProblem if this is not Debian or we are not root. It names the alternative, DATABASE_URL.
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
  if (['usr/sbin/mysqld', 'usr/bin/mysqldump'].every(program => isExecutable(join(tree, program)))) return tree
  const logFile = join(logDir, 'mysql-install.log')
  log(`Installing MySQL into ${tree} (debootstrap), about a minute; details in ${logFile}`)
  // Built under another name until complete, so that an interrupted installation is not mistaken for a finished one.
  const unfinished = `${tree}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(dirname(unfinished), { recursive: true })
  try {
    const packages = ['mysql-server-core', 'mysql-client-core']
    await debianTree({ suite: 'sid', packages, tree: unfinished, logFile })
  } catch (error) {
    throw error instanceof StartProblem ? noServer(error.message) : error
  }
  if (existsSync(tree)) rmSync(tree, { recursive: true })
  renameSync(unfinished, tree)
  return tree
}

const noServer = (reason: string) =>
  new StartProblem(
    `There is no MySQL server for the tests (${reason}). Set DATABASE_URL to mysql://user:password@host:port/database ` +
      'of a MySQL 8.4 or later whose user may create databases.',
  )
