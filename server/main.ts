// The API process: the HTTP server and the interactive worker. `npm run api`.

import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createGrants } from '../activities/auth/grants.js'
import { createTokenValidator } from '../activities/auth/validate-token.js'
import { createActivities } from '../activities/create-activities.js'
import { createGlue } from '../activities/glue/endpoints/glue.js'
import { createMailer } from '../activities/mail.js'
import { createRateCounts } from '../db/admin/rate-counts.js'
import { appendLaterEvents } from '../db/audit/later-events.js'
import { watchClock } from '../db/clock.js'
import { connect } from '../db/connect.js'
import { createPublishedForms } from '../db/forms/templates/published-forms.js'
import { accountFinder } from '../db/identity/accounts.js'
import { clientStore } from '../db/identity/clients.js'
import { PublishedSecret, refusePublishedSecrets } from '../db/identity/published-secrets.js'
import { signInStores } from '../db/identity/sign-in-stores.js'
import { signingKeys } from '../db/identity/signing-keys.js'
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
import { createSecretHasher } from '../runtime/secrets/secrets.js'
import { type Config, readConfig } from '../runtime/settings/config.js'
import { orExplain } from '../runtime/settings/wrong-setting.js'
import { startDeployment } from '../runtime/temporal/deployment.js'
import { createOutcomes } from '../runtime/temporal/outcomes.js'
import { watchPolling } from '../runtime/temporal/polling.js'
import { installTemporalRuntime, startWorker, type TemporalWorker } from '../runtime/temporal/temporal.js'
import { queues } from '../workflows/jobs/contracts.js'
import { createApp } from './app.js'
import { basePathOf } from './base-path.js'
import { runSlots } from './glue/run-slots.js'
import { httpServer } from './http-server.js'
import { createIdentity } from './identity/identity.js'
import { rotatingIdentity } from './identity/rotation.js'
import { createSecretCheck } from './identity/secret-check.js'
import { createJobs } from './jobs/start.js'
import { serveMetrics } from './metrics.js'
import { createRateLimits } from './rate-limits.js'

const config = orExplain(() => readConfig(process.env))
const log = createLog('api', config.logLevel, config.traces ? activeIds : undefined)
announceBuild(log)
const stopTracing =
  config.traces && (await startTracing({ service: 'armature-api', version: buildId() }, log, config.traces))
installTemporalRuntime(log, await addressForSdkMetrics())

// Callers are waiting, so a database that hangs must fail soon enough for a 503 within some 10 s.
const pool = { poolSize: config.databasePoolSize, silenceTimeoutMs: 8_000, log }
const db = connect(config.databaseUrl, pool)
const { databaseUrl, replicas } = config
logUnreachable(config, log)
const reads = startReads({ primary: db, databaseUrl, replicas, options: pool, log })
const seal = createSeal(config.encryptionKey, config.oldEncryptionKeys)
const clients = clientStore(db)
const accounts = accountFinder(db)
const grants = createGrants({ clients, accounts })
const tokens = createTokenValidator({ ...config.identity, log })
const jobEnds = createOutcomes<true>()
const mailer = config.smtp && createMailer(config.smtp)
const forms = createPublishedForms({ db })
const glue = createGlue({ config, db, log, seal, tokens, grants })
const storages = createStorages(db, config)
const queue = queues.interactive
const build = config.workerVersioning ? buildId() : ''
const worker: TemporalWorker = startWorker(config, log, {
  taskQueue: queue,
  // Runs end in the build in which they began. They are short, because callers wait for them.
  ...(build && ofBuild(queue, build, 'PINNED')),
  maxConcurrentWorkflowTaskExecutions: runSlots,
  maxConcurrentLocalActivityExecutions: runSlots,
  maxConcurrentActivityTaskExecutions: runSlots,
  activities: createActivities({
    ...glue,
    db,
    log,
    grants,
    tokens,
    seal,
    forms,
    reads,
    targets: createExportTargets(config),
    jobEnds,
    mailer,
    attentionMailTo: config.attentionMailTo,
    publicUrl: config.publicUrl,
    temporal: () => worker.current(),
    storages,
    jobRetentionMs: config.jobRetentionMs,
    stuckRunMs: config.stuckRunMs,
    maxDepth: config.hierarchyMaxDepth,
  }),
})
const polling = watchPolling({ [queue]: worker }, worker.current)
const rateLimits = createRateLimits({ counts: createRateCounts(db), log })
const closing = new AbortController()
const { uiUrl, namespace } = config.temporal
const jobs = createJobs({
  db,
  log,
  temporal: worker.current,
  jobEnds,
  waitTimeoutMs: config.jobWaitTimeoutMs,
  closing: closing.signal,
  uiUrl,
  namespace,
  publicUrl: config.publicUrl,
})
observePool(db)
const endClock = watchClock(db, log)
const endAudit = appendLaterEvents(db, log)
observeReplicas(reads)

