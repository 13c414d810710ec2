// Starts the workflow and prints its result: node examples/nexus/start.mjs <from> <to> <structure type of to>
import { randomUUID } from 'node:crypto'
import { Client, Connection } from '@temporalio/client'
import { createNexusCodec } from 'armature/nexus/codec'

const { TEMPORAL_ADDRESS: address = '127.0.0.1:7233', TEMPORAL_NAMESPACE: namespace = 'default' } = process.env
const key = Buffer.from(process.env.NEXUS_ENCRYPTION_KEY, 'base64')
const [from, to, StructureTypeKey] = process.argv.slice(2)

const connection = await Connection.connect({ address })
const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [createNexusCodec(key)] } })
const result = await client.workflow.execute('moveWard', {
  taskQueue: 'wards',
  workflowId: `move-ward-${randomUUID()}`,
  args: [{ from, to: { Key: to, DisplayName: to, StructureTypeKey } }],
})
console.log(JSON.stringify(result))
await connection.close()
