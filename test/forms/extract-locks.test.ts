import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Reply } from '../support/api.js'
import { allAsked, instantOf, judged } from '../support/extract-faults.js'
import { holdClock, waiting } from '../support/extract-holds.js'
import { type Practice, practice } from '../support/extract-population.js'
import { people } from '../support/extract-writers.js'
import { type ExtractBody, extract, formAsked } from '../support/extracts.js'
import { until } from '../support/faults.js'
import type { FormsTenant } from '../support/forms.js'
import { notesTenant, type Patient, whole } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

const db = openDatabase()
afterAll(() => db.destroy())

let tenant: FormsTenant
let tenantId: number
let patient: Patient
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
  tenantId = await tenantIdOf(db, tenant.tenantKey)
})

const asked = { definitions: [formAsked('small')] }
const idsOf = ({ body }: Reply<ExtractBody>) => body.results[0]?.results.map(({ instanceGuid }) => instanceGuid)

test('an extract waits for a submit that is under way, and a submit that comes meanwhile is in the next one', async () => {
  const submit = await holdClock(db, tenantId, 'forShare')
  const first = extract(tenant.forms, asked)
  await waiting(db, tenantId, /form_clocks.*for update/)
  const id = await patient.created()
  const later = patient.submit(id, whole)
  await waiting(db, tenantId, /form_clocks.*lock in share mode/)
  const opened = Date.now()
  await submit.open()

  expect(await later).toMatchObject({ status: 200 })
  const answer = await first
  expect(answer.status).toBe(200)
  expect(idsOf(answer)).toEqual([])
  expect(instantOf(answer.headers), 'it is the time at which all before it was there').toBeGreaterThanOrEqual(opened)
  const from = new Date(instantOf(answer.headers)).toISOString()
  expect(idsOf(await extract(tenant.forms, { ...asked, from }))).toEqual([id])
})

test('a manifest that is applied for long holds up neither submits nor extracts', async () => {
  const manifest = await db.transaction()
  try {
    // As applyManifest does.
    await manifest('tenants').where({ id: tenantId }).forUpdate().first('id')
    await manifest('tenants').where({ id: tenantId }).update({ name: 'Renamed' })
    await manifest('form_settings').where({ tenant_id: tenantId }).update({ settings: '{"delivery":{}}' })
    const id = await patient.created()
    expect(await patient.submit(id, whole)).toMatchObject({ status: 200 })
    expect(idsOf(await extract(tenant.forms, asked))).toContain(id)
  } finally {
    await manifest.rollback()
  }
})

test('a tenant without a clock, as a process of an older version creates it, gets one by its first submits and extracts', async () => {
  await db('form_clocks').where({ tenant_id: tenantId }).delete()
  const ids = await Promise.all([1, 2, 3, 4].map(() => patient.created()))
  const submits = ids.map(id => patient.submit(id, whole))
  const extracts = [1, 2, 3, 4].map(() => extract(tenant.forms, asked))
  const answers = await Promise.all<Reply>([...submits, ...extracts])
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(idsOf(await extract(tenant.forms, asked))).toEqual(expect.arrayContaining(ids))
})

test('while people submit, amend, withdraw and reinstate, each of many extracts shows exactly what counted at its instant', async () => {
  const busy: Practice = await practice(db, { count: 60, textLength: 10 })
  const others = people(busy, 3)
  const answers: Reply<ExtractBody>[] = []
  const limits = [40, 80, 120].map(maxResults => ({ maxResults }))
  for (let n = 0; n < 4; n++) {
    const bodies = limits.map(limit => ({ definitions: allAsked, ...limit }))
    answers.push(...(await Promise.all(bodies.map(body => extract(busy.forms, body)))))
  }
  await others.stop()
  expect(answers.flatMap((answer, n) => judged(busy, answer, allAsked, limits[n % 3]))).toEqual([])
  expect(new Set(answers.map(({ headers }) => instantOf(headers))).size, 'no two have one instant').toBe(12)
})

test('two hundred extracts of one tenant at once are all answered', async () => {
  const id = await patient.created()
  await patient.submit(id, whole)
  // A machine that is busy says so with 503, and that nothing was changed: then it is asked again.
  const asks = Array.from({ length: 200 }, () =>
    until('it is answered', async () => {
      const answer = await extract(tenant.forms, { ...asked, maxResults: 1 })
      if (answer.status !== 503) return answer
      expect(answer.body).toMatchObject({ detail: expect.stringContaining('Nothing was changed.') })
      return undefined
    }),
  )
  const answers = await Promise.all(asks)
  expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200))
  expect(answers.map(idsOf)).toEqual(Array(200).fill([id]))
}, 240_000)
