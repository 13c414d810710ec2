// Hostile expressions in jobs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ChangeAnswer, changePaths, refreshPath, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { type DataTenant, dataTenant, point } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { sharedStack } from '../support/running-stack.js'

const { worker } = sharedStack()
const provider = await scriptedProvider()
let tenant: DataTenant
let pid: number | undefined

beforeAll(async () => {
  const glue = scriptedGlue(provider.url, { by: ['page', 'subject'], extracts: { register: { kind: 'all' } } })
  tenant = await dataTenant({ ...glue, endpoints: glue.endpoints.map(withExpression) }, ['ada'])
  provider.says(() => ({ expression: 'memory', dataPoints: [point('a', 'ada')] }))
  pid = worker.pid
})
afterAll(() => provider.stop())

/** Ends its process by memory, or makes what would end the one that asked. */
const withExpression = (endpoint: object) => {
  const memory = '$length($pad("a", 100000000))'
  const repeated = '($list := [1..1000].{}; [1..10000].{"a": $list})'
  const expression = `$$.steps.ask.body.expression = "memory" ? ${memory} : ${repeated}`
  const [ask] = 'steps' in endpoint && Array.isArray(endpoint.steps) ? endpoint.steps : []
  return {
    ...endpoint,
    steps: [ask, { name: 'answer', respond: { rows: 'steps.ask.body.dataPoints', row: expression } }],
  }
}

const faults = [{ pointer: '/glue/endpoints/0/steps/1/respond/row', code: 'too-much-memory' }]
const problem = { status: 500, type: '/problems/evaluation-ended', errors: faults }

test('a refresh whose expression ends its process fails at once, and names the expression', async () => {
  const { status, body } = await tenant.post(refreshPath())
  expect({ status, body }).toMatchObject({ status: 500, body: problem })
  expect(provider.questions, 'nothing was tried again').toHaveLength(1)
  expect(worker.pid).toBe(pid)
})

test('a fetch of a changed subject whose expression ends its process fails at once', async () => {
  provider.questions.length = 0
  const changed = await tenant.provider.post<ChangeAnswer>(changePaths.created, {
    SubjectIdentifier: 'ada',
    DataExtractsOptionsValuesFilter: { kind: 'all' },
    NewOrUpdatedDataPoints: [point('pushed', 'ada')],
  })
  expect(await ended(tenant, changed.body.JobId ?? '')).toMatchObject({ status: 'Failed', problem })
  expect(provider.questions, 'nothing was tried again').toHaveLength(1)
  expect(worker.pid).toBe(pid)
})

test("a refresh whose provider's credentials take too much memory fails at once", async () => {
  const clientId = '{% for n in (1..100000000) %}{{ n }}{% endfor %}'
  const clientSecret = '{{ variables.secret }}'
  const authentication = { tokenUrl: `${provider.url}/token`, clientId, clientSecret }
  const glue = scriptedGlue(provider.url, { provider: { authentication } })
  const secret = { name: 'secret', value: 'x', hosts: [new URL(provider.url).host] }
  const guarded = await dataTenant({ ...glue, secrets: [secret] }, ['ada'])
  const accepted = await guarded.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  const pointer = '/glue/providers/0/authentication/clientId'
  expect(await ended(guarded, accepted.body.jobId)).toMatchObject({
    status: 'Failed',
    problem: { type: '/problems/evaluation-ended', errors: [{ pointer, code: 'too-much-memory' }] },
  })
})

test('a refresh whose expression repeats a list a thousand times does not end the worker', async () => {
  provider.says(() => ({ expression: 'repeated', dataPoints: [point('a', 'ada')] }))
  const accepted = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
  const job = await ended(tenant, accepted.body.jobId)
  expect(job).toMatchObject({ status: 'Failed', problem: { type: '/problems/endpoint-failed' } })
  expect(worker.pid).toBe(pid)
})
