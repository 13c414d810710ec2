// A refresh that continues as a new run.
import { expect, test } from 'vitest'
import { points, refreshPath, scriptedGlue, scriptedProvider } from '../../support/data-sets.js'
import { dataTenant, point } from '../../support/factories.js'
import { ended, type JobBody } from '../../support/faults.js'
import { temporalClient } from '../../support/jobs.js'
import { sharedStack } from '../../support/running-stack.js'

const stack = sharedStack()

test('a refresh whose history grows long goes on in a new run, and no page is fetched twice', async () => {
  const provider = await scriptedProvider(stack.providerPorts)
  const { client, close } = await temporalClient(stack.temporalAddress, stack.encryptionKey)
  try {
    const pages = 1_000
    const row = (n: number) => point(`r${String(n).padStart(4, '0')}`, 'ada')
    provider.says(({ cursor }) => {
      const n = Number(cursor ?? 0)
      return { dataPoints: [row(n)], next: n + 1 < pages ? n + 1 : null }
    })
    // A provider with limits is called by one activity a page.
    const glue = scriptedGlue(provider.url, { pageSize: 1, provider: { limits: { concurrency: 4 } } })
    const tenant = await dataTenant(glue, ['ada'], stack.baseUrl)
    const { body } = await tenant.post<JobBody>(refreshPath(), undefined, { prefer: 'respond-async' })
    const job = await ended(tenant, body.jobId, 400_000)
    expect(job).toMatchObject({ status: 'Completed', counts: { rows: pages } })
    expect(await points(tenant)).toEqual(Array.from({ length: pages }, (_, n) => row(n)))
    expect(provider.questions).toHaveLength(pages)
    const statuses: string[] = []
    const workflowId = decodeURIComponent(job.links.temporalUi.split('/').at(-1) ?? '')
    for await (const run of client.workflow.list({ query: `WorkflowId = '${workflowId}'` }))
      statuses.push(run.status.name)
    expect(statuses.sort()).toEqual(['COMPLETED', 'CONTINUED_AS_NEW'])
  } finally {
    await close()
    await provider.stop()
  }
})
