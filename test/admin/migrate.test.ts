import { randomBytes } from 'node:crypto'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { migrate } from '../../db/migrate.js'
import { openDatabase } from '../support/stored-subjects.js'

const db = openDatabase()
afterAll(() => db.destroy())

/** The database that all tests share. */
const shared = new URL(inject('databaseUrl')).pathname.slice(1)

/** An empty database. */
async function scratch(): Promise<{ name: string; url: string }> {
  const name = `armature_test_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  await db.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [name])
  onTestFinished(async () => void (await db.raw('DROP DATABASE ??', [name])))
  return { name, url: url.href }
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
  const { name, url } = await scratch()
  await Promise.all([migrate(url), migrate(url), migrate(url)])
  expect(await schemaOf(name)).toEqual(await schemaOf(shared))
})

test("what is there and was not made by a migration is nobody's step, however often it runs", async () => {
  const { name, url } = await scratch()
  await db.raw('CREATE TABLE ??.jobs (own INT)', [name])
  for (const _ of ['once', 'again']) {
    await expect(migrate(url)).rejects.toMatchObject({ code: 'ER_TABLE_EXISTS_ERROR' })
    expect(await db(`${name}.schema_steps`).pluck('name')).not.toContain('2026-11-foundation-jobs')
  }
})
