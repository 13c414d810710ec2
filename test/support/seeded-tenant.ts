// The subjects of the benchmarks.
import { de, en, Faker, fr, pl, pt_BR, sv } from '@faker-js/faker'
import type { Knex } from 'knex'
import { forgetChanges } from '../../db/feeds.js'
import type { StoredValues } from '../../db/frame/fields/custom-fields.js'
import { settleWords } from '../../db/frame/search/word-settling.js'
import { writeSubjects } from '../../db/frame/subjects/subjects.js'
import { mulberry32 } from '../../dev/shuffle.js'
import { newId } from '../../runtime/ids.js'
import { type Api, newTenant, type Tenant } from './api.js'
import { anEntity, aType } from './factories.js'

import { demoSubjects } from './manifest.js'

/** Subjects of one structural entity. */
export const perEntity = 2_500

/** A client of a tenant whose rows can be read too. */
export interface SeededClient extends Api {
  baseUrl: string
  tenantId: number
  /** Keys of its entities, each with {@link perEntity} subjects, unless their number is given. */
  entityKeys: string[]
}

export interface SeededTenant extends SeededClient, Tenant {
  size: number
}

const batch = 5_000

/** A tenant with people of the demo's fields, written by the product's own store, so that all its indexes are full. */
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
  // Spread over all entities, so that an entity's people are not neighbours in the order of ids.
  const placeOf = (n: number) => entityKeys[n % entityKeys.length] ?? ''
  for (let done = 0; done < size; done += batch) {
    const to = Math.min(size, done + batch)
    await db.transaction(trx => writePeople(trx, tenantId, { from: done, to, person, placeOf }))
    progress(to)
  }
  await settlePeople(db)
  return { ...tenant, baseUrl, tenantId, size, entityKeys }
}

export interface PeopleRange {
  from: number
  /** Not of the range itself. */
  to: number
  person(n: number): StoredValues
  /** Key of the entity of a person. */
  placeOf(n: number): string
}

/** Writes some people by the product's own store. */
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
  await writeSubjects(trx, tenantId, planned)
}

/** Ends the work that people leave for later: the words of searches, the positions of changes, the statistics of their tables. */
export async function settlePeople(db: Knex): Promise<void> {
  while ((await settleWords(db)) > 0) {
    // Some hundred more.
  }
  await forgetChanges(db)
  await db.raw(
    'ANALYZE TABLE subjects, subject_locations, subject_values, subjects_by_word, words_by_subject, subject_word_typos',
  )
}

/** Makes people of several languages, by a seed and a number: the same for the same two. Names are as common as they come. */
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
  // Most families have a name of their own village: the long tail of names.
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
