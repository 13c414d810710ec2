// Instants of extracts beside concurrent changes.
import { expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { entriesOf } from '../../db/forms/extracts/extract-lists.js'
import { ndjsonOfEntries } from '../../db/forms/extracts/extract-results.js'
import { acceptExtract, type ExtractRequest } from '../../db/forms/extracts/extracts.js'
import { createPublishedForms } from '../../db/forms/templates/published-forms.js'
import { createJob } from '../../db/jobs/create.js'
import { noReplicas, readsAt } from '../../db/replicas.js'
import { newId } from '../../runtime/ids.js'
import type { Reply } from '../support/api.js'
import { extractPlace, history, stopClock } from '../support/extract-history.js'
import { type AskedExtract, agree, extractModel, type KnownInstance, reportedAt } from '../support/extract-model.js'
import { instantOf } from '../support/extract-practice.js'
import { type Answered, answerOf } from '../support/extract-requests.js'
import { plainForms } from '../support/extract-templates.js'
import { type ExtractBody, extract, extractedIds, holdClock, waiting } from '../support/extracts.js'
import { aNote, aTemplate, formAsked, openDatabase, whole } from '../support/factories.js'
import { patientOf } from '../support/instances.js'
import { type Random, randomOf } from '../support/random.js'
import { until } from '../support/until.js'

const db = openDatabase()

// In the order of the tests: those that stop the clock of the tenant come after those that need it to go on.
const place = await extractPlace(db)
const { tenant } = place
const tenantId = await tenantIdOf(db, tenant.tenantKey)
const patient = patientOf(tenant)
// The first block is in both.
const forms = plainForms(3, [
  [0, 1],
  [2, 0],
])
await tenant.publish(aNote(), ...forms.map(({ body }) => body))

const notes = { definitions: [formAsked('small')] }
const idsOf = ({ body }: Reply<ExtractBody>) => body.results[0]?.results.map(({ instanceGuid }) => instanceGuid)

test('an extract waits for a submit that is under way, and a submit that comes meanwhile is in the next one', async () => {
  const submit = await holdClock(db, tenantId, 'forShare')
  const first = extract(tenant.forms, notes)
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
  expect(idsOf(await extract(tenant.forms, { ...notes, from }))).toEqual([id])
})

test('applying a large manifest delays neither submissions nor extracts', async () => {
  const manifest = await db.transaction()
  try {
    // As applyManifest does.
    await manifest('tenants').where({ id: tenantId }).forUpdate().first('id')
    await manifest('tenants').where({ id: tenantId }).update({ name: 'Renamed' })
    await manifest('form_settings').where({ tenant_id: tenantId }).update({ settings: '{"delivery":{}}' })
    const id = await patient.created()
    expect(await patient.submit(id, whole)).toMatchObject({ status: 200 })
    expect(idsOf(await extract(tenant.forms, notes))).toContain(id)
  } finally {
    await manifest.rollback()
  }
})

test('thirty extracts of one tenant at once are all answered', async () => {
  const id = await patient.created()
  await patient.submit(id, whole)
  // A machine that is busy says so with 503, and that nothing was changed: then it is notes again.
  const asks = Array.from({ length: 30 }, () =>
    until('it is answered', async () => {
      const answer = await extract(tenant.forms, { ...notes, maxResults: 1 })
      if (answer.status !== 503) return answer
      expect(answer.body).toMatchObject({ detail: expect.stringContaining('Nothing was changed.') })
      return undefined
    }),
  )
  const answers = await Promise.all(asks)
  expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200))
  expect(answers.map(idsOf)).toEqual(Array(30).fill([id]))
})

const blockOf = (key: string) => ({
  key,
  sections: [{ id: `of-${key}`, controls: [{ id: key, label: 'Text', maxLength: 5_000 }] }],
})

