// Form deliveries beside outages and kills.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin, newTenant, type Tenant } from '../../support/api.js'
import { type DeliveryEndpoint, deliveryEndpoint, type Told } from '../../support/deliveries.js'
import { aSmallTemplate, openDatabase } from '../../support/factories.js'
import { signal } from '../../support/faults.js'
import { putForm } from '../../support/forms.js'
import { temporalClient } from '../../support/jobs.js'
import { form, hidden, launchPath, page, referenceOf } from '../../support/launches.js'
import { randomOf } from '../../support/random.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const only = aSmallTemplate([{ id: 'note', label: 'Note' }])

const stack = sharedStack()
const db = openDatabase()
let endpoint: DeliveryEndpoint

beforeAll(async () => {
  endpoint = await deliveryEndpoint(stack.providerPorts)
})
afterAll(async () => {
  await endpoint?.stop()
})

async function newPractice(delivery: object, providers: object[] = []): Promise<Tenant> {
  const tenant = await newTenant(stack.baseUrl, {}, { glue: { providers }, forms: { delivery } })
  const { status } = await putForm(await admin(stack.baseUrl), tenant.tenantKey, only)
  expect(status).toBe(201)
  return tenant
}

/** Opens the form and sends it, again and again with the same ticket, as a person does until it is said to be sent. */
async function fillIn({ tenantKey }: Tenant, note: string): Promise<string> {
  const path = launchPath(tenantKey, 'small', 1)
  const opened = await until('the form opens', async () => {
    const answer = await page(path, {}, stack.baseUrl).catch(() => undefined)
    return answer?.status === 200 && answer
  })
  const fields = form(['ticket', hidden(opened.text, 'ticket')], ['note', note])
  const sent = await until('the form is sent', async () => {
    const answer = await page(path, fields, stack.baseUrl).catch(() => undefined)
    return answer?.status === 303 && answer
  })
  return referenceOf(sent)
}

/** Fills in many forms, some at a time, and goes on meanwhile. @returns their notes by reference. */
async function fillInMany(
  tenant: Tenant,
  count: number,
  meanwhile: () => Promise<unknown>,
): Promise<Map<string, string>> {
  const model = new Map<string, string>()
  const numbers = Array.from({ length: count }, (_, n) => n)
  const person = async () => {
    for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) {
      const note = `note ${n} of ${tenant.tenantKey}`
      model.set(await fillIn(tenant, note), note)
    }
  }
  await Promise.all([person(), person(), person(), person(), meanwhile()])
  expect(model.size, 'each form has a reference of its own').toBe(count)
  return model
}

/** All have arrived, each as it was filled in and under its own key, and the platform keeps none. */
async function expectAllArrived({ tenantKey }: Tenant, model: Map<string, string>): Promise<void> {
  const { id } = await db('tenants').where({ tenant_key: tenantKey }).first('id')
  const open = () => db('jobs').where({ tenant_id: id }).whereNot({ status: 'Completed' })
  await until('all jobs are done', async () => (await open()).length === 0)
  expect(await db('form_deliveries').where({ tenant_id: id })).toEqual([])
  expect(await db('jobs').where({ tenant_id: id })).toHaveLength(model.size)
  const arrived = new Map(endpoint.arrived.map(({ key, xml }) => [key, /<note>(.*)<\/note>/.exec(xml)?.[1]]))
  expect(new Map([...arrived].filter(([, note]) => note?.endsWith(tenantKey)))).toEqual(model)
  for (const [key, note] of model) {
    const documents = endpoint.tried.filter(each => each.key === key).map(({ xml }) => xml)
    expect(new Set(documents).size, `${note} is the same each time`).toBe(1)
  }
}

const restarted = async () => {
  await stack.ready()
}

test('many forms arrive, each as it was filled in, while their endpoint fails and processes are killed', async () => {
  const { between } = randomOf(6)
  const failures: Told[] = [503, 500, 408, { status: 429, headers: { 'retry-after': '1' } }, 'hangs']
  endpoint.answers(() => (between(0, 10) < 4 ? (failures[between(0, failures.length)] ?? 503) : 204))
  const provider = { key: 'p', url: endpoint.origin, timeoutSeconds: 1 }
  const tenant = await newPractice({ provider: 'p', url: '/forms' }, [provider])
  const model = await fillInMany(tenant, 40, async () => {
    await until('some have arrived', async () => endpoint.arrived.length > 3)
    signal(stack.worker, 'SIGKILL')
    await until('more have arrived', async () => endpoint.arrived.length > 8)
    signal(stack.api, 'SIGKILL')
    await restarted()
    signal(stack.worker, 'SIGKILL')
  })
  endpoint.answers(204)
  await expectAllArrived(tenant, model)
})

test('forms are taken while Temporal hangs, and arrive when it is back, by one run each', async () => {
  endpoint.answers(204)
  const tenant = await newPractice({ url: endpoint.url })
  const before = endpoint.arrived.length
  signal(stack.temporal, 'SIGSTOP')
  const model = await fillInMany(tenant, 12, async () => undefined).finally(() => signal(stack.temporal, 'SIGCONT'))
  expect(endpoint.arrived.length).toBe(before)
  await expectAllArrived(tenant, model)
  // The API has sent a start for each, which Temporal takes late, and the outbox another one.
  const temporal = await temporalClient(stack.temporalAddress)
  const runs = () => temporal.client.workflow.count(`TenantKey = '${tenant.tenantKey}'`)
  await until('the runs are seen', async () => (await runs()).count >= model.size)
  expect(await runs()).toMatchObject({ count: model.size })
  await temporal.close()
})

test("a form is sent again with the same key if the process is killed before it records the endpoint's answer", async () => {
  const tenant = await newPractice({ url: endpoint.url })
  endpoint.answers(() => {
    endpoint.answers(204)
    signal(stack.worker, 'SIGKILL')
    return 204
  })
  const model = await fillInMany(tenant, 1, async () => undefined)
  await expectAllArrived(tenant, model)
  const [key] = model.keys()
  expect(endpoint.arrived.filter(each => each.key === key)).toHaveLength(2)
})
