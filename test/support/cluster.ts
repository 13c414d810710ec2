// Starts several APIs and workers, of one or two versions, behind a load balancer.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { migrate } from '../../db/migrate.js'
import type { steps } from '../../db/migrations/index.js'
import { release } from '../../db/migrations/release.js'
import type { MigrationStep } from '../../db/migrations/step.js'
import type { applyDemoTenants } from '../../dev/demo-tenants.js'
import { startDatabase } from '../../dev/mariadb.js'
import { run } from '../../dev/programs.js'
import { type Supervised, supervise } from '../../dev/supervise.js'
import { startTemporal } from '../../dev/temporal.js'
import { projectRoot } from '../../runtime/process/version.js'
import { minHashCost } from '../../runtime/secrets/secrets.js'
import { startLoadBalancer } from './load-balancer.js'
import { clockAhead, clockSeconds, moveAway } from './modes.js'
import { nextSteps } from './next-steps.js'
import { claimPorts } from './ports.js'
import { until } from './until.js'

/** A built version of the platform, and the settings of its processes. */
export interface Version {
  root: string
  settings?: NodeJS.ProcessEnv
  /** Migration steps to run in addition to its own. */
  steps?: MigrationStep[]
}

export const thisVersion: Version = { root: projectRoot }

const quiet = () => undefined
/** Long enough for the load balancer to ask for readiness five times. */
const drainSeconds = 1

interface RunningDatabase {
  url: string
  stop(): Promise<void>
}

const startMariadb = (of: { dataDir: string; port: number }): Promise<RunningDatabase> =>
  startDatabase({ ...of, log: quiet })

