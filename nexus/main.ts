// The Nexus gateway process: `npm run nexus`. It serves an integrator's Temporal, and calls the API as one client of a
// tenant.
import { fileURLToPath } from 'node:url'
import { NativeConnection, Worker } from '@temporalio/worker'
import { createClient } from '../client/index.js'
import { createLog } from '../runtime/observe/log.js'
import { addressForSdkMetrics } from '../runtime/observe/metrics.js'
import { onShutdown } from '../runtime/process/shutdown.js'
import { temporalConnection } from '../runtime/settings/temporal-connection.js'
import { orExplain } from '../runtime/settings/wrong-setting.js'
import { installTemporalRuntime } from '../runtime/temporal/temporal.js'
import { createCalls } from './calls.js'
import { createNexusCodec } from './codec.js'
import { handler } from './handler.js'
import { readSettings } from './settings.js'

const settings = orExplain(() => readSettings(process.env))
const log = createLog('nexus', settings.LOG_LEVEL)
installTemporalRuntime(log, await addressForSdkMetrics())

const client = createClient({
  url: settings.ARMATURE_URL,
  clientId: settings.ARMATURE_CLIENT_ID,
  clientSecret: settings.ARMATURE_CLIENT_SECRET,
  scope: settings.ARMATURE_SCOPE,
})
const connection = await NativeConnection.connect(temporalConnection(settings))
const worker = await Worker.create({
  connection,
  namespace: settings.TEMPORAL_NAMESPACE,
  taskQueue: settings.NEXUS_TASK_QUEUE,
  workflowBundle: { codePath: fileURLToPath(new URL('./bundle.js', import.meta.url)) },
  activities: createCalls(client),
  nexusServices: [handler],
  dataConverter: { payloadCodecs: [createNexusCodec(Buffer.from(settings.NEXUS_ENCRYPTION_KEY, 'base64'))] },
  // There can be many, because most activities only wait for a job.
  maxConcurrentActivityTaskExecutions: 500,
  shutdownGraceTime: '4s',
  shutdownForceTime: '5s',
})
const running = worker.run()
onShutdown(log, async () => {
  if (worker.getState() === 'RUNNING') worker.shutdown()
  await running
  await connection.close()
})
log.info({ queue: settings.NEXUS_TASK_QUEUE, api: settings.ARMATURE_URL }, 'nexus gateway started')