test.each([
  ['as time goes', false],
  ['where all of it has the same time', true],
])(
  'each report has the size of its documents, so that only a few large ones are read at a time: %s',
  async (_, isStopped) => {
    if (isStopped) await stopClock(place)
    await tenant.publish(aTemplate({ key: 'sized', buildingBlocks: [blockOf('one'), blockOf('two')] }))
    const guid = await patient.created({ formKey: 'sized' })
    const sizes = async () => {
      const rows: { is_block: number; bytes: number; size: string }[] = await db({ r: 'form_reports' })
        .join({ v: 'form_values' }, on => {
          for (const column of ['tenant_id', 'instance_id', 'version_id']) on.on(`r.${column}`, `v.${column}`)
        })
        .where({ 'r.tenant_id': tenantId, 'r.instance_id': guid })
        .whereRaw('(r.is_block = 0 OR v.block_key = r.definition_key)')
        .groupBy('r.is_block', 'r.definition_key', 'r.submitted_at', 'r.counts_from', 'r.bytes')
        .orderBy(['r.submitted_at', 'r.is_block', 'r.definition_key'])
        .select('r.is_block', 'r.bytes', db.raw('SUM(LENGTH(v.document)) AS size'))
      for (const { bytes, size } of rows) expect(bytes).toBe(Number(size))
      return rows.map(({ is_block, bytes }) =>
        is_block === 1 && bytes > 2_000 ? 'large block' : is_block === 1 ? 'block' : 'form',
      )
    }
    expect(await patient.submit(guid, { one: 'ä'.repeat(10) })).toMatchObject({ status: 200 })
    const first = ['form', 'block']
    expect(await sizes()).toEqual(first)
    await patient.amend(guid)
    const more = { one: 'ä'.repeat(2_000), two: 'x' }
    expect(await patient.submit(guid, more, await patient.etag(guid))).toMatchObject({ status: 200 })
    const second = ['form', 'large block', 'block']
    expect(await sizes()).toEqual(isStopped ? second : [...first, ...second])
  },
)

/** Who submits, amends, withdraws and reinstates at the same time. */
const writers = 4
/** Who extracts meanwhile, and how many each. */
const [readers, extracts] = [3, 2]

const definitions: AskedExtract['definitions'] = [
  { identifier: 'shared', type: 'building-block', key: 'b0', version: 1 },
  { identifier: 'one', type: 'form', key: 'f0', version: 1 },
  { identifier: 'two', type: 'form', key: 'f1', version: 1 },
  { identifier: 'own', type: 'building-block', key: 'b2', version: 1 },
]

/** What a writer does until `isOver`: about half of it to instances that it has. */
async function write(past: ReturnType<typeof history>, random: Random, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const [client, picks] = [random.between(0, 2), Array.from({ length: 5 }, () => random.between(0, 3))]
    if (random.between(0, 2) === 0)
      await past.submit({ form: random.between(0, 2), subject: random.between(0, 3), client, picks })
    else await past.take({ what: 'go on', instance: random.between(0, 30), way: random.between(0, 12), client, picks })
  }
}

interface Ran {
  asked: AskedExtract
  answered: Answered
}

const run = async (asked: AskedExtract, n: number): Promise<Ran> => {
  const choice = { as: n % 2 === 0 ? ('json' as const) : ('ndjson' as const), isWaiting: n % 3 < 2 }
  return { asked, answered: await answerOf(place.tenant.forms, asked, choice) }
}

const fromInstant = ({ answered }: Ran): string => new Date(answered.instant).toISOString()

/** Extracts of which each begins where the one before has ended. */
async function chain(goesOn: () => boolean): Promise<Ran[]> {
  const links: Ran[] = []
  do {
    const last = links.at(-1)
    links.push(await run({ definitions, ...(last && { from: fromInstant(last) }) }, links.length))
  } while (goesOn())
  return links
}

const limits = [{}, { maxResultsPerDefinitionPerSubject: 2 }, { maxResults: 20 }]

