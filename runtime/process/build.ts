// Identifies the build of this process, so that Temporal can route each run to the build it started on (Worker
// Deployments).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { VersioningBehavior } from '@temporalio/common'
import type { WorkerOptions } from '@temporalio/worker'

/**
 * Returns the name of a queue's Worker Deployment. Each queue has one of its own, because the processes of the two
 * queues are replaced at different times.
 */
export const deploymentOf = (queue: string): string => `armature-${queue}`

/** Formats a build like the search attribute `TemporalWorkerDeploymentVersion`. */
export const versionName = (queue: string, build: string): string => `${deploymentOf(queue)}:${build}`

/**
 * Returns the id of this build: the version and a digest of the workflow bundle, such as `1.0.0-3b9c699ac608`. Builds
 * of one version with identical workflows have the same id.
 */
export function buildId(): string {
  const { version }: { version: string } = JSON.parse(read('../../../package.json').toString())
  const digest = createHash('sha256').update(read('../../workflows/bundle.js')).digest('hex')
  return `${version}-${digest.slice(0, 12)}`
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

const read = (path: string): Buffer => readFileSync(new URL(path, import.meta.url))
