// Imports beside kills of every process.
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tenantIdOf } from '../../../db/admin/tenants.js'
import { connect } from '../../../db/connect.js'
import { hashesOf } from '../../../db/frame/fields/matching.js'
import { csvRow } from '../../../db/frame/imports/csv-rows.js'
import { sqlId } from '../../../db/frame/search/id-bytes.js'
import { wordsOf } from '../../../db/frame/search/search-words.js'
import { newTenant, type Tenant } from '../../support/api.js'
import { plantWards } from '../../support/factories.js'
import { ended, kill, progressed } from '../../support/faults.js'
import { refusedRows, upload } from '../../support/imports.js'
import { forgetNow, temporalClient } from '../../support/jobs.js'
import { demoSubjects } from '../../support/manifest.js'
import { type Random, randomOf } from '../../support/random.js'
import { type S3, startS3 } from '../../support/s3.js'
import { type Stack, startStack } from '../../support/stack.js'
import { until } from '../../support/until.js'

const seed = Number(process.env.FAULT_SEED ?? 20_261_123)
const count = 12_000
const wards = ['a', 'b', 'c']
const columns = ['nationalId', 'givenName', 'familyName', 'email', 'languages', 'StructuralEntityKeys']

interface Person {
  givenName: string
  familyName: string
  email: string
  languages: string[]
  places: string[]
}

/** People by national id, and the rows that are refused. */
interface Model {
  people: Map<string, Person>
  refused: [row: number, code: string][]
}

/** Rows in a random order: new people and old ones, some unchanged, some twice, some with a fault. */
function rowsOf(random: Random, model: Model, ids: number): string[] {
  const pick = <Item>(items: readonly Item[]) => items[random.between(0, items.length)] as Item
  const seen = new Set<string>()
  return Array.from({ length: count }, (_, n) => {
    const id = `p${random.between(0, ids)}`
    const row = n + 2
    const person: Person = {
      givenName: pick(['Ada', 'Zoë, "Z"', 'Li\nNa', 'Ørjan']),
      familyName: `Family${random.between(0, 300)}`,
      email: pick(['', `${id}@example.org`]),
      languages: pick([[], ['en'], ['en', 'fr']]),
      places: pick([[], [pick(wards)], ['a', 'b']]),
    }
    const fault = random.between(0, 40)
    const cells = [
      id,
      person.givenName,
      person.familyName,
      person.email,
      person.languages.join('|'),
      person.places.join('|'),
    ]
    const isTwice = seen.has(id)
    if (fault === 1) {
      model.refused.push([row, 'column-count'])
      return csvRow([...cells, 'more'], 'comma')
    }
    seen.add(id)
    if (isTwice || fault === 2 || fault === 3) {
      model.refused.push([
        row,
        isTwice ? 'duplicate-subject' : fault === 2 ? 'required-custom-field' : 'unknown-structural-entity',
      ])
      if (isTwice) return csvRow(cells, 'comma')
      return csvRow(fault === 2 ? cells.with(1, '') : cells.with(5, 'nowhere'), 'comma')
    }
    model.people.set(id, person)
    return csvRow(cells, 'comma')
  })
}

