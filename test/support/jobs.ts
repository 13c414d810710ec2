import { Client, Connection } from '@temporalio/client'
import { connect } from '../../db/connect.js'
import { newTenant, type Tenant } from './api.js'
import type { JobBody } from './faults.js'
import { type HierarchyModel, hierarchyModel, placeType } from './hierarchy-model.js'

export interface JobItemBody {
  index: number
  key: string
  layer: number
  outcome: string
}

/** A tenant with the structure type of the places, and the model of its hierarchy. */
export async function tenantWithPlaces(baseUrl: string): Promise<{ tenant: Tenant; model: HierarchyModel }> {
  const tenant = await newTenant(baseUrl)
  const answer = await tenant.put('/api/v1/structureType', placeType)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
  return { tenant, model: hierarchyModel() }
}

/** A client of the Temporal server, as an operator has it. */
export async function temporalClient(address: string): Promise<{ client: Client; close(): Promise<void> }> {
  const connection = await Connection.connect({ address })
  return { client: new Client({ connection }), close: () => connection.close() }
}

/** All texts that Temporal keeps of a job's run: its history, those in payloads decoded, and its description. */
export async function everythingTemporalHolds(client: Client, job: JobBody): Promise<string> {
  const handle = client.workflow.getHandle(decodeURIComponent(job.links.temporalUi.split('/').at(-1) ?? ''))
  await handle.result().catch(() => undefined)
  const description = await handle.describe()
  return [...textsOf(await handle.fetchHistory()), ...textsOf(description.raw)].join('\n')
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Uint8Array) return [Buffer.from(value).toString('utf8')]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/** A change made by another writer of the hierarchy at a moment the test chooses. */
export interface HeldHierarchy {
  /** Removes an entity the way a DELETE does, inside the held lock. */
  remove(key: string): Promise<void>
  /** Creates a root of this type the way a PUT does. */
  create(key: string, typeKey: string): Promise<void>
  /** Lets the writers that wait go on. */
  release(): Promise<void>
}

/** Takes the lock that writers of a tenant's hierarchy take in turn: jobs are accepted meanwhile, and none of them writes. */
export async function holdHierarchy(databaseUrl: string, tenantKey: string): Promise<HeldHierarchy> {
  const db = connect(databaseUrl, { poolSize: 1 })
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const trx = await db.transaction()
  await trx('hierarchies').where({ tenant_id: id }).forUpdate().first('version')
  return {
    async remove(key) {
      await trx('structural_entities').where({ tenant_id: id, entity_key: key }).delete()
      await trx('hierarchies').where({ tenant_id: id }).increment('version', 1)
    },
    async create(key, typeKey) {
      const row = { tenant_id: id, entity_key: key, display_name: key, depth: 1, type_key: typeKey }
      await trx('structural_entities').insert(row)
      await trx('hierarchies').where({ tenant_id: id }).increment('version', 1)
    },
    async release() {
      await trx.commit()
      await db.destroy()
    },
  }
}