/** What one of the readers runs. */
async function someExtracts(reader: number): Promise<Ran[]> {
  const ran: Ran[] = []
  while (ran.length < extracts) ran.push(await run({ definitions, ...limits[reader] }, reader + ran.length))
  return ran
}

test('an extract has all that was done before its instant and nothing of what was done later, in all definitions alike', async () => {
  const pasts = Array.from({ length: writers }, () => history(forms, place))
  let [isOver, isRead] = [false, false]
  const read = Promise.all(Array.from({ length: readers }, (_, n) => someExtracts(n))).finally(() => {
    isRead = true
  })
  const both = Promise.all([read, chain(() => !isRead)]).finally(() => {
    isOver = true
  })
  const written = pasts.map((past, n) => write(past, randomOf(Date.now() + n), () => isOver))
  const [[others, links]] = await Promise.all([both, ...written])
  // What was still done after the last link.
  const last = links.at(-1)
  if (last) links.push(await run({ definitions, from: fromInstant(last) }, 0))

  const instances = pasts.flatMap(({ instances }) => instances)
  const model = extractModel(instances)
  for (const { asked, answered } of [...others.flat(), ...links])
    agree(answered.body, model.answer(asked, answered.instant), asked)
  expect(linkedSubmissions(links)).toEqual(expectedOf(links, instances))
  expect(instances.length).toBeGreaterThan(writers)
})

/** Each submission of a form in any of the links, as often as it is there. */
const linkedSubmissions = (links: readonly Ran[]): string[] =>
  links
    .flatMap(({ answered }) =>
      answered.body.results.filter(({ type }) => type === 'form').flatMap(({ results }) => results),
    )
    .map(({ instanceGuid, submissionDateTime }) => `${instanceGuid} ${submissionDateTime}`)
    .sort()

/** Each submission, but for those that were superseded or withdrawn when the extract that comes next after them was taken. */
const expectedOf = (links: readonly Ran[], instances: readonly KnownInstance[]): string[] =>
  instances
    .flatMap(instance =>
      instance.deeds.flatMap(deed => {
        const next = links.find(({ answered }) => 'at' in deed && answered.instant > deed.at)
        const isThere = next && reportedAt(instance, next.answered.instant) === deed
        return isThere && 'at' in deed ? [`${instance.guid} ${new Date(deed.at).toISOString()}`] : []
      }),
    )
    .sort()

test('where the clock of the database is set back, nothing is twice and nothing is missing', async () => {
  const past = history(forms, place)
  await past.submit()
  const before = await run({ definitions }, 0)
  const ahead = await stopClock(place)
  const links = [before]
  for (const subject of [0, 1, 2]) {
    await past.submit({ subject })
    await past.submit({ subject })
    await past.take({ what: 'go on', instance: past.instances.length - 1, way: 0, client: 1, picks: [1] })
    const last = links.at(-1) ?? before
    links.push(await run({ definitions, from: fromInstant(last) }, subject))
  }
  const times = past.times().slice(1)
  expect(times[0]).toBe(ahead)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  for (const { asked, answered } of links.slice(1)) {
    agree(answered.body, extractModel(past.instances).answer(asked, answered.instant), asked)
    expect(answered.body.results[1]?.results).toHaveLength(2)
  }
})

const definition = { identifier: 'all', type: 'form' as const, key: 'f0', version: 1 }

/** Accepts an extract that nobody lists. @returns its instant. */
const accepted = (request: ExtractRequest): Promise<Date> =>
  db.transaction(async trx => {
    const id = newId()
    const named = { actor: 'test', workflowId: id, traceId: id }
    await createJob(trx, tenantId, { id, kind: 'multiExtract', queue: 'background', total: 1, ...named })
    return acceptExtract(trx, tenantId, id, request, undefined)
  })

