// Builds the programs of Vitess, and obtains etcd, in which they keep their topology.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, isExecutable, type LogLine, run, StartProblem } from './programs.js'

/** Version 24.0.4, by the number of its Go module. */
const version = 'v0.24.4'
const names = ['vtgate', 'vttablet', 'vtctld', 'vtctldclient'] as const

/** Paths of the programs. */
export type VitessPrograms = Record<(typeof names)[number] | 'etcd', string>

/**
 * Returns the programs. The first call takes some twenty minutes.
 * @throws StartProblem without Go and Debian, or with the end of the log file.
 */
export async function vitessPrograms({ dataDir, log }: { dataDir: string; log: LogLine }): Promise<VitessPrograms> {
  const directory = join(dataDir, 'vitess')
  mkdirSync(join(dataDir, 'logs'), { recursive: true })
  const logFile = join(dataDir, 'logs', 'vitess-install.log')
  const built = (name: (typeof names)[number]) => join(directory, 'bin', name)
  if (!names.every(name => isExecutable(built(name)))) await build(directory, logFile, log)
  return {
    vtgate: built('vtgate'),
    vttablet: built('vttablet'),
    vtctld: built('vtctld'),
    vtctldclient: built('vtctldclient'),
    etcd: findProgram('etcd') ?? (await unpackEtcd(directory, logFile)),
  }
}

async function build(directory: string, logFile: string, log: LogLine): Promise<void> {
  const go = findProgram('go')
  if (!go) throw new StartProblem('Vitess is built from its Go module: install Go 1.26 or later.')
  const module = join(directory, 'module')
  mkdirSync(module, { recursive: true })
  const options = { logFile, timeoutMs: 3_600_000, cwd: module }
  log(`Building Vitess, some twenty minutes; details in ${logFile}`)
  if (!existsSync(join(module, 'go.mod'))) await run(go, ['mod', 'init', 'vitess'], options)
  const packages = names.map(name => `vitess.io/vitess/go/cmd/${name}`)
  await run(go, ['get', `vitess.io/vitess@${version}`, ...packages], options)
  await run(go, ['build', '-ldflags=-s -w', '-o', join(directory, 'bin/'), ...packages], options)
}

/** Unpacks Debian's package without installing it. @returns the path of the program. */
async function unpackEtcd(directory: string, logFile: string): Promise<string> {
  const program = join(directory, 'etcd', 'usr', 'bin', 'etcd')
  if (isExecutable(program)) return program
  const [apt, dpkg] = [findProgram('apt-get'), findProgram('dpkg-deb')]
  if (!apt || !dpkg) throw new StartProblem('Vitess needs etcd: install it.')
  const options = { logFile, cwd: join(directory, 'etcd') }
  mkdirSync(options.cwd, { recursive: true })
  const download = () => run(apt, ['download', 'etcd-server'], options)
  // A fresh machine has no package lists yet.
  await download().catch(() => run(apt, ['update'], options).then(download))
  for (const name of readdirSync(options.cwd)) await run(dpkg, ['--extract', name, '.'], options)
  return program
}
