// Totals of lists, which each API process remembers.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, api, type Reply, type Tenant } from '../support/api.js'
import { anEntity, plant, subjectTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { type EntityBody, list, type Page, paths } from '../support/frame.js'
import { csv, imported } from '../support/imports.js'
import { mergesOf } from '../support/merges.js'
import { startOwnApi } from '../support/own-api.js'
import { type Random, randomOf } from '../support/random.js'
import { sharedStack } from '../support/running-stack.js'
import { bulkPath, patch, person, type SubjectBody, subjectsPath, texts } from '../support/subjects.js'
import { assignByHand, removeByHand, startTransfer, startUndo } from '../support/transfers.js'

const stack = sharedStack()
let second: Awaited<ReturnType<typeof startOwnApi>>
let tenant: Tenant
/** The same client at both processes. */
let apis: Api[]
beforeAll(async () => {
  second = await startOwnApi({
    TEMPORAL_ADDRESS: stack.temporalAddress,
    IDENTITY_AUTHORITY: `${stack.baseUrl}/identity`,
  })
  tenant = await subjectTenant()
  await plant(tenant, { top: null, a: 'top', b: 'top', b1: 'b', c: null })
  const people = Array.from({ length: 20 }, (_, n) => person(`n${n}`, { email: n % 2 ? 'one' : 'two' }, ['a']))
  expect((await tenant.post(bulkPath, people)).status).toBe(200)
  await second.live()
  apis = [tenant, api(second.baseUrl, tenant.token)]
})
afterAll(() => second?.stop())

interface Listed extends SubjectBody {
  DeactivatedAt?: string
}

/** Everything that totals are counted from, as lists show it row by row. */
interface Whole {
  subjects: Listed[]
  entities: EntityBody[]
}

async function whole(): Promise<Whole> {
  const query = { First: '1000', IncludeDeactivated: 'true', Include: 'StructuralEntities' }
  const subjects = await tenant.get<Page<Listed>>(list(subjectsPath, query))
  const entities = await tenant.get<Page<EntityBody>>(list(paths.entities, { First: '1000' }))
  const nodes = <Node>({ body }: Reply<Page<Node>>) => body.Edges.map(({ Node }) => Node)
  return { subjects: nodes(subjects), entities: nodes(entities) }
}

const textOf = (subject: Listed, field: string): string => {
  const held = subject.CustomFieldValues.find(({ Field }) => Field.Key === field)?.Value
  return held && !Array.isArray(held) ? held.ValueText : ''
}
const isIn = (subject: Listed, keys: readonly string[]): boolean =>
  subject.StructuralEntities?.some(({ Key }) => keys.includes(Key)) ?? false
const isActive = (subject: Listed): boolean => subject.DeactivatedAt === undefined

/** An entity and all below it. */
function region(entities: readonly EntityBody[], top: string): string[] {
  const keys = [top]
  for (const key of keys) keys.push(...entities.filter(({ ParentKey }) => ParentKey === key).map(({ Key }) => Key))
  return keys
}

const subjectTotals: [query: string, has: (subject: Listed, entities: EntityBody[]) => boolean][] = [
  ['', isActive],
  ['IncludeDeactivated=true', () => true],
  ['StructuralEntityKeys=a', each => isActive(each) && isIn(each, ['a'])],
  ['StructuralEntityKeys=a&StructuralEntityKeys=b&IncludeDeactivated=true', each => isIn(each, ['a', 'b'])],
  [
    'StructuralEntityKeys=b&IncludeDescendants=true',
    (each, entities) => isActive(each) && isIn(each, region(entities, 'b')),
  ],
  ['Unplaced=true', each => isActive(each) && (each.StructuralEntities ?? []).length === 0],
  ['OrderBy=UpdatedAt', isActive],
  ['customFieldValueFilter.values[email]=one', each => isActive(each) && textOf(each, 'email') === 'one'],
  [
    'customFieldValueFilter.values[email]=one&customFieldValueFilter.values[email]=two&customFieldValueFilter.match=ExactAny&StructuralEntityKeys=a',
    each => isActive(each) && ['one', 'two'].includes(textOf(each, 'email')) && isIn(each, ['a']),
  ],
  ['SearchTerm=two', each => isActive(each) && textOf(each, 'email') === 'two'],
  [
    'SearchTerm=two&StructuralEntityKeys=a',
    each => isActive(each) && textOf(each, 'email') === 'two' && isIn(each, ['a']),
  ],
  ['SearchTerm=Byron', isActive],
]
const entityTotals: [query: string, has: (entity: EntityBody, entities: EntityBody[]) => boolean][] = [
  ['', () => true],
  ['ParentKey=b', ({ ParentKey }) => ParentKey === 'b'],
  ['AncestorKey=top', ({ Key }, entities) => Key !== 'top' && region(entities, 'top').includes(Key)],
  ['SearchTerm=renamed', ({ DisplayName }) => DisplayName.includes('renamed')],
]

/** A total is asked for without most of its rows. */
async function totalIn(client: Api, path: string, query: string): Promise<number> {
  const { status, body } = await client.get<Page<unknown>>(`${path}?First=1&${query}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body.PageInfo.TotalCount
}

/** All totals of a process, by query. */
async function totalsOf(client: Api): Promise<Record<string, number>> {
  const lists = [
    ...subjectTotals.map(([query]) => [subjectsPath, query] as const),
    ...entityTotals.map(([query]) => [paths.entities, query] as const),
  ]
  const totals = lists.map(async ([path, query]) => [`${path}?${query}`, await totalIn(client, path, query)] as const)
  return Object.fromEntries(await Promise.all(totals))
}

function countedIn({ subjects, entities }: Whole): Record<string, number> {
  const counts = [
    ...subjectTotals.map(([query, has]) => [
      `${subjectsPath}?${query}`,
      subjects.filter(each => has(each, entities)).length,
    ]),
    ...entityTotals.map(([query, has]) => [
      `${paths.entities}?${query}`,
      entities.filter(each => has(each, entities)).length,
    ]),
  ]
  return Object.fromEntries(counts)
}

/** Writes of every kind, at either process. Several at once may refuse one another; that is no fault. */
function writers(random: Random, known: Whole): (() => Promise<unknown>)[] {
  const client = () => apis[random.between(0, 2)] ?? tenant
  const one = <Item>(items: readonly Item[]): Item | undefined => items[random.between(0, items.length)]
  const someone = () => one(known.subjects)?.Id ?? ''
  const ward = () => one(['a', 'b', 'b1', 'c']) ?? 'a'
  const email = () => one(['one', 'two', 'three']) ?? 'one'
  const somebody = () => person(`n${random.between(0, 60)}`, { email: email() }, [ward()])
  const asked = async (request: Promise<Reply<JobBody>>) => {
    const { status, body } = await request
    if (status === 202) await ended(tenant, body.jobId)
  }
  const action = (name: string) => client().post<JobBody>(`${subjectsPath}/${someone()}/${name}`)
  return [
    () => client().post(subjectsPath, somebody()),
    () => client().post(bulkPath, [somebody(), somebody(), somebody()]),
    () => patch(client(), someone(), texts({ email: email() })),
    () => assignByHand(client(), someone(), ward()),
    () => removeByHand(client(), someone(), ward()),
    () => action('deactivate'),
    () => action('reactivate'),
    () => asked(action('erase')),
    () => mergesOf(client()).merge(someone(), someone()),
    () => mergesOf(client()).unmerge(someone()),
    async () => {
      const { jobId } = await startTransfer(client(), ward(), ward(), one(['Copy', 'Move'] as const) ?? 'Copy')
      await ended(tenant, jobId)
      if (random.between(0, 2) === 0) await ended(tenant, (await startUndo(client(), jobId)).jobId)
    },
    () => imported(client(), csv(`n${random.between(0, 60)},Ada,Byron,,,,,${ward()}`)),
    () => client().put(paths.entities, anEntity('b1', { ParentKey: one([null, 'b', 'top', 'c']) ?? null })),
    () => client().put(paths.entities, anEntity('d', { ParentKey: 'b', DisplayName: 'renamed' })),
    () => client().delete(`${paths.entities}/d`),
  ]
}

const seed = Number(process.env.TOTALS_SEED ?? Date.now() % 1_000_000)
test(`after writes of every kind at two processes, the totals of both are exact (TOTALS_SEED=${seed})`, async () => {
  const random = randomOf(seed)
  let known = await whole()
  for (let round = 0; round < 5; round++) {
    let isOver = false
    // Lists that are read while others write remember nothing that is wrong afterwards.
    const readers = apis.map(async client => {
      while (!isOver) await totalsOf(client)
    })
    const writes = random.shuffled(Array.from({ length: 3 }, () => writers(random, known)).flat()).slice(0, 8)
    await Promise.all(writes.map(write => write().catch(() => undefined)))
    isOver = true
    await Promise.all(readers)
    known = await whole()
    const counted = countedIn(known)
    for (const client of apis) expect(await totalsOf(client)).toEqual(counted)
    // Each by itself, so that no write hides what another one forgot to tell.
    for (const write of random.shuffled(writers(random, known)).slice(0, 3)) {
      await write().catch(() => undefined)
      known = await whole()
      const counted = countedIn(known)
      for (const client of apis) expect(await totalsOf(client)).toEqual(counted)
    }
  }
  expect(known.subjects.length).toBeGreaterThan(10)
})
