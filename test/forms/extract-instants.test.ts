import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { history } from '../support/extract-history.js'
import { type AskedExtract, agree, extractModel, type KnownInstance, reportedAt } from '../support/extract-model.js'
import { type ExtractPlace, extractPlace, stopClock } from '../support/extract-place.js'
import { type Answered, answerOf } from '../support/extract-requests.js'
import { type NamedForm, plainForms } from '../support/extract-templates.js'
import { type Random, randomOf } from '../support/random.js'
import { openDatabase } from '../support/stored-subjects.js'

/** Who submits, amends, withdraws and reinstates at the same time. */
const writers = 4
/** Who extracts meanwhile, and how many each. */
const [readers, extracts] = [3, 6]

let db: Knex
let place: ExtractPlace
let forms: NamedForm[]
beforeAll(async () => {
  db = openDatabase()
  place = await extractPlace(db)
  // The first block is in both.
  forms = plainForms(3, [
    [0, 1],
    [2, 0],
  ])
  await place.tenant.publish(...forms.map(({ body }) => body))
})
afterAll(() => db.destroy())

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
