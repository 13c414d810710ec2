// The build of this process, which Temporal tells runs apart by (Worker Deployments).
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { VersioningBehavior } from '@temporalio/common'
import type { WorkerOptions } from '@temporalio/worker'

/** The Worker Deployment of a queue: processes of the two queues with runs are replaced at different times. */
export const deploymentOf = (queue: string): string => `armature-${queue}`

/** A build as the search attribute `TemporalWorkerDeploymentVersion` has it. */
export const versionName = (queue: string, build: string): string => `${deploymentOf(queue)}:${build}`

/**
 * Id of this build: the version, and a digest of what runs execute. `1.0.0-3b9c699ac608`. Builds of one version with equal workflows
 * have one id.
 */
export function buildId(): string {
  const { version }: { version: string } = JSON.parse(read('../../../package.json').toString())
  const digest = createHash('sha256').update(read('../../workflows/bundle.js')).digest('hex')
  return `${version}-${digest.slice(0, 12)}`
}

/** Options of a worker with which its runs belong to a build. */
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
