import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { entriesOf } from '../../db/forms/extract-lists.js'
import { ndjsonOfEntries } from '../../db/forms/extract-results.js'
import { acceptExtract } from '../../db/forms/extracts.js'
import { createPublishedForms } from '../../db/forms/published-forms.js'
import { createJob } from '../../db/jobs/create.js'
import { newId } from '../../runtime/ids.js'
import { history } from '../support/extract-history.js'
import { agree, extractModel } from '../support/extract-model.js'
import { type ExtractPlace, extractPlace, stopClock } from '../support/extract-place.js'
import { answerOf } from '../support/extract-requests.js'
import { plainForms } from '../support/extract-templates.js'
import { openDatabase } from '../support/stored-subjects.js'

const forms = plainForms(1, [[0]])
const definition = { identifier: 'all', type: 'form' as const, key: 'f0', version: 1 }

let db: Knex
let place: ExtractPlace
beforeAll(async () => {
  db = openDatabase()
  place = await extractPlace(db)
  await place.tenant.publish(...forms.map(({ body }) => body))
})
afterAll(() => db.destroy())

/** Accepts an extract that nobody lists. @returns its instant. */
const accepted = (tenantId: number): Promise<Date> =>
  db.transaction(async trx => {
    const id = newId()
    const named = { actor: 'test', workflowId: id, traceId: id }
    await createJob(trx, tenantId, { id, kind: 'multiExtract', queue: 'background', total: 1, ...named })
    return acceptExtract(trx, tenantId, id, { definitions: [definition] }, undefined)
  })

test('what is done in the millisecond of its instant is not in an extract, however late that is listed and read', async () => {
  const tenantId = await tenantIdOf(db, place.tenant.tenantKey)
  const past = history(forms, place)
  await stopClock(place)
  const change = { what: 'go on' as const, client: 0, picks: [2] }
  for (const subject of [0, 1, 2, 0]) await past.submit({ subject })
  const withdraw = { ...change, way: 1 }
  await past.take({ ...withdraw, instance: 3 })
  const [withdrawn, amended, kept] = past.instances.map(({ guid }) => guid)
  const instant = await accepted(tenantId)
  await past.take({ ...withdraw, instance: 0 })
  await past.take({ ...change, instance: 1, way: 0 })
  // It is reinstated, and withdrawn again.
  await past.take({ ...change, instance: 3, way: 0 })
  await past.take({ ...withdraw, instance: 3 })
  await past.submit()
  const changes = past.times().toSorted((a, b) => a - b)
  expect(changes.slice(5), 'all of it at once').toEqual(Array(5).fill(instant.getTime()))

  const stores = { db, forms: createPublishedForms({ db }) }
  const request = { definitions: [definition] }
  const pages = entriesOf(db, tenantId, { request, instant, subjects: undefined }, definition)
  const results: { instanceGuid: string; submissionDateTime: string }[] = []
  for await (const line of ndjsonOfEntries(stores, tenantId, definition, instant, pages)) results.push(JSON.parse(line))
  expect(results.map(({ instanceGuid }) => instanceGuid)).toEqual([withdrawn, amended, kept].sort())
  const before = new Date(instant.getTime() - 1).toISOString()
  for (const { submissionDateTime } of results) expect(submissionDateTime).toBe(before)
})

test('of what is done with an instance in one millisecond, the last is what counts', async () => {
  const own = await extractPlace(db)
  await own.tenant.publish(...forms.map(({ body }) => body))
  const past = history(forms, own)
  await stopClock(own)
  const change = { what: 'go on' as const, client: 1, picks: [2] }
  const [again, withdraw] = [0, 1].map(way => ({ ...change, way }))
  for (const steps of [[again], [withdraw, again], [withdraw], [again, withdraw, again]]) {
    const instance = past.instances.length
    await past.submit({ picks: [1] })
    for (const step of steps) if (step) await past.take({ ...step, instance })
  }
  const deeds = past.instances.map(({ deeds }) => deeds.flatMap(({ did }) => (did === 'amend' ? [] : [did])))
  expect(deeds).toEqual([
    ['submit', 'submit'],
    ['submit', 'withdraw', 'reinstate'],
    ['submit', 'withdraw'],
    ['submit', 'submit', 'withdraw', 'reinstate'],
  ])
  expect(new Set(past.times()).size).toBe(1)
  const block = { identifier: 'block', type: 'building-block' as const, key: 'b0', version: 1 }
  const asked = { definitions: [definition, block] }
  const { body, instant } = await answerOf(own.tenant.forms, asked, { as: 'json', isWaiting: true })
  agree(body, extractModel(past.instances).answer(asked, instant), asked)
  const shown = body.results.map(({ results }) => results.map(({ instanceGuid }) => instanceGuid))
  const counting = [0, 1, 3].map(n => past.instances[n]?.guid).sort()
  expect(shown).toEqual([counting, counting])
})