/** A process of the cluster. */
export interface Member {
  /** Ends it by SIGTERM, as an orchestrator does. Resolves when it is gone. */
  stop(): Promise<void>
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/**
 * Starts a database and Temporal, with the schema and the demo tenants of a version, but no API and no worker yet.
 * @param database starts the database, by default MariaDB.
 */
export async function startCluster(
  first: Version,
  database: (of: { dataDir: string; port: number }) => Promise<RunningDatabase> = startMariadb,
) {
  const dataDir = await mkdtemp(join(tmpdir(), 'armature-cluster-'))
  const logDir = join(dataDir, 'logs')
  const claimed = await claimPorts()
  const free = [...claimed.ports]
  const nextPort = (): number => free.shift() ?? 0
  const binDir = join(projectRoot, '.data', 'bin')
  const [{ url: databaseUrl, stop: stopDatabase }, temporal] = await Promise.all([
    database({ dataDir, port: nextPort() }),
    startTemporal({ dataDir, binDir, port: nextPort(), uiPort: nextPort(), log: quiet }),
  ])
  const moved = await moveAway(databaseUrl, temporal.address)
  const providerPorts = [nextPort(), nextPort()]
  const port = nextPort()
  const baseUrl = `http://127.0.0.1:${port}`
  const balancer = await startLoadBalancer(port)
  const encryptionKey = randomBytes(32).toString('base64')
  const settings = {
    ...process.env,
    PUBLIC_URL: baseUrl,
    IDENTITY_AUTHORITY: '',
    DATABASE_URL: moved.databaseUrl,
    DATABASE_POOL_SIZE: '10',
    TEMPORAL_ADDRESS: moved.temporalAddress,
    TEMPORAL_NAMESPACE: 'default',
    SECRET_HASH_COST: String(minHashCost),
    ENCRYPTION_KEY: encryptionKey,
    DRAIN_SECONDS: String(drainSeconds),
    OUTBOUND_ALLOW: providerPorts.map(each => `127.0.0.1:${each}`).join(),
  }
  const members = new Set<Member>()
  let started = 0

  /** Runs the migrations of a version while the members of the cluster keep running. */
  async function migrateTo({ root, steps: more = [] }: Version): Promise<void> {
    const { migrate: run }: { migrate: typeof migrate } = await import(moduleOf(root, 'db/migrate.js'))
    const { steps: own }: { steps: typeof steps } = await import(moduleOf(root, 'db/migrations/index.js'))
    await run(databaseUrl, [...own, ...more])
  }

  function member(version: Version, name: string, script: string, env: NodeJS.ProcessEnv): Supervised {
    const program = {
      name: `${name}-${++started}`,
      command: process.execPath,
      args: [join(version.root, 'dist', script)],
      ours: true,
    }
    return supervise({ ...program, env: { ...settings, ...version.settings, ...env } }, { logDir, log: quiet })
  }

  /** Registers a member. Stopping it a second time does nothing. */
  function kept(stop: () => Promise<void>): Member {
    const self: Member = {
      async stop() {
        if (members.delete(self)) await stop()
      },
    }
    members.add(self)
    return self
  }

  await migrateTo(first)
  const demo: { applyDemoTenants: typeof applyDemoTenants } = await import(moduleOf(first.root, 'dev/demo-tenants.js'))
  await demo.applyDemoTenants(databaseUrl, { encryptionKey, providerUrl: baseUrl, secretHashCost: minHashCost })

  return {
    baseUrl,
    dataDir,
    databaseUrl,
    nextPort,
    temporalAddress: temporal.address,
    encryptionKey,
    providerPorts,
    migrateTo,

    /** Adds an API and waits until the load balancer sends requests to it. */
    async addApi(version: Version): Promise<Member & { ownUrl: string; metricsUrl: string }> {
      const [own, metrics] = [nextPort(), nextPort()]
      const env = { PORT: String(own), METRICS_PORT: String(metrics), ...clockAhead(clockSeconds) }
      const api = member(version, 'api', 'server/main.js', env)
      const added = kept(async () => {
        await api.stop(20_000)
        balancer.remove(own)
      })
      balancer.add(own)
      await until(`${api.name} is ready`, async () => balancer.isReady(own))
      return Object.assign(added, {
        ownUrl: `http://127.0.0.1:${own}`,
        metricsUrl: `http://127.0.0.1:${metrics}`,
      })
    },

    /** Adds a worker and waits until its liveness check passes. */
    async addWorker(version: Version): Promise<Member> {
      const own = nextPort()
      const env = { WORKER_PORT: String(own), ...clockAhead(-clockSeconds) }
      const worker = member(version, 'worker', 'activities/worker.js', env)
      const added = kept(() => worker.stop(20_000))
      await until(`${worker.name} lives`, () =>
        fetch(`http://127.0.0.1:${own}/health/live`).then(
          ({ ok }) => ok,
          () => false,
        ),
      )
      return added
    },

    async stop(): Promise<void> {
      await Promise.all([...members].map(each => each.stop()))
      await balancer.stop()
      await Promise.all([temporal.stop(), stopDatabase(), moved.stop()])
      await claimed.release()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const moduleOf = (root: string, path: string): string => pathToFileURL(join(root, 'dist', path)).href

/**
 * Returns the two versions of an upgrade: the last release, built once under `.data/versions`, and this version. While that
 * release has no commit in CHANGELOG.md, this version is the release, and is upgraded to another build with further steps.
 * @throws StartProblem if the release cannot be built; see {@link versionOf}.
 */
export async function upgrade(): Promise<{ from: Version; to: Version }> {
  const commit = commitOf(release.version)
  if (commit === undefined) return { from: thisVersion, to: { ...(await anotherBuild()), steps: nextSteps } }
  return { from: await versionOf(commit), to: thisVersion }
}

/** Finds the commit of a version in CHANGELOG.md. @throws Error if the version is not listed. */
function commitOf(version: string): string | undefined {
  const entries = readFileSync(join(projectRoot, 'CHANGELOG.md'), 'utf8').split(/^## /m)
  const entry = entries.find(each => each.split(/\s/)[0] === version)
  if (entry === undefined) throw new Error(`CHANGELOG.md has no version ${version}`)
  return /Commit `([0-9a-f]+)`/.exec(entry)?.[1]
}

/** Makes another build of this version, by adding a line to the bundle of workflows. */
export async function anotherBuild(): Promise<Version> {
  const root = join(projectRoot, '.data', 'versions', 'another')
  await rm(root, { recursive: true, force: true })
  await cp(join(projectRoot, 'dist'), join(root, 'dist'), { recursive: true })
  for (const name of ['package.json', 'node_modules', 'docs']) await symlink(join(projectRoot, name), join(root, name))
  const bundle = join(root, 'dist', 'workflows', 'bundle.js')
  // At the beginning, because everything behind the source map is read as part of it.
  await writeFile(bundle, `// another build\n${await readFile(bundle, 'utf8')}`)
  return { root }
}

/**
 * Builds the version of a commit under `.data/versions`, once.
 * @throws StartProblem if the commit is missing, as in a shallow clone, or does not build.
 */
async function versionOf(commit: string): Promise<Version> {
  const versions = join(projectRoot, '.data', 'versions')
  const root = join(versions, commit)
  await mkdir(versions, { recursive: true })
  const script = `
    set -e
    [ ! -f "$ROOT/dist/.sources" ] || exit 0
    rm -rf "$ROOT" && mkdir "$ROOT"
    git archive "$COMMIT" | tar -x -C "$ROOT"
    cd "$ROOT"
    npm ci --include=dev --no-audit --no-fund --loglevel=error
    node scripts/build.mjs`
  await run('bash', ['-o', 'pipefail', '-c', script], {
    logFile: `${root}.log`,
    cwd: projectRoot,
    env: { ...process.env, ROOT: root, COMMIT: commit },
  })
  return { root }
}
