// The version and the build of this process, for operators, and so that Temporal can route each run to the build it
// started on (Worker Deployments).
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VersioningBehavior } from '@temporalio/common'
import type { WorkerOptions } from '@temporalio/worker'
import { Gauge } from 'prom-client'
import type { Log } from '../observe/log.js'
import { processMetrics } from '../observe/metrics.js'
import { projectRoot, version } from './version.js'

/**
 * Returns the name of a queue's Worker Deployment. Each queue has one of its own, because the processes of the two
 * queues are replaced at different times.
 */
export const deploymentOf = (queue: string): string => `armature-${queue}`

/** Formats a build like the search attribute `TemporalWorkerDeploymentVersion`. */
export const versionName = (queue: string, build: string): string => `${deploymentOf(queue)}:${build}`

let known: string | undefined

/**
 * Returns the id of this build: the version and a digest of the workflow bundle, such as `1.0.0-3b9c699ac608`. Builds
 * of one version with identical workflows have the same id.
 */
export function buildId(): string {
  known ??= `${version}-${hash('sha256', readFileSync(join(projectRoot, 'dist', 'workflows', 'bundle.js'))).slice(0, 12)}`
  return known
}

/** Logs the version and the build, and adds them to the metrics of this process. */
export function announceBuild(log: Log): void {
  const build = { version, build: buildId() }
  log.info(build, 'starts')
  const labelNames = ['version', 'build']
  const help = 'Always 1; its labels are the version and the build of the process'
  new Gauge({ name: 'armature_build_info', help, labelNames, registers: [processMetrics] }).set(build, 1)
}

/** Returns the worker options that assign runs to a build. */
export const ofBuild = (
  queue: string,
  buildId: string,
  defaultVersioningBehavior: VersioningBehavior,
): Pick<WorkerOptions, 'workerDeploymentOptions'> => ({
  workerDeploymentOptions: {
    useWorkerVersioning: true,
    version: { deploymentName: deploymentOf(queue), buildId },
    defaultVersioningBehavior,
  },
})
