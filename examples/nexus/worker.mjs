// The integrator's own worker: node examples/nexus/worker.mjs
import { fileURLToPath } from 'node:url'
import { NativeConnection, Worker } from '@temporalio/worker'
import { createNexusCodec } from 'armature/nexus/codec'

const { TEMPORAL_ADDRESS: address = '127.0.0.1:7233', TEMPORAL_NAMESPACE: namespace = 'default' } = process.env
const key = Buffer.from(process.env.NEXUS_ENCRYPTION_KEY, 'base64')

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  namespace,
  taskQueue: 'wards',
  workflowsPath: fileURLToPath(new URL('workflows.mjs', import.meta.url)),
  dataConverter: { payloadCodecs: [createNexusCodec(key)] },
})
await worker.run()
