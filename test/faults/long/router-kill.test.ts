// Two routers behind a load balancer: one after the other is killed while callers read and write.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newTenant, type Reply } from '../../support/api.js'
import { startCells, type TwoCells } from '../../support/cells.js'
import { ended, type JobBody, kill } from '../../support/faults.js'
import { hierarchyModel, place, placeType } from '../../support/hierarchy-model.js'
import { until } from '../../support/until.js'

const rounds = 4
const writers = 4

let cells: TwoCells

beforeAll(async () => {
  cells = await startCells({}, { routers: 2 })
})
afterAll(() => cells?.stop())

test('each write that was answered is there, none is there twice, and a read is answered when it is repeated', async () => {
  const { a, routerUrl, routers, balancer } = cells
  const tenant = await newTenant(routerUrl)
  await tenant.put('/api/v1/structureType', placeType)
  const model = hierarchyModel()
  const counts = { calls: 0, repeated: 0 }
  const faults: string[] = []
  const jobs = new Set<string>()
  let isOver = false
  const goesOn = () => !isOver && faults.length === 0

  /** Repeats a call whose connection broke: the load balancer answers 502 then. Every other answer must be a success. */
  async function call<Body>(send: () => Promise<Reply<Body>>): Promise<Body | undefined> {
    while (faults.length === 0) {
      const answer = await send().catch(() => undefined)
      if (answer && answer.status < 300) {
        counts.calls++
        return answer.body
      }
      if (answer && answer.status !== 502 && answer.status !== 503)
        faults.push(`${answer.status} ${JSON.stringify(answer.body)}`)
      counts.repeated++
      await sleep(20)
    }
    return undefined
  }

  async function write(writer: number): Promise<void> {
    for (let n = 0; goesOn(); n++) {
      const one = place(`one-${writer}-${n}`)
      await call(() => tenant.put('/api/v1/structuralEntity', one))
      model.apply([one])
      // The read after a write goes to either router.
      await call(() => tenant.get(`/api/v1/structuralEntity/${one.Key}`))
    }
  }

  async function runJobs(): Promise<void> {
    for (let n = 0; goesOn(); n++) {
      const batch = Array.from({ length: 30 }, (_, k) => place(`bulk-${n}-${k}`))
      const headers = { prefer: 'respond-async', 'idempotency-key': `bulk-${n}` }
      const job = await call(() => tenant.put<JobBody>('/api/v1/structuralEntity/bulk', batch, headers))
      if (job) jobs.add(job.jobId)
      model.apply(batch)
    }
  }

  const callers = Promise.all([...Array.from({ length: writers }, (_, n) => write(n)), runJobs()])
  for (let n = 0; n < rounds; n++) {
    const { program, port } = routers[n % routers.length] ?? {}
    const before = counts.calls
    await until('callers go on', async () => counts.calls > before + 100 || !goesOn())
    await kill(program)
    await until('it is back', async () => balancer?.isReady(port ?? 0) || !goesOn())
  }
  isOver = true
  await callers
  expect(faults).toEqual([])
  console.log({ kills: rounds, ...counts, jobs: jobs.size })
  for (const id of jobs) expect(await ended(tenant, id)).toMatchObject({ status: 'Completed', progress: { done: 30 } })
  const { id: tenant_id } = await a.db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  const kept: string[] = await a.db('jobs').where({ tenant_id, kind: 'structuralEntityBulkUpsert' }).pluck('id')
  expect(new Set(kept)).toEqual(jobs)
  expect(await model.differences(a.db, tenant.tenantKey)).toEqual([])
}, 200_000)
