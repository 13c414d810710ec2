// Creates tenants with many subjects for benchmarks.
import { de, en, Faker, fr, pl, pt_BR, sv } from '@faker-js/faker'
import type { Knex } from 'knex'
import { forgetChanges } from '../../db/feeds.js'
import type { StoredValues } from '../../db/frame/fields/custom-fields.js'
import { writerSettings } from '../../db/frame/fields/subject-settings.js'
import { settleWords } from '../../db/frame/search/word-settling.js'
import { writeSubjects } from '../../db/frame/subjects/subjects.js'
import { mulberry32 } from '../../dev/shuffle.js'
import { newId } from '../../runtime/ids.js'
import { type Api, newTenant, type Tenant } from './api.js'
import { anEntity, aType } from './factories.js'
import { demoSubjects } from './manifest.js'

/** How many subjects an entity has by default. */
export const perEntity = 2_500

/** A client of the API, with what is needed to read the tenant's rows. */
export interface SeededClient extends Api {
  baseUrl: string
  tenantId: number
  /** Keys of the entities. The subjects are spread evenly over them. */
  entityKeys: string[]
}

export interface SeededTenant extends SeededClient, Tenant {
  size: number
}

const batch = 5_000

/**
 * Creates a tenant with people who have the demo's fields. They are written by the product's own store, which also fills all indexes.
 * @param entities how many entities the people are spread over, by default one for {@link perEntity} people.
 */
export async function seededTenant(
  baseUrl: string,
  db: Knex,
  size: number,
  progress: (done: number) => void,
  entities = Math.ceil(size / perEntity),
): Promise<SeededTenant> {
  const tenant = await newTenant(baseUrl, {}, { subjects: demoSubjects })
  const { id: tenantId } = await db('tenants').where({ tenant_key: tenant.tenantKey }).first('id')
  await tenant.put('/api/v1/structureType', aType('unit'))
  const entityKeys = Array.from({ length: entities }, (_, n) => `unit-${n}`)
  await tenant.put(
    '/api/v1/structuralEntity/bulk',
    entityKeys.map(key => anEntity(key)),
  )
  const person = people(20261121)
  // Neighbours in the order of ids are at different entities.
  const placeOf = (n: number) => entityKeys[n % entityKeys.length] ?? ''
  for (let done = 0; done < size; done += batch) {
    const to = Math.min(size, done + batch)
    await db.transaction(trx => writePeople(trx, tenantId, { from: done, to, person, placeOf }))
    progress(to)
  }
  await settlePeople(db)
  return { ...tenant, baseUrl, tenantId, size, entityKeys }
}

interface PeopleRange {
  from: number
  /** The first number after the range. */
  to: number
  person(n: number): StoredValues
  /** Returns the key of a person's entity. */
  placeOf(n: number): string
}

/** Writes a range of people with the product's own store. */
export async function writePeople(
  trx: Knex.Transaction,
  tenantId: number,
  { from, to, person, placeOf }: PeopleRange,
): Promise<void> {
  const planned = Array.from({ length: to - from }, (_, m) => ({
    id: newId(),
    externalId: newId(),
    outcome: 'created' as const,
    before: {},
    after: person(from + m),
    isDeactivated: false,
    entityKeys: [placeOf(from + m)],
  }))
  await writeSubjects(trx, tenantId, planned, (await writerSettings(trx, tenantId)).orders)
}

/** Does the work that writers leave for later: indexes new words, gives changes their positions, and updates table statistics. */
export async function settlePeople(db: Knex): Promise<void> {
  while ((await settleWords(db)) > 0) {
    // Each call settles some hundred words.
  }
  await forgetChanges(db)
  // One by one, because VTGate does not read a list of them.
  const tables = ['subjects', 'subject_locations', 'subject_values', 'subjects_by_word', 'words_by_subject']
  for (const table of [...tables, 'subject_word_typos']) await db.raw('ANALYZE TABLE ??', [table])
}

/** Returns a function that makes the values of a numbered person. The same seed and number give the same person. */
export function people(seed: number): (n: number) => StoredValues {
  const faker = new Faker({ locale: [de, fr, pl, pt_BR, sv, en], seed })
  const pools = [de, fr, pl, pt_BR, sv, en].map(locale => {
    const local = new Faker({ locale: [locale, en], seed })
    const some = (make: () => string) => Array.from({ length: 3_000 }, make)
    return { given: some(() => local.person.firstName()), family: some(() => local.person.lastName()) }
  })
  const picking =
    (chance: () => number) =>
    <Item>(items: readonly Item[], otherwise: Item): Item =>
      items[Math.floor(chance() * items.length)] ?? otherwise
  const pickEnd = picking(mulberry32(seed))
  // Many surnames are rare, so 40 % of people get one that is derived from a place.
  const tail = Array.from(
    { length: 60_000 },
    () => `${faker.location.city().split(/[\s(/]/)[0]}${pickEnd(['er', 'ski', 'sson', 'eau', 'i'], '')}`,
  )
  return n => {
    const chance = mulberry32(seed + n)
    const pick = picking(chance)
    const pool = pools[n % pools.length] ?? { given: [], family: [] }
    const given = pick(pool.given, 'Ada')
    const family = chance() < 0.6 ? pick(pool.family, 'Byron') : pick(tail, 'Byron')
    const id = `${10_000_000 + n}${String.fromCharCode(65 + (n % 26))}`
    const born = new Date(Date.UTC(1930, 0, 1) + Math.floor(chance() * 90 * 365) * 86_400_000)
      .toISOString()
      .slice(0, 10)
    return {
      givenName: ['String', given],
      familyName: ['String', family],
      nationalId: ['String', id],
      dateOfBirth: ['Date', born],
      email: ['String', `${given}.${family}@example.org`.toLowerCase()],
      phone: ['String', `+49 30 ${1_000_000 + (n % 9_000_000)}`],
      languages: [
        ['String', pick(['de', 'fr', 'pl'], 'de')],
        ['String', 'en'],
      ],
      consent: ['Boolean', String(chance() < 0.8)],
      weight: ['Decimal', `${40 + (n % 70)}.${n % 10}`],
    }
  }
}
