// Migrations that are interrupted, run together or find other tables.
import { hash, randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { sqlId } from '../../db/frame/search/id-bytes.js'
import { listOf, type StoredValue, type StoredValues } from '../../db/frame/subjects/custom-fields.js'
import { planSubjects } from '../../db/frame/subjects/subject-plan.js'
import { noSubjectSettings } from '../../db/frame/subjects/subject-settings.js'
import { hashesOf, matchingHashes } from '../../db/frame/subjects/subject-values.js'
import { migrate } from '../../db/migrate.js'
import { insertRows } from '../../db/rows.js'
import { randomOf } from '../support/random.js'
import { openDatabase } from '../support/stored-subjects.js'

const db = openDatabase()
afterAll(() => db.destroy())

async function emptyDatabase(): Promise<{ name: string; url: string }> {
  const name = `armature_test_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  await db.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [name])
  return { name, url: url.href }
}

const dropped = (name: string) => db.raw('DROP DATABASE ??', [name])

/** An empty database of one test. */
async function scratch(): Promise<{ name: string; url: string }> {
  const { name, url } = await emptyDatabase()
  onTestFinished(async () => void (await dropped(name)))
  return { name, url }
}

/** All columns and keys, and the steps that are noted. */
async function schemaOf(name: string): Promise<unknown[]> {
  const of = (table: string, ...order: string[]): Promise<object[]> =>
    db(`information_schema.${table}`).where({ table_schema: name }).orderBy(order).select(order)
  return [
    await of('columns', 'table_name', 'column_name', 'column_type', 'is_nullable', 'column_default'),
    await of('statistics', 'table_name', 'index_name', 'seq_in_index', 'column_name', 'collation', 'non_unique'),
    await db(`${name}.schema_steps`).orderBy('name').pluck('name'),
  ]
}

test('a migration that was killed before it noted what it had done goes on', async () => {
  const { name, url } = await scratch()
  await migrate(url)
  const whole = await schemaOf(name)
  await db(`${name}.schema_steps`).delete()
  await migrate(url)
  expect(await schemaOf(name)).toEqual(whole)
})

test('migrations that begin together make the schema once', async () => {
  const [{ name, url }, alone] = [await scratch(), await scratch()]
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(alone.url)])
  expect(await schemaOf(name)).toEqual(await schemaOf(alone.name))
})

test("what is there and was not made by a migration is nobody's step, however often it runs", async () => {
  const { name, url } = await scratch()
  await db.raw('CREATE TABLE ??.jobs (own INT)', [name])
  for (const _ of ['once', 'again']) {
    await expect(migrate(url)).rejects.toMatchObject({ code: 'ER_TABLE_EXISTS_ERROR' })
    expect(await db(`${name}.schema_steps`).pluck('name')).not.toContain('2026-11-foundation-jobs')
  }
})

describe('subjects from before texts were compared in NFC and without white space at their ends', () => {
  const fields = ['nationalId', 'email', 'tags'].map(key => ({
    ...{ key, name: key, typeKey: 'Text' as const },
    ...{ required: key === 'nationalId', isArray: key === 'tags' },
  }))
  const settings = { ...noSubjectSettings, fields, matchingFields: ['nationalId'], upsert: true }
  /** The id of a tenant's nth subject. */
  const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`
  const text = (value: string): StoredValue => ['String', value]

  let [name, url]: [string, string] = ['', '']
  let copy: Knex
  beforeAll(async () => {
    ;({ name, url } = await emptyDatabase())
    await migrate(url)
    copy = connect(url, { poolSize: 2 })
  })
  afterAll(async () => {
    await copy.destroy()
    await dropped(name)
  })

  /** Makes it the database of then, with tenants 1 and 2 and what they hold. */
  async function hold(people: Record<1 | 2, StoredValues[]>, second: object = settings) {
    for (const table of ['tenants', 'subject_settings', 'subjects', 'subject_values', 'subject_duplicates'])
      await copy(table).delete()
    for (const table of ['schema_steps', 'schema_steps_begun'])
      await copy(table).where({ name: '2026-11-matching-value-hashes' }).delete()
    for (const id of [1, 2] as const) {
      const now = new Date()
      await copy('tenants').insert({ id, tenant_key: `t${id}`, name: `t${id}`, limits: '{}', updated_at: now })
      await copy('subject_settings').insert({ tenant_id: id, settings: JSON.stringify(id === 1 ? settings : second) })
      await copy('subjects').insert(
        people[id].map((values, n) => ({
          ...{ tenant_id: id, id: idOf(n), external_id: idOf(n + 5_000), created_at: now, updated_at: now },
          custom_values: JSON.stringify(values),
        })),
      )
      await copy('subject_values').insert(
        people[id].flatMap((values, n) =>
          Object.entries(values).flatMap(([key, value]) =>
            listOf(value).map(([, held]) => ({
              tenant_id: id,
              value_hash: Buffer.from(hash('sha256', `${key}\0${held}`, 'hex').slice(0, 32), 'hex'),
              subject_id: idOf(n),
            })),
          ),
        ),
      )
    }
  }

  /** Runs the migration. @returns what it has said. */
  async function migrated(): Promise<string[]> {
    const said: string[] = []
    await migrate(url, line => said.push(line))
    return said
  }

  /** What the index of values holds, and what it should hold. */
  async function indexOf() {
    const rows: { tenant_id: number; value_hash: Buffer; subject_id: string }[] = await copy('subject_values')
    const subjects: { tenant_id: number; id: string; custom_values: string }[] = await copy('subjects')
    return {
      held: rows.map(row => `${row.tenant_id} ${row.subject_id} ${row.value_hash.toString('hex')}`).sort(),
      wanted: subjects
        .flatMap(row => hashesOf(JSON.parse(row.custom_values)).map(each => `${row.tenant_id} ${row.id} ${each}`))
        .sort(),
    }
  }

  const upserted = (tenant: number, nationalId: string) =>
    planSubjects(
      copy,
      tenant,
      [{ CustomFieldValues: [{ Key: 'nationalId', Value: { String: { Value: nationalId } } }] }],
      () => true,
    )

  test('are found by their texts; none is merged, and those that became equal are said until they differ', async () => {
    const people = {
      1: [
        { nationalId: text('é'), email: text('one') },
        { nationalId: text('alone ') },
        { nationalId: text('e\u0301 ') },
        { nationalId: text('other'), email: text(' one'), tags: [text('x'), text('x '), text('y')] },
        { nationalId: text('\u00a0é') },
        { nationalId: text('É') },
      ],
      2: [
        { nationalId: text('é'), email: text('two') },
        { nationalId: text('third'), email: text('two ') },
      ],
    }
    await hold(people, { ...settings, identifierField: 'email' })
    const values = await copy('subjects').orderBy(['tenant_id', 'id']).select('custom_values')
    const said = await migrated()
    expect(said.slice(0, -1)).toEqual([
      `Tenant 't1': the subjects ${idOf(0)}, ${idOf(2)}, ${idOf(4)} have the same nationalId.`,
      `Tenant 't2': the subjects ${idOf(0)}, ${idOf(1)} have the same email.`,
    ])
    expect(said.at(-1)).toContain('Nothing was merged.')
    expect(await copy('subjects').orderBy(['tenant_id', 'id']).select('custom_values')).toEqual(values)
    const { held, wanted } = await indexOf()
    expect(held).toEqual(wanted)

    await expect(upserted(1, 'é')).rejects.toMatchObject({
      status: 409,
      code: 'ambiguous-match',
      message: expect.stringContaining(`${idOf(0)}, ${idOf(2)}, ${idOf(4)}`),
    })
    expect(await upserted(1, 'alone')).toMatchObject({ planned: [{ outcome: 'updated', id: idOf(1) }] })
    expect(await upserted(2, 'é ')).toMatchObject({ planned: [{ outcome: 'updated', id: idOf(0) }] })

    expect(await migrated()).toEqual(said)
    const changed = (n: number, nationalId: string) =>
      copy('subjects')
        .where({ tenant_id: 1, id: idOf(n) })
        .update({ custom_values: JSON.stringify({ nationalId: text(nationalId) }) })
    await changed(0, '1')
    expect((await migrated())[0]).toBe(`Tenant 't1': the subjects ${idOf(2)}, ${idOf(4)} have the same nationalId.`)
    await changed(2, '2')
    await copy('subject_settings')
      .where({ tenant_id: 2 })
      .update({ settings: JSON.stringify(settings) })
    expect(await migrated()).toEqual([])
  })

  test('are read in batches; a migration that breaks off goes on after its last batch', async () => {
    const many = Array.from({ length: 1_100 }, (_, n) => ({ nationalId: text(`${n} `) }))
    await hold({ 1: many, 2: [{ nationalId: text('x ') }] })
    const valuesOf = (n: number) => copy('subjects').where({ tenant_id: 1, id: idOf(n) })
    const isRehashed = async (n: number, tenant = 1) => {
      const wanted = matchingHashes(['nationalId'], { nationalId: text(tenant === 1 ? `${n}` : 'x') })?.each[0] ?? ''
      const where = { tenant_id: tenant, subject_id: idOf(n), value_hash: Buffer.from(wanted, 'hex') }
      return (await copy('subject_values').where(where).first('subject_id')) !== undefined
    }
    await valuesOf(700).update({ custom_values: 'unreadable' })
    await expect(migrated()).rejects.toThrow(SyntaxError)
    expect([await isRehashed(499), await isRehashed(500)]).toEqual([true, false])

    await valuesOf(700).update({ custom_values: JSON.stringify(many[700]) })
    // What is done is not read again.
    await valuesOf(3).update({ custom_values: 'unreadable' })
    expect(await migrated()).toEqual([])
    expect([await isRehashed(500), await isRehashed(1_099), await isRehashed(0, 2)]).toEqual([true, true, true])
    expect(await copy('subject_values').count({ size: '*' })).toEqual([{ size: 1_101 }])
  })
})

