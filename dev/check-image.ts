// `npm run check:image`: builds the Dockerfile with buildah and starts the migration and the API from the image. It needs no
// image registry, because it makes the base image from Debian and npm packages. If this machine lacks something, it says so
// and skips the check.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import { canInstall, install } from './apt.js'
import { imageBase } from './deploy-tools.js'
import { startDatabase } from './mariadb.js'
import { freePort } from './ports.js'
import { findProgram, run, StartProblem } from './programs.js'
import { supervise } from './supervise.js'

const scratch = mkdtempSync(join(tmpdir(), 'armature-image-'))
const logDir = join(scratch, 'logs')
mkdirSync(logDir)
const logFile = join(logDir, 'buildah.log')
const image = 'armature'
// Works without a daemon and a container runtime. Directories are mounted only while a command of buildah runs.
const storage = ['--root', join(scratch, 'store'), '--runroot', join(scratch, 'run'), '--storage-driver', 'overlay']
const isolation = ['--isolation', 'chroot']

const buildah = (...args: string[]) => run('buildah', [...storage, ...args], { logFile, cwd: projectRoot })
const output = (...args: string[]) => execFileSync('buildah', [...storage, ...args], { encoding: 'utf8' }).trim()
const npmConfig = (name: string) => execFileSync('npm', ['config', 'get', name], { encoding: 'utf8' }).trim()

let lap = performance.now()
function passed(what: string): void {
  console.log(`${what}: passed in ${((performance.now() - lap) / 1000).toFixed(0)} s`)
  lap = performance.now()
}

/** Makes the Dockerfile's base image, under the name that the Dockerfile uses. Returns false if that is not possible. */
async function importBase(): Promise<boolean> {
  const [, name = '', major = ''] =
    /^ARG BASE=(node:(\d+)-bookworm-slim)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? []
  const base = await imageBase(major, console.log)
  if (base === undefined) return false
  const file = join(scratch, 'Base')
  writeFileSync(file, 'FROM scratch\nCOPY tree /\n')
  await buildah('bud', ...isolation, '--file', file, '--tag', name, base)
  passed(`a base as ${name}`)
  return true
}

/** Builds the image from the unchanged Dockerfile. npm in it uses this machine's registry and certificates. */
async function buildImage(): Promise<void> {
  const settings = join(scratch, 'npmrc')
  const authorities = npmConfig('cafile')
  const isFile = authorities !== 'null' && authorities !== ''
  writeFileSync(
    settings,
    [`registry=${npmConfig('registry')}`, ...(isFile ? [`cafile=${authorities}`] : [])].join('\n'),
  )
  const mounted = [`${settings}:/root/.npmrc:ro`, ...(isFile ? [`${authorities}:${authorities}:ro`] : [])]
  const volumes = mounted.flatMap(each => ['--volume', each])
  await buildah('bud', ...isolation, '--pull-never', '--format', 'docker', ...volumes, '--tag', image, '.')
  passed('the image')
}

/** Renders a template in the image, which has to have what confined processes are started with. */
const evaluation = `const { createEvaluator } = await import('/app/dist/runtime/expressions/expressions.js')
if (await createEvaluator().template(1, 'request', '{{ a }}', { a: 7 }) !== '7') process.exit(1)`

/** Runs the image's migration on a database, then its API until the image's own health check passes. */
async function startImage(): Promise<void> {
  const config = JSON.parse(output('inspect', '--type', 'image', image)).Docker.config
  const [, ...healthCheck]: string[] = config.Healthcheck.Test
  const container = output('from', '--pull-never', image)
  const database = await startDatabase({ dataDir: join(scratch, 'database'), log: () => undefined })
  const settings = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    TEMPORAL_ADDRESS: '127.0.0.1:1',
  }
  const env = Object.entries(settings).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const inside = (command: readonly string[]) => ['run', ...isolation, ...env, container, '--', ...command]
  try {
    await buildah(...inside(['node', '--input-type=module', '--eval', evaluation]))
    await buildah(...inside(['node', 'dist/db/migrate.js']))
    const program = { name: 'api', command: 'buildah', args: [...storage, ...inside(config.Cmd)] }
    const api = supervise(program, { logDir, log: () => undefined })
    try {
      await api.ready(() => buildah(...inside(healthCheck)), 300_000)
    } finally {
      await api.stop()
    }
    passed('a template, migration, API and health check of the image')
  } finally {
    await database.stop()
  }
}

try {
  if (!findProgram('buildah') && canInstall()) await install(['buildah'], logFile)
  if (!findProgram('buildah')) console.log('Skipped, because this machine has no buildah')
  else if (!(await importBase())) console.log('Skipped, because the base of the image cannot be had')
  else {
    await buildImage()
    await startImage()
  }
} catch (error) {
  if (!(error instanceof StartProblem)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
