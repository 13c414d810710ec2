// Measures what the audit adds to writes: each is done with it and without it, in turns.
import type { Knex } from 'knex'
import { tenantIdOf } from '../db/admin/tenants.js'
import { type Action, asAction } from '../db/audit/action.js'
import { sealAll } from '../db/audit/chain.js'
import { connect, type TenantId } from '../db/connect.js'
import { transaction } from '../db/errors.js'
import { lockHierarchy, setHierarchyVersion } from '../db/frame/hierarchy/hierarchy.js'
import { writeEntities } from '../db/frame/hierarchy/structural-entities.js'
import { planEntities } from '../db/frame/hierarchy/structural-entity-plan.js'
import { upsertSubjects } from '../db/frame/subjects/subjects.js'
import { writeChunks } from '../db/jobs/chunks.js'
import { createJob } from '../db/jobs/create.js'
import { newId } from '../runtime/ids.js'
import { newTenant } from '../test/support/api.js'
import { demoSubjects } from '../test/support/manifest.js'
import type { Stack } from '../test/support/stack.js'
import { person } from '../test/support/subjects.js'
import { queues } from '../workflows/jobs/contracts.js'
import { benchType, hierarchy } from './entities.js'
import { line, median } from './measure.js'

const allows = () => true

/** Prints the median time of writes with the audit and without it, and the median of what it adds. */
export async function benchAudit({ baseUrl, databaseUrl }: Stack, short: boolean): Promise<void> {
  const tenant = await newTenant(baseUrl, {}, { subjects: demoSubjects })
  await tenant.put('/api/v1/structureType', benchType)
  const db = connect(databaseUrl, { poolSize: 4 })
  try {
    const id = await tenantIdOf(db, tenant.tenantKey)
    for (const [name, { calls, work }] of Object.entries(writesOf(db, id))) {
      const { on, off } = await compare(short ? calls / 4 : calls, work)
      // The difference between a call with the audit and the next one without it: other load of the machine slows both.
      const added = median(on.map((ms, n) => ms - (off[n] ?? 0)))
      const [ours, floor] = [median(on), median(off)]
      const more = `${added < 0 ? '' : '+'}${added.toFixed(2)} ms`
      line(`audit: ${name}`, `${ours.toFixed(2)} ms`, `${floor.toFixed(2)} ms`, more, '+5 % of bulks, +1 ms of one')
    }
    const started = performance.now()
    const { count } = (await db('audit_unsealed').where({ tenant_id: id }).count({ count: '*' }).first()) ?? {}
    await sealAll(db)
    line('audit: sealing an event', `${((performance.now() - started) / Number(count)).toFixed(3)} ms`, '', '', '')
  } finally {
    await db.destroy()
  }
}

/** Runs what the request does, as an action of its caller or not. */
type AsRequest = <T>(work: () => Promise<T>) => Promise<T>

interface Write {
  calls: number
  work(asRequest: AsRequest): Promise<unknown>
}

/** The writes that are compared, without HTTP and without a run, which would only hide what the audit adds. */
function writesOf(db: Knex, tenant: TenantId): Record<string, Write> {
  let n = 0
  const upsert = (count: number) => (asRequest: AsRequest) =>
    asRequest(() =>
      transaction(db, tenant, trx =>
        upsertSubjects(
          trx,
          tenant,
          Array.from({ length: count }, () => person(`${n++}`)),
          allows,
        ),
      ),
    )
  // The request accepts the job, which then writes the entities as no action of anybody.
  const entities = async (asRequest: AsRequest) => {
    const items = hierarchy(1_000).map(item => ({ ...item, DisplayName: `D ${n++}` }))
    const planned = await planEntities(db, tenant, items, { allows, maxDepth: 50 })
    const [id, kind] = [newId(), 'structuralEntityBulkUpsert'] as const
    const job = {
      id,
      kind,
      queue: queues.interactive,
      actor: 'bench',
      traceId: id,
      workflowId: id,
      total: items.length,
    }
    await asRequest(() =>
      transaction(db, tenant, async trx => {
        await createJob(trx, tenant, job)
        await writeChunks(trx, tenant, id, planned)
      }),
    )
    await transaction(db, tenant, async trx => {
      const { version, orders } = await lockHierarchy(trx, tenant)
      await writeEntities(trx, tenant, planned, orders)
      await setHierarchyVersion(trx, tenant, version + 1)
    })
    await db('jobs').where({ tenant_id: tenant, id }).delete()
  }
  return {
    'a new subject': { calls: 1_000, work: upsert(1) },
    '20 new subjects': { calls: 400, work: upsert(20) },
    '1,000 entities': { calls: 80, work: entities },
  }
}

/** Does the work with and without the audit, in turns, so that whatever else the machine does meets both alike. */
async function compare(calls: number, work: Write['work']) {
  const times = { on: [] as number[], off: [] as number[] }
  const members = Object.keys(person('')).flatMap(name => [name, `${name}/givenName`, `${name}/familyName`])
  const action = (): Action => ({
    client: 'bench',
    address: '127.0.0.1',
    action: 'upsertSubject',
    kind: 'subject',
    ids: [],
    members,
    traceId: newId(),
  })
  for (let call = -calls / 10; call < calls; call++) {
    const inTurn = ['on', 'off'] as const
    for (const audit of call % 2 === 0 ? inTurn : inTurn.toReversed()) {
      const started = performance.now()
      await work(audit === 'on' ? inner => asAction(action(), inner) : inner => inner())
      // The first calls are a warm-up.
      if (call >= 0) times[audit].push(performance.now() - started)
    }
  }
  return times
}