test('words of subjects go from the table of version 0.1.0 into those that took its place', async () => {
  const { url } = await scratch()
  await migrate(url)
  const copy = connect(url, { poolSize: 2 })
  onTestFinished(() => copy.destroy())
  for (const table of ['schema_steps', 'schema_steps_begun'])
    for (const step of ['empty-%', 'fill', 'old'])
      await copy(table).where('name', 'like', `2026-11-words-of-subjects-${step}`).delete()
  // A subject that 0.2.0 wrote, and 0.1.0 beside it took away again.
  const subject_id = Buffer.alloc(16, 7)
  await copy('subjects_by_word').insert({ tenant_id: 1, word: 'gone', subject_id })
  await copy('words_by_subject').insert({ tenant_id: 1, subject_id, words: 'gone' })
  const columns = 'tenant_id INT UNSIGNED, subject_id CHAR(36) CHARACTER SET ascii, word VARCHAR(64)'
  await copy.raw(`CREATE TABLE subject_words (${columns}, PRIMARY KEY (tenant_id, subject_id, word))`)
  const names = ['anna', 'berta', 'иван', '山田', '4711', 'nordmann']
  const random = randomOf(72)
  const long = Array.from({ length: 500 }, (_, n) => `older${n}`)
  const words: [tenant: number, id: string, word: string][] = []
  for (const tenant of [1, 3]) {
    const now = new Date()
    await copy('tenants').insert({ id: tenant, tenant_key: `t${tenant}`, name: '', limits: '{}', updated_at: now })
    for (let n = 0; n < 2_100; n++) {
      const id = `0000000${tenant}-0000-7000-8000-${String(n).padStart(12, '0')}`
      const some = names.filter(() => random.between(0, 2) === 0)
      for (const word of n === 2_050 ? long : some) words.push([tenant, id, word])
    }
  }
  await insertRows(copy, 'subject_words', ['tenant_id', 'subject_id', 'word'], words)

  await migrate(url)
  const found = (table: string, column: string): Promise<Record<'tenant_id' | 'id' | 'text', string>[]> =>
    copy(table).select('tenant_id', copy.raw(`${sqlId('subject_id')} AS id`), { text: column })
  const wanted = words.map(row => row.join(' ')).sort()
  const byWord = (await found('subjects_by_word', 'word')).map(row => `${row.tenant_id} ${row.id} ${row.text}`)
  expect(byWord.sort()).toEqual(wanted)
  const bySubject = (await found('words_by_subject', 'words')).flatMap(row =>
    row.text.split(',').map(word => `${row.tenant_id} ${row.id} ${word}`),
  )
  expect(bySubject.sort()).toEqual(wanted)
  expect(await copy.schema.hasTable('subject_words')).toBe(false)
})
