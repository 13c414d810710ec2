// Extracts beside kills and outages.
import { beforeAll, expect, test } from 'vitest'
import { allAsked, instantOf, judged, listed, type Practice, people, practice } from '../../support/extract-practice.js'
import { extract, extractPath, holdDefinition } from '../../support/extracts.js'
import { formAsked, openDatabase } from '../../support/factories.js'
import { ended, type JobBody, jobRow, kill, sent, signal } from '../../support/faults.js'
import { sharedStack } from '../../support/running-stack.js'
import { until } from '../../support/until.js'

const stack = sharedStack()
const db = openDatabase(6)
let tenant: Practice
beforeAll(async () => {
  tenant = await practice(db, { count: 3_000, textLength: 600 }, stack.baseUrl)
})

test('an extract that is waited for, while worker, API, Temporal and database are killed in its middle and people go on, shows what counted at its instant', async () => {
  const others = people(tenant, 3)
  const headers = { 'idempotency-key': 'the-nightly-one' }
  const ask = () => extract(tenant.forms, { definitions: allAsked }, headers)
  // Nothing is listed before all is held that is to be.
  signal(stack.worker, 'SIGSTOP')
  const answer = sent(ask())
  const job = await until('the extract is accepted', () => jobRow(db, tenant.tenantKey))
  const [first, second] = await Promise.all([1, 2].map(n => holdDefinition(db, tenant.tenantId, job.id, n)))
  signal(stack.worker, 'SIGCONT')
  await listed(db, job.id, 1)
  await Promise.all([stack.worker, stack.api, stack.temporal].map(victim => kill(victim)))
  await first?.open()
  await listed(db, job.id, 2)
  await kill(stack.database)
  // Where the database is not ours to kill; otherwise it has forgotten.
  await second?.open()
  expect(await answer, 'the API was killed before it could answer').toBeUndefined()
  const all = { done: allAsked.length, total: allAsked.length }
  expect(await ended(tenant, job.id)).toMatchObject({ status: 'Completed', progress: all })
  await others.stop()

  const again = await ask()
  expect(judged(tenant, again)).toEqual([])
  expect(again.headers.get('location'), 'the key finds the first one').toBe(`/api/v1/jobs/${job.id}`)
  const { accepted_at } = await db('jobs').where({ id: job.id }).first('accepted_at')
  expect(instantOf(again.headers) - accepted_at.getTime()).toBeGreaterThanOrEqual(0)
  expect(instantOf(again.headers) - accepted_at.getTime(), 'not that of a later try').toBeLessThan(5_000)

  // What was submitted since is what another one finds.
  const from = new Date(instantOf(again.headers)).toISOString()
  const since = await extract(tenant.forms, { definitions: [formAsked('visit')], from })
  expect(judged(tenant, since, { definitions: [formAsked('visit')], from })).toEqual([])
  expect(since.body.results[0]?.results.length).toBeGreaterThan(0)
})

/** Reads an answer; when its first bytes are there, something happens. @returns whether it was broken off. */
async function isBrokenOff(answer: Response, meanwhile: () => Promise<unknown>): Promise<boolean> {
  if (answer.status !== 200 || !answer.body) throw new Error(`${answer.status}: ${await answer.text()}`)
  const reader = answer.body.getReader()
  await reader.read()
  await meanwhile()
  try {
    for (;;) if ((await reader.read()).done) return false
  } catch {
    return true
  }
}

test('an answer breaks off when the API or the database is killed while it is sent, and can then be fetched whole', async () => {
  const body = { definitions: allAsked }
  const { body: job } = await tenant.forms.post<JobBody>(extractPath, body, { prefer: 'respond-async' })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed' })
  const path = `${job.links.self}/result`
  for (const victim of [stack.api, stack.database]) {
    // Not compressed, for then it would be so small that all of it is sent before the kill.
    const headers = { authorization: `Bearer ${tenant.forms.token}`, 'accept-encoding': 'identity' }
    const answer = await fetch(new URL(path, stack.baseUrl), { headers })
    if (victim) expect(await isBrokenOff(answer, () => kill(victim))).toBe(true)
    else await answer.body?.cancel()
    await stack.ready()
  }
  const whole = await until('it is had', async () => {
    const reply = await sent(tenant.forms.get<string>(path, { accept: 'application/x-ndjson' }))
    return reply?.status === 200 && reply
  })
  expect(judged(tenant, whole)).toEqual([])
})

test('while Temporal hangs, extracts are refused and leave nothing behind; then the same requests are answered', async () => {
  const mine = { tenant_id: tenant.tenantId }
  const left = async () => [
    await db('jobs').where(mine).select('id'),
    await db('form_extracts').where(mine).select('job_id'),
    await db('form_extract_results').where(mine).distinct('job_id'),
  ]
  const before = await left()
  const bodies = { all: { definitions: allAsked }, few: { definitions: allAsked, maxResults: 20 } }
  const both = () =>
    Promise.all(Object.entries(bodies).map(([key, body]) => extract(tenant.forms, body, { 'idempotency-key': key })))
  signal(stack.temporal, 'SIGSTOP')
  try {
    for (const refused of await both()) {
      expect(refused).toMatchObject({ status: 503, body: { type: '/problems/unavailable' } })
      expect(refused.body).toMatchObject({ detail: expect.stringContaining('Nothing was changed.') })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  } finally {
    signal(stack.temporal, 'SIGCONT')
  }
  expect(await left()).toEqual(before)
  await stack.ready()
  const answers = await both()
  expect(answers.map((answer, n) => judged(tenant, answer, n === 1 ? { maxResults: 20 } : {}))).toEqual([[], []])
})
