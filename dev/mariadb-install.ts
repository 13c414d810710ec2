// Finds or installs the MariaDB server program.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { canInstall, install } from './apt.js'
import { findProgram, isExecutable, type LogLine, run, StartProblem } from './programs.js'

/** A database server program that is installed on this machine. */
export interface DatabaseServer {
  command: string
  flavour: 'MariaDB' | 'MySQL'
  /** Options that only this flavour understands. */
  ownOptions: string[]
  /** `--user=root` if we are root, since both servers refuse to run as root unless told to. Otherwise empty. */
  asRoot: string[]
}

/**
 * Finds a MariaDB or MySQL server on this machine, or installs MariaDB if we are allowed to.
 * @throws StartProblem that lists the alternatives if neither is possible.
 */
export async function databaseServer({ logDir, log }: { logDir: string; log: LogLine }): Promise<DatabaseServer> {
  const command = installed() ?? (await installServer(join(logDir, 'install.log'), log))
  const flavour = execFileSync(command, ['--no-defaults', '--version'], { encoding: 'utf8' }).includes('MariaDB')
    ? 'MariaDB'
    : 'MySQL'
  return {
    command,
    flavour,
    ownOptions:
      flavour === 'MariaDB'
        ? ['--innodb-log-file-size=512M']
        : ['--innodb-redo-log-capacity=512M', '--mysqlx=OFF', '--secure-file-priv=NULL', '--performance-schema=OFF'],
    asRoot: process.getuid?.() === 0 ? ['--user=root'] : [],
  }
}

const installed = () => findProgram('mariadbd', 'mysqld')

async function installServer(logFile: string, log: LogLine): Promise<string> {
  if (canInstall()) {
    log(`Installing MariaDB (apt-get install mariadb-server), a minute or two; details in ${logFile}`)
    await install(['mariadb-server'], logFile)
    const command = installed()
    if (command) return command
  }
  throw new StartProblem(
    'There is no MariaDB or MySQL server on this machine. Install one (Debian and Ubuntu: apt-get install ' +
      'mariadb-server; macOS: brew install mariadb), or set DATABASE_URL to mysql://user:password@host:port/database ' +
      'of a server that runs elsewhere.',
  )
}

/** Creates an empty data directory for a server, under another name until complete, so that a killed start leaves no half. */
export async function initialise(
  server: DatabaseServer,
  {
    dataFiles,
    temporaryFiles,
    logDir,
    log,
  }: { dataFiles: string; temporaryFiles: string; logDir: string; log: LogLine },
): Promise<void> {
  log(`Creating the database files in ${dataFiles}`)
  const logFile = join(logDir, 'install.log')
  const unfinished = `${dataFiles}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(unfinished, { mode: 0o700, recursive: true })
  const common = ['--no-defaults', `--datadir=${unfinished}`, `--tmpdir=${temporaryFiles}`, ...server.asRoot]
  if (server.flavour === 'MySQL') {
    await run(server.command, [...common, '--initialize-insecure', ...server.ownOptions], { logFile })
  } else {
    const args = [...common, '--skip-test-db', '--skip-name-resolve', '--auth-root-authentication-method=socket']
    await run(installProgram(server.command), [...args, ...server.ownOptions], { logFile })
  }
  if (existsSync(dataFiles)) throw new StartProblem(`${dataFiles} was created by somebody else in the meantime.`)
  renameSync(unfinished, dataFiles)
}

/** Finds mariadb-install-db, which some packages put near the server instead of on PATH. */
function installProgram(server: string): string {
  const names = ['mariadb-install-db', 'mysql_install_db']
  const beside = ['.', '../bin', '../scripts'].flatMap(at => names.map(name => join(dirname(server), at, name)))
  const program = findProgram(...names) ?? beside.find(isExecutable)
  if (program) return program
  throw new StartProblem(`${basename(server)} is installed, but mariadb-install-db, which belongs to it, is not.`)
}
