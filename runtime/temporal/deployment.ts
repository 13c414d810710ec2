// Decides which build receives the new runs of a queue.
import type { Log } from '../observe/log.js'
import { deploymentOf } from '../process/build.js'
import { repeat } from '../process/repeat.js'
import { isNotFound, type Temporal } from './calls.js'

/** Interval between two checks, in ms. The shorter one applies until the worker polls and Temporal knows its build. */
const lookMs = 5_000
const unknownMs = 200

interface Deployment {
  queue: string
  /** The build id; empty if this process runs without versioning. */
  build: string
  temporal(): Temporal
  /** Tells whether this process is polling the queue. */
  isRunning(): boolean
  /** Lists the builds that have at least one process polling a queue. */
  liveBuilds(): Promise<{ queue: string; build: string }[]>
  log: Log
}

/**
 * Keeps the current build of a queue, which receives its runs, set to one that has processes. This build becomes the
 * current one if it is new, or if the current one has no processes left. A process of an older build therefore takes
 * nothing over when it restarts.
 * @returns a function that stops the checks, and resolves when the connection is no longer in use.
 */
export function startDeployment({ queue, build, temporal, isRunning, liveBuilds, log }: Deployment) {
  const deploymentName = deploymentOf(queue)
  /** The current build, if the last check found no process of it. */
  let silent: string | undefined

  function warn(err: unknown): true {
    log.warn({ err, deploymentName, build }, 'the current build is not known')
    return true
  }

  /** Checks the current build once and takes over if necessary. @returns whether Temporal knows this build. */
  async function look(): Promise<boolean> {
    const deployment = await describe()
    const current = deployment?.routingConfig?.currentDeploymentVersion?.buildId ?? ''
    if (!deployment || current === build) return current === build
    const own = deployment.versionSummaries?.find(({ deploymentVersion }) => deploymentVersion?.buildId === build)
    if (build !== '' && !own) return false
    if (own && !own.firstActivationTime) await become(deployment.conflictToken)
    else if (await isAlive(current)) silent = undefined
    // After an outage of the database, no process has reported for a while. Only a second check is conclusive.
    else if (silent !== current) silent = current
    else await become(deployment.conflictToken)
    return true
  }

  const isAlive = async (other: string): Promise<boolean> =>
    (await liveBuilds()).some(each => each.queue === queue && each.build === other)

  async function describe() {
    try {
      const { workerDeploymentInfo, conflictToken } = await temporal().call(client =>
        client.workflowService.describeWorkerDeployment({ namespace: client.options.namespace, deploymentName }),
      )
      return { ...workerDeploymentInfo, conflictToken }
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /**
   * Makes this build the current one. @param conflictToken lets Temporal reject the change if another process was
   * faster.
   */
  async function become(conflictToken: Uint8Array): Promise<void> {
    await temporal().call(({ options: { namespace, identity }, workflowService }) =>
      workflowService.setWorkerDeploymentCurrentVersion({
        namespace,
        deploymentName,
        buildId: build,
        conflictToken,
        identity,
      }),
    )
    log.info({ deploymentName, build }, 'the build gets the runs of its queue')
  }

  return repeat(async () => (isRunning() && (await look().catch(warn)) ? lookMs : unknownMs))
}