test('what is done in the millisecond of its instant is not in an extract, however late that is listed and read', async () => {
  const past = history(forms, place)
  const from = new Date(await stopClock(place)).toISOString()
  const request = { from, definitions: [definition] }
  const change = { what: 'go on' as const, client: 0, picks: [2] }
  for (const subject of [0, 1, 2, 0]) await past.submit({ subject })
  const withdraw = { ...change, way: 1 }
  await past.take({ ...withdraw, instance: 3 })
  const [withdrawn, amended, kept] = past.instances.map(({ guid }) => guid)
  const instant = await accepted(request)
  await past.take({ ...withdraw, instance: 0 })
  await past.take({ ...change, instance: 1, way: 0 })
  // It is reinstated, and withdrawn again.
  await past.take({ ...change, instance: 3, way: 0 })
  await past.take({ ...withdraw, instance: 3 })
  await past.submit()
  const changes = past.times().toSorted((a, b) => a - b)
  expect(changes.slice(5), 'all of it at once').toEqual(Array(5).fill(instant.getTime()))

  const stores = { db, reads: noReplicas(db), forms: createPublishedForms({ db }) }
  const pages = entriesOf(readsAt(db), tenantId, { request, instant, subjects: undefined }, definition)
  const results: { instanceGuid: string; submissionDateTime: string }[] = []
  for await (const line of ndjsonOfEntries(stores, tenantId, definition, instant, pages)) results.push(JSON.parse(line))
  expect(results.map(({ instanceGuid }) => instanceGuid)).toEqual([withdrawn, amended, kept].sort())
  const before = new Date(instant.getTime() - 1).toISOString()
  for (const { submissionDateTime } of results) expect(submissionDateTime).toBe(before)
})

test('of several changes to an instance in one millisecond, the last counts', async () => {
  const past = history(forms, place)
  const from = new Date(await stopClock(place)).toISOString()
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
  const asked = { from, definitions: [definition, block] }
  const { body, instant } = await answerOf(tenant.forms, asked, { as: 'json', isWaiting: true })
  agree(body, extractModel(past.instances).answer(asked, instant), asked)
  const shown = body.results.map(({ results }) => results.map(({ instanceGuid }) => instanceGuid))
  const counting = [0, 1, 3].map(n => past.instances[n]?.guid).sort()
  expect(shown).toEqual([counting, counting])
})

/** Nothing of this tenant has a time before it: as if the server's clock stood there. */
const setClock = async (instant: Date) => db('form_clocks').where({ tenant_id: tenantId }).update({ instant })

const submit = async (id: string) => expect(await patient.submit(id, whole, '*')).toMatchObject({ status: 200 })
const withdraw = async (id: string) => expect(await patient.withdraw(id)).toMatchObject({ status: 200 })
const reinstate = async (id: string) => expect(await patient.reinstate(id)).toMatchObject({ status: 200 })
const again = async (id: string) => {
  expect(await patient.amend(id)).toMatchObject({ status: 200 })
  await submit(id)
}
type Deed = (id: string) => Promise<unknown>

test.each<[string, Deed[], Deed[], number]>([
  ['withdrawn, then reinstated', [withdraw], [reinstate], 1],
  ['amended, then amended again', [again], [again], 1],
  ['withdrawn and reinstated, then amended', [withdraw, reinstate], [again], 1],
  ['amended, then withdrawn', [again], [withdraw], 0],
  ['amended and withdrawn, then reinstated and amended', [again, withdraw], [reinstate, again], 1],
])(
  'what is %s after the clock of the database was set back is never twice in an extract',
  async (_, before, after, last) => {
    const id = await patient.created()
    await submit(id)
    const ahead = new Date(Date.now() + 3_600_000)
    await setClock(ahead)
    for (const deed of before) await deed(id)
    await setClock(new Date(0))
    for (const deed of after) await deed(id)
    const times = async () => {
      const [found] = await extractedIds(tenant.forms, { definitions: [formAsked('small')] })
      return found?.filter(each => each === id).length
    }
    expect(await times()).toBeLessThanOrEqual(1)
    await setClock(ahead)
    expect(await times()).toBe(last)
    await setClock(new Date(0))
  },
)
