// Extracts of large documents.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeAll, test } from 'vitest'
import {
  addCopies,
  at,
  type Copy,
  done,
  type ExtractPlace,
  extractPlace,
  history,
  type Subject,
} from '../support/extract-history.js'
import { type AskedExtract, agree, extractModel, type KnownInstance } from '../support/extract-model.js'
import { answerOf } from '../support/extract-requests.js'
import { plainForms } from '../support/extract-templates.js'
import { likePerson } from '../support/extracts.js'
import { aTemplate, openDatabase } from '../support/factories.js'
import { patientOf } from '../support/instances.js'
import { randomOf } from '../support/random.js'

/** More than a page of a list (10,000), many chunks of it (1,000) and many batches of documents (500). */
const submissions = 12_000

/** More than are looked for by their index (1,000). */
const people = 1_100

/** So many have the same time, about the end of the first page. */
const atOnce = { from: 8_700, until: 10_900 }

const random = randomOf(7)
const start = Date.now() - 3_600_000
const times = Array.from({ length: submissions }, (_, n) => {
  const fromNewest = n >= atOnce.from && n < atOnce.until ? atOnce.from : n - (n % 3)
  return start - fromNewest
})
const busy = start - atOnce.from

const db = openDatabase()
let place: ExtractPlace
let subjects: Subject[]
let instances: KnownInstance[]
beforeAll(async () => {
  place = await extractPlace(db)
  const alike = await likePerson(db, place.tenant.subjectId, people)
  subjects = alike.map(id => ({ id, externalId: id }))
  instances = []
  const forms = plainForms(2, [[0, 1]])
  await place.tenant.publish(...forms.map(({ body }) => body))
  const past = history(forms, place)
  const copies = random.shuffled(times).map((at): Copy => {
    // A few have most of them.
    const subject = subjects[Math.floor((random.between(0, 1_000) / 1_000) ** 4 * people)] ?? { id: '', externalId: '' }
    return { subject, at, withdrawnAt: random.between(0, 20) === 0 ? at + random.between(0, 2) : undefined }
  })
  // With data in both blocks, in one of them, in none.
  const kinds = [[1], [1, 1, 0, 0], [0]]
  for (const [n, picks] of kinds.entries()) {
    await past.submit({ isCorrelated: n > 0, picks })
    const original = past.instances[n]
    const own = copies.filter((_, k) => Math.min(k % 7, kinds.length - 1) === n)
    if (original) instances.push(original, ...(await addCopies(db, place.tenant.tenantKey, original, own)))
  }
})
// Connections that were closed while much was compared are not used again.
afterEach(() => nextTurn())

const form = { identifier: 'form', type: 'form' as const, key: 'f0', version: 1 }
const both = { identifier: 'both', type: 'building-block' as const, key: 'b0', version: 1 }
const some = { identifier: 'some', type: 'building-block' as const, key: 'b1', version: 1 }
const time = (at: number) => new Date(at).toISOString()
const ids = (count: number) => subjects.slice(0, count).map(({ id }) => id)

const all = [some, form, both]

const requests: Record<string, () => AskedExtract> = {
  'no limit': () => ({ definitions: [form, some] }),
  'a page': () => ({ maxResults: 10_000, definitions: [form] }),
  'a page and one, of all': () => ({ maxResults: 10_001, definitions: all }),
  'one less than a chunk': () => ({ maxResults: 999, definitions: [both] }),
  'a chunk': () => ({ maxResults: 1_000, definitions: [both] }),
  'a chunk and one': () => ({ maxResults: 1_001, definitions: [both] }),
  'a chunk, of all': () => ({ maxResults: 1_000, definitions: all }),
  'a batch and one': () => ({ maxResults: 501, definitions: [form] }),
  'one of each subject': () => ({ maxResultsPerDefinitionPerSubject: 1, definitions: all }),
  'some of each subject': () => ({ maxResultsPerDefinitionPerSubject: 40, definitions: [form] }),
  'both limits': () => ({ maxResultsPerDefinitionPerSubject: 3, maxResults: 1_500, definitions: [form] }),
  'both limits, of all': () => ({ maxResultsPerDefinitionPerSubject: 3, maxResults: 1_500, definitions: all }),
  'limits for which more and more is read': () => ({
    maxResultsPerDefinitionPerSubject: 1,
    maxResults: 60,
    definitions: [some],
  }),
  'from the time of many on': () => ({ from: time(busy), maxResults: 11_000, definitions: all }),
  'until the time of many': () => ({ to: time(busy), maxResultsPerDefinitionPerSubject: 2, definitions: all }),
  'the time of many': () => ({ from: time(busy), to: time(busy + 1), definitions: [both] }),
  'some subjects': () => ({
    subjectIdentifiers: ids(900),
    maxResultsPerDefinitionPerSubject: 5,
    definitions: [some, form],
  }),
  'many subjects': () => ({
    subjectIdentifiers: ids(1_050).slice(20),
    maxResultsPerDefinitionPerSubject: 20,
    maxResults: 4_500,
    definitions: [some, form],
  }),
}

test.each(Object.entries(requests))('thousands of results are those of the model: %s', async (name, request) => {
  const asked = request()
  const as = name.length % 2 === 0 ? 'json' : 'ndjson'
  const { body, instant } = await answerOf(place.tenant.forms, asked, { as, isWaiting: true })
  agree(body, extractModel(instances).answer(asked, instant), asked)
})

test('large documents, of which few are read at a time, are those of the model', async () => {
  const { tenant, subjects: own, clients } = place
  const text = 'ä"\n'.repeat(20_000)
  const known = { id: 'long', label: 'Long', dataType: 'string' }
  const buildingBlocks = [{ key: 'large', version: 1, controls: [known] }]
  const sections = [{ id: 'only', controls: [{ ...known, maxLength: 100_000 }] }]
  await tenant.publish(aTemplate({ key: 'large', buildingBlocks: [{ key: 'large', sections }] }))
  const [subject, by] = [at(own, 0), at(clients, 0)]
  const guid = await patientOf({ subjectId: subject.id, forms: by.api }).created({ formKey: 'large' })
  const kept = { guid, subject, form: { key: 'large', version: 1, buildingBlocks }, deeds: [] }
  const shown = { long: [{ type: 'single-value', repeatIterationIndex: null, value: text }] }
  const original = { ...kept, deeds: [await done(kept, 'submit', by, { sent: { long: text }, shown })] }
  const copies = Array.from({ length: 150 }, (_, n) => ({ subject, at: start + n }))
  const all = [original, ...(await addCopies(db, tenant.tenantKey, original, copies))]
  const asked = { definitions: [{ identifier: 'large', type: 'form' as const, key: 'large', version: 1 }] }
  const { body, instant } = await answerOf(tenant.forms, asked, { as: 'json', isWaiting: true })
  agree(body, extractModel(all).answer(asked, instant), asked)
})
