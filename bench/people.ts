// The subjects of the benchmarks.
import { de, en, Faker, fr, pl, pt_BR, sv } from '@faker-js/faker'
import type { Knex } from 'knex'
import { settleWords } from '../db/frame/search/learnt-words.js'
import type { StoredValues } from '../db/frame/subjects/custom-fields.js'
import { writeSubjects } from '../db/frame/subjects/subjects.js'
import { mulberry32 } from '../dev/demo/shuffle.js'
import { newId } from '../runtime/ids.js'
import { newTenant, type Tenant } from '../test/support/api.js'
import { anEntity, aType } from '../test/support/factories.js'

import { demoSubjects } from '../test/support/manifest.js'

/** Subjects of one structural entity. */
export const perEntity = 2_500

export interface SeededTenant extends Tenant {
  baseUrl: string
  tenantId: number
  size: number
  /** Keys of its entities, each with {@link perEntity} subjects, unless their number is given. */
  entityKeys: string[]
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
  for (let done = 0; done < size; done += batch) {
    const planned = Array.from({ length: Math.min(batch, size - done) }, (_, n) => ({
      id: newId(),
      externalId: newId(),
      outcome: 'created' as const,
      before: {},
      after: person(done + n),
      isDeactivated: false,
      // Spread over all entities, so that an entity's people are not neighbours in the order of ids.
      entityKeys: [entityKeys[(done + n) % entityKeys.length] ?? ''],
    }))
    await db.transaction(trx => writeSubjects(trx, tenantId, planned))
    progress(done + planned.length)
  }
  while ((await settleWords(db)) > 0) {
    // Some hundred more.
  }
  await db.raw('ANALYZE TABLE subjects, subject_locations, subject_values, subject_words, subject_word_typos')
  return { ...tenant, baseUrl, tenantId, size, entityKeys }
}

/** Makes people of several languages, the same for the same seed; names are as common as they come. */
export function people(seed: number): (n: number) => StoredValues {
  const faker = new Faker({ locale: [de, fr, pl, pt_BR, sv, en], seed })
  const pools = [de, fr, pl, pt_BR, sv, en].map(locale => {
    const local = new Faker({ locale: [locale, en], seed })
    const some = (make: () => string) => Array.from({ length: 3_000 }, make)
    return { given: some(() => local.person.firstName()), family: some(() => local.person.lastName()) }
  })
  const chance = mulberry32(seed)
  const pick = <Item>(items: readonly Item[], otherwise: Item): Item =>
    items[Math.floor(chance() * items.length)] ?? otherwise
  // Most families have a name of their own village: the long tail of names.
  const tail = Array.from(
    { length: 60_000 },
    () => `${faker.location.city().split(/[\s(/]/)[0]}${pick(['er', 'ski', 'sson', 'eau', 'i'], '')}`,
  )
  return n => {
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
