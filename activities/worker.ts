// Runs the worker process: `npm run worker`.
import { watchClock } from '../db/clock.js'
import { connect } from '../db/connect.js'
import { createPublishedForms } from '../db/forms/templates/published-forms.js'
import { accountFinder } from '../db/identity/accounts.js'
import { clientStore } from '../db/identity/clients.js'
import { heartbeat, liveBuilds } from '../db/jobs/workers.js'
import { logUnreachable } from '../db/reachable.js'
import { observeReplicas, startReads } from '../db/replica-heartbeats.js'
import { createExportTargets } from '../db/storage/export-targets.js'
import { createStorages } from '../db/storage/storage.js'
import { createLog } from '../runtime/observe/log.js'
import { addressForSdkMetrics, observePool } from '../runtime/observe/metrics.js'
import { activeIds, startTracing } from '../runtime/observe/tracing.js'
import { announceBuild, buildId, ofBuild } from '../runtime/process/build.js'
import { processName } from '../runtime/process/process-name.js'
import { onShutdown } from '../runtime/process/shutdown.js'
import { createSeal } from '../runtime/secrets/seal.js'
import { readConfig } from '../runtime/settings/config.js'
import { orExplain } from '../runtime/settings/wrong-setting.js'
import { startDeployment } from '../runtime/temporal/deployment.js'
import { createOutcomes } from '../runtime/temporal/outcomes.js'
import { type PollingWorker, watchPolling } from '../runtime/temporal/polling.js'
import { installTemporalRuntime, startWorker, type TemporalWorker } from '../runtime/temporal/temporal.js'
import { queues } from '../workflows/jobs/contracts.js'
import { createGrants } from './auth/grants.js'
import { createTokenValidator } from './auth/validate-token.js'
import { createActivities } from './create-activities.js'
import { createGlue } from './glue/endpoints/glue.js'
import { createMailer } from './mail.js'
import { serveMonitor } from './platform/monitor.js'
import { syncOwnSchedules } from './platform/own-schedules.js'
import { startProviderWorkers } from './providers/provider-workers.js'

const config = orExplain(() => readConfig(process.env))
const log = createLog('worker', config.logLevel, config.traces ? activeIds : undefined)
announceBuild(log)
const stopTracing =
  config.traces && (await startTracing({ service: 'armature-worker', version: buildId() }, log, config.traces))
installTemporalRuntime(log, await addressForSdkMetrics())

// An activity that waits for a lock fails after two seconds, and one that waits for its turn among the writers after
// half a second, so that others can use the slot. Temporal retries both.
const pool = { poolSize: config.databasePoolSize, lockWaitSeconds: 1, turnMs: 500, log }
const db = connect(config.databaseUrl, pool)
logUnreachable(config, log)
const { databaseUrl, replicas } = config
const reads = startReads({ primary: db, databaseUrl, replicas, options: pool, log })
const tokens = createTokenValidator({ ...config.identity, log })
const grants = createGrants({ clients: clientStore(db), accounts: accountFinder(db) })
const seal = createSeal(config.encryptionKey, config.oldEncryptionKeys)
const glue = createGlue({ config, db, log, seal, tokens, grants })
const activities = createActivities({
  ...glue,
  db,
  log,
  grants,
  tokens,
  seal,
  forms: createPublishedForms({ db }),
  reads,
  targets: createExportTargets(config),
  // No request waits in this process, so nobody listens.
  jobEnds: createOutcomes(),
  mailer: config.smtp && createMailer(config.smtp),
  attentionMailTo: config.attentionMailTo,
  publicUrl: config.publicUrl,
  temporal: () => worker.current(),
  storages: createStorages(db, config),
  jobRetentionMs: config.jobRetentionMs,
  stuckRunMs: config.stuckRunMs,
  maxDepth: config.hierarchyMaxDepth,
})
const takes = (queue: string): boolean => config.workerQueues.includes(queue)
const build = config.workerVersioning ? buildId() : ''
const options = {
  taskQueue: queues.background,
  activities,
  // Four of these slots are taken by the platform's own runs, which never end.
  maxConcurrentActivityTaskExecutions: 14,
  // Runs move to the current build, because they may wait for hours or never end.
  ...(build && ofBuild(queues.background, build, 'AUTO_UPGRADE')),
}
const worker: TemporalWorker = startWorker(config, log, takes(queues.background) ? options : undefined, ({ call }) =>
  syncOwnSchedules(call),
)
const providerWorkers = takes(queues.calls)
  ? startProviderWorkers({ config, db, log, activities, temporal: worker.current })
  : undefined
const running: Record<string, PollingWorker> = {
  ...(takes(queues.background) && { [queues.background]: worker }),
  ...(providerWorkers && { [queues.calls]: providerWorkers.calls }),
}
const polling = watchPolling(running, worker.current)
const polled = () => Object.keys(running).filter(queue => running[queue]?.isRunning())
const endHeartbeat = heartbeat({ db, log, process: processName, build, polled })
const endDeployment = takes(queues.background)
  ? startDeployment({
      queue: queues.background,
      build,
      temporal: worker.current,
      isRunning: worker.isRunning,
      liveBuilds: () => liveBuilds(db),
      log,
    })
  : undefined
observePool(db)
const endClock = watchClock(db, log)
observeReplicas(reads)
const monitor =
  config.workerPort === undefined ? undefined : serveMonitor(config.workerPort, config.host, { db, polling })

onShutdown(log, async () => {
  endHeartbeat()
  monitor?.close()
  await worker.stop(Promise.all([providerWorkers?.stop(), endDeployment?.()]))
  await Promise.all([reads.stop(), endClock()])
  await db.destroy()
  await stopTracing?.()
})
log.info('worker started')