const embedded = await embeddedIdentity(config)
const app = createApp({
  ...glue,
  forms,
  config,
  db,
  reads,
  log,
  worker,
  polling,
  jobs,
  storages,
  grants,
  tokens,
  seal,
  hasher: createSecretHasher(config.secretHashCost),
  rateLimits,
  identity: embedded?.identity,
  sendMail: mailer?.send,
})
const server = httpServer(app, basePathOf(config.publicUrl))
server.listen(config.port, config.host)
await once(server, 'listening')
const metrics = config.metricsPort === undefined ? undefined : serveMetrics(config.metricsPort, config.host, db, log)
const { current: temporal, isRunning } = worker
const polled = () => (isRunning() ? [queue] : [])
const endHeartbeat = heartbeat({ db, log, process: processName, build, polled })
const endDeployment = startDeployment({ queue, build, temporal, isRunning, liveBuilds: () => liveBuilds(db), log })
log.info({ url: config.publicUrl }, 'api listens')

async function shutdown(): Promise<void> {
  // Load balancers now see that the process is not ready. Requests that they send until then are still answered.
  await sleep(config.drainMs)
  embedded?.stop()
  metrics?.close()
  endHeartbeat()
  const closed = new Promise(resolve => server.close(resolve))
  server.closeIdleConnections()
  // Callers that wait for a job are told that it goes on. Bulks of entities that this process is writing go on until its worker stops.
  closing.abort()
  await Promise.race([closed, sleep(3_000)])
  server.closeAllConnections()
  await worker.stop(endDeployment())
  await Promise.all([reads.stop(), endClock(), endAudit()])
  await db.destroy()
  await stopTracing?.()
}
onShutdown(log, shutdown, config.drainMs)

/**
 * Creates our own identity service, unless tokens come from another issuer. Waits for the database, which holds its
 * keys.
 */
async function embeddedIdentity({ publicUrl, secretHashCost, allowsPublishedSecrets, ...config }: Config) {
  const { authority, audience } = config.identity
  const newCheck = () => createSecretCheck(config.strangers.wrongCredentialsPerMinute, rateLimits)
  const [checkSecret, checkPassword] = [newCheck(), newCheck()]
  const people = signInStores(db, seal)
  if (authority !== `${publicUrl}/identity`) return undefined
  for (;;) {
    try {
      if (!allowsPublishedSecrets) await refusePublishedSecrets(db)
      return await rotatingIdentity({
        readKeys: () => signingKeys(db, seal),
        serviceWith: keys =>
          createIdentity({
            issuer: authority,
            audience,
            clients,
            people,
            sendMail: mailer?.send,
            signIn: config.signIn,
            temporalUi: config.temporalUi,
            secondFactor: config.secondFactor,
            secretHashCost,
            checkSecret,
            checkPassword,
            keys,
            log,
          }),
        log,
      })
    } catch (err) {
      if (err instanceof PublishedSecret) throw err
      log.error({ err }, 'the signing keys cannot be read yet')
      await sleep(1_000)
    }
  }
}