describe.each(['mysql', 's3'] as const)('an import whose upload is in %s', storage => {
  let s3: S3
  let stack: Stack
  let db: Knex
  let tenant: Tenant
  beforeAll(async () => {
    s3 = await startS3()
    stack = await startStack({ ...s3.env, RECORD_STORAGE: storage })
    db = connect(stack.databaseUrl, { poolSize: 2 })
    tenant = await newTenant(stack.baseUrl, {}, { subjects: demoSubjects })
    await plantWards(tenant, ...wards)
  })
  afterAll(async () => {
    await db?.destroy()
    await stack?.stop()
    await s3?.stop()
  })

  /** Everything that is kept of the tenant's people, and that each index agrees with it. */
  async function everybody(): Promise<Map<string, Person>> {
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    const listed = async (
      table: string,
      column: string,
      read = (value: unknown) => String(value),
      id = 'subject_id',
    ) => {
      const rows: { subject_id: string; value: unknown }[] = await db(table)
        .where({ tenant_id })
        .select({ subject_id: db.raw(id), value: column })
      const lists = new Map<string, string[]>()
      for (const { subject_id, value } of rows) lists.set(subject_id, [...(lists.get(subject_id) ?? []), read(value)])
      return (id: string) => (lists.get(id) ?? []).sort()
    }
    const ofBytes = sqlId('subject_id')
    const [places, hashes, words, lists] = await Promise.all([
      listed('subject_locations', 'entity_key'),
      listed('subject_values', 'value_hash', value => (value as Buffer).toString('hex')),
      listed('subjects_by_word', 'word', String, ofBytes),
      listed('words_by_subject', 'words', String, ofBytes),
    ])
    const rows: { id: string; custom_values: string }[] = await db('subjects')
      .where({ tenant_id })
      .select('id', 'custom_values')
    const people = rows.map(({ id, custom_values }): [string, Person] => {
      const values = JSON.parse(custom_values)
      expect(hashes(id)).toEqual(hashesOf(values).sort())
      expect(words(id)).toEqual(wordsOf(values).sort())
      expect(lists(id)).toEqual([wordsOf(values).sort().join(',')])
      const text = (key: string) => values[key]?.[1] ?? ''
      const languages = (values.languages ?? []).map(([, language]: [string, string]) => language)
      const { givenName, familyName, email } = Object.fromEntries(
        ['givenName', 'familyName', 'email'].map(key => [key, text(key)]),
      )
      return [text('nationalId'), { givenName, familyName, email, languages, places: places(id) } as Person]
    })
    expect(new Set(people.map(([id]) => id)).size).toBe(people.length)
    return new Map(people)
  }

  test.each([
    ['of new people', 20_000, ['worker', 'worker', 'database'], {}],
    ['of people who are there, and of others', 9_000, ['worker', 'api', 'worker'], {}],
    ['with Mode=all, whose rows are refused', 9_000, ['worker', 'worker'], { Mode: 'all' }],
  ] as const)(
    `%s: each row is written once, whatever is killed (FAULT_SEED=${seed})`,
    async (name, ids, victims, query) => {
      const random = randomOf(seed + name.length)
      const model: Model = { people: await everybody(), refused: [] }
      const before = new Map(model.people)
      const rows = rowsOf(random, model, ids)
      const { status, body } = await upload(tenant, `${columns.join()}\n${rows.join('\r\n')}\r\n`, {
        query,
        baseUrl: stack.baseUrl,
      })
      expect(status).toBe(202)
      for (const [n, victim] of victims.entries()) {
        await progressed(
          db,
          tenant.tenantKey,
          (n + random.between(10, 90) / 100) / victims.length / ('Mode' in query ? 3 : 1),
        )
        await kill(stack[victim])
      }
      await stack.ready()
      const job = await ended(tenant, body.jobId, 120_000)
      expect((await refusedRows(tenant, job.jobId)).map(({ Refused }) => [Refused.row, Refused.code])).toEqual(
        model.refused,
      )
      if ('Mode' in query) {
        expect(job).toMatchObject({ status: 'Failed', counts: { refused: model.refused.length } })
        expect(await everybody()).toEqual(before)
        return
      }
      const written = count - model.refused.length
      const created = model.people.size - before.size
      expect(job).toMatchObject({
        status: 'Completed',
        counts: { created, updated: written - created, refused: count - written },
      })
      expect(await everybody()).toEqual(model.people)
    },
  )

  test('is forgotten when its job is completed, and so is one whose process was killed while it came', async () => {
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    await db('import_files').insert({
      ...{ tenant_id, id: crypto.randomUUID(), state: 'uploading', storage, actor: 'killed' },
      created_at: new Date(Date.now() - 3_700_000),
    })
    // Those of the first two; that of the failed one stays, for a retry.
    const temporal = await temporalClient(stack.temporalAddress, stack.encryptionKey)
    await forgetNow(temporal.client)
    await temporal.close()
    await until('the uploads are forgotten', async () => {
      const [kept, ...others] = await db('import_files').where({ tenant_id }).select('state', 'job_id')
      return kept?.state === 'stored' && others.length === 0
    })
    const files = await db('import_keys').distinct('file_id')
    expect([files.length, (await s3.objects()).length]).toEqual([1, storage === 's3' ? 1 : 0])
  })
})
