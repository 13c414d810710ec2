// The queries that docs/observe.md recommends for the Temporal UI.
import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { tenantWithPlaces } from '../support/factories.js'
import { acceptBulk, ended } from '../support/faults.js'
import { place } from '../support/hierarchy-model.js'
import { endedRun, openTemporal } from '../support/jobs.js'

const page = readFileSync('docs/observe.md', 'utf8')
const section = page.slice(page.indexOf('## Find a job in the Temporal UI'), page.indexOf('## Cancel, retry, reset'))
const block = /^```\n(.*?)^```$/ms.exec(section)?.[1] ?? ''
const views = [...section.matchAll(/^\| ([^|]+) \| `([^`]+)`/gm)]
const queries = [...block.trim().split('\n'), ...views.map(([, , query = '']) => query)]

const client = await openTemporal()
const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
const filledIn = (query: string) => query.replace('<today>', hourAgo.slice(0, 10)).replace('<an hour ago>', hourAgo)

async function idsOf(query: string): Promise<string[]> {
  const ids: string[] = []
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId)
  return ids
}

test.each(queries)('Temporal takes %s', async query => {
  expect(filledIn(query)).not.toMatch(/[<>]\w|\w>/)
  expect(await idsOf(filledIn(query))).toEqual(expect.any(Array))
})

test('the page has queries and views', () => {
  expect([block.trim().split('\n').length, views.length]).toEqual([5, 9])
})

test('a job is found by its tenant, kind, id and client', async () => {
  const { tenant } = await tenantWithPlaces(inject('baseUrl'))
  const job = await ended(tenant, (await acceptBulk(tenant, [place('found')])).jobId)
  const { workflowId } = await endedRun(client, job)
  expect(workflowId).toBe(`${tenant.tenantKey}/${job.kind}/${job.jobId}`)
  const exact = [`JobId = '${job.jobId}'`, `TenantKey = '${tenant.tenantKey}' AND Actor = '${job.actor}'`]
  for (const query of exact) await expect.poll(() => idsOf(query)).toEqual([workflowId])
})
