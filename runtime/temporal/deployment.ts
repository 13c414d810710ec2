// Makes a build the one that gets the runs of its queue.
import type { Log } from '../observe/log.js'
import { deploymentOf } from '../process/build.js'
import { repeat } from '../process/repeat.js'
import { isNotFound, type Temporal } from './temporal.js'

/** Between two looks, and until the worker polls and Temporal has heard of it, in ms. */
const lookMs = 5_000
const unknownMs = 200
/** How long Temporal may take for an answer, in ms. */
const answerMs = 3_000

interface Deployment {
  queue: string
  /** Empty where the runs of this process are not versioned. */
  build: string
  temporal(): Temporal
  /** True while the process polls the queue. */
  isRunning(): boolean
  /** Builds of which a process polls a queue. */
  liveBuilds(): Promise<{ queue: string; build: string }[]>
  log: Log
}

/**
 * Keeps the runs of a queue with a build that is there. A build becomes the current one when it is new, or when no process of the
 * current one is left. So a process of an older build that starts again takes nothing over.
 * @returns what ends it, and resolves when the connection is not used any more.
 */
export function startDeployment({ queue, build, temporal, isRunning, liveBuilds, log }: Deployment) {
  const deploymentName = deploymentOf(queue)
  /** The current build, where nobody had heard of it at the last look. */
  let silent: string | undefined

  function warn(err: unknown): true {
    log.warn({ err, deploymentName, build }, 'the current build is not known')
    return true
  }

  /** @returns whether Temporal knows the build. */
  async function look(): Promise<boolean> {
    const deployment = await describe()
    const current = deployment?.routingConfig?.currentDeploymentVersion?.buildId ?? ''
    if (!deployment || current === build) return current === build
    const own = deployment.versionSummaries?.find(({ deploymentVersion }) => deploymentVersion?.buildId === build)
    if (build !== '' && !own) return false
    if (own && !own.firstActivationTime) await become(deployment.conflictToken)
    else if (await isAlive(current)) silent = undefined
    // After an outage of the database nobody has been heard of for a while. The next look knows.
    else if (silent !== current) silent = current
    else await become(deployment.conflictToken)
    return true
  }

  const isAlive = async (other: string): Promise<boolean> =>
    (await liveBuilds()).some(each => each.queue === queue && each.build === other)

  async function describe() {
    const { client } = temporal()
    const { namespace } = client.options
    try {
      const { workerDeploymentInfo, conflictToken } = await client.withDeadline(Date.now() + answerMs, () =>
        client.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
      )
      return { ...workerDeploymentInfo, conflictToken }
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** @param conflictToken what Temporal refuses where another process was first. */
  async function become(conflictToken: Uint8Array): Promise<void> {
    const { client } = temporal()
    const { namespace, identity } = client.options
    await client.withDeadline(Date.now() + answerMs, () =>
      client.workflowService.setWorkerDeploymentCurrentVersion({
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
