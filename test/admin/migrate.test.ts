// Migrations that are interrupted, run together or find other tables; with the steps of a version after this one.
import { randomBytes } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { steps } from '../../db/migrations/index.js'
import type { Batch, MigrationStep } from '../../db/migrations/step.js'
import { insertRows } from '../../db/rows.js'
import { openDatabase } from '../support/factories.js'
import { nextSteps, perBatch } from '../support/next-steps.js'

const db = openDatabase()
afterAll(() => db.destroy())

const upgraded = [...steps, ...nextSteps]

/** An empty database of one test. */
async function scratch(): Promise<{ name: string; url: string }> {
  const name = `armature_test_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  await db.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [name])
  onTestFinished(async () => void (await db.raw('DROP DATABASE ??', [name])))
  return { name, url: url.href }
}

/** Reads all columns and keys, and the steps that are noted. */
async function schemaOf(name: string): Promise<unknown[]> {
  const of = (table: string, ...order: string[]): Promise<object[]> =>
    db(`information_schema.${table}`).where({ table_schema: name }).orderBy(order).select(order)
  return [
    await of('columns', 'table_name', 'column_name', 'column_type', 'is_nullable', 'column_default'),
    await of('statistics', 'table_name', 'index_name', 'seq_in_index', 'column_name', 'collation', 'non_unique'),
    await db(`${name}.schema_steps`).orderBy('name').pluck('name'),
  ]
}

test('a migration that was killed before it recorded a finished step continues', async () => {
  const { name, url } = await scratch()
  await migrate(url, upgraded)
  const whole = await schemaOf(name)
  await db(`${name}.schema_steps`).delete()
  await migrate(url, upgraded)
  expect(await schemaOf(name)).toEqual(whole)
})

test('migrations that begin together make the schema once', async () => {
  const [{ name, url }, alone] = [await scratch(), await scratch()]
  await Promise.all([migrate(url), migrate(url), migrate(url), migrate(alone.url)])
  expect(await schemaOf(name)).toEqual(await schemaOf(alone.name))
})

test('a table that no migration has created is never taken for a finished step', async () => {
  const { name, url } = await scratch()
  await db.raw('CREATE TABLE ??.jobs (own INT)', [name])
  for (const _ of ['once', 'again']) {
    await expect(migrate(url)).rejects.toMatchObject({ code: 'ER_TABLE_EXISTS_ERROR' })
    expect(await db(`${name}.schema_steps`).pluck('name')).not.toContain('baseline-jobs')
  }
})

/** Tenants by number, with how many subjects each has. */
const subjectsOf = { 1: 2 * perBatch + 100, 2: 1 }
/** Three batches of the first tenant and one of the second; after each tenant, and at the start, one that finds no subject. */
const batches = 3 + 1 + 3

/** The id of a tenant's nth subject. */
const idOf = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** A database of this version, with subjects. */
async function inUse(): Promise<{ url: string; copy: Knex }> {
  const { url } = await scratch()
  await migrate(url)
  const copy = connect(url, { poolSize: 2 })
  onTestFinished(() => copy.destroy())
  const now = new Date()
  for (const [tenant, count] of Object.entries(subjectsOf)) {
    const settings = { user_access: 'direct', limits: '{}', entity_settings: '{}' }
    await copy('tenants').insert({ id: tenant, tenant_key: `t${tenant}`, name: '', ...settings, updated_at: now })
    const columns = ['tenant_id', 'id', 'external_id', 'custom_values', 'created_at', 'updated_at']
    const rows = Array.from({ length: count }, (_, n) => [Number(tenant), idOf(n), idOf(n), '{}', now, now])
    await insertRows(copy, 'subjects', columns, rows)
  }
  return { url, copy }
}

/** The steps of the next version, with the function around each of its batches. */
const withBatches = (around: (batch: Batch) => Batch): MigrationStep[] =>
  upgraded.map(step => ('batch' in step ? { ...step, batch: around(step.batch) } : step))

test('migrations that begin together run each batch once, and fill every row', async () => {
  const { url, copy } = await inUse()
  let calls = 0
  const counted = withBatches(batch => (trx, from) => {
    calls++
    return batch(trx, from)
  })
  await Promise.all([migrate(url, counted), migrate(url, counted), migrate(url, counted)])
  expect(calls).toBe(batches)
  const lengths = await copy('subjects').distinct('values_length').pluck('values_length')
  expect(lengths).toEqual(['{}'.length])
})

test('a migration that breaks off in a batch undoes that batch, and goes on after the one before', async () => {
  const { url, copy } = await inUse()
  let subjectBatches = 0
  const breaking = withBatches(batch => async (trx, from) => {
    const end = await batch(trx, from)
    if (from !== undefined && ++subjectBatches === 2) throw new Error('The process was killed')
    return end
  })
  await expect(migrate(url, breaking)).rejects.toThrow('The process was killed')
  const lengthOf = async (n: number, tenant_id = 1): Promise<number | null> =>
    (
      await copy('subjects')
        .where({ tenant_id, id: idOf(n) })
        .first('values_length')
    ).values_length
  expect([await lengthOf(perBatch - 1), await lengthOf(perBatch)]).toEqual([2, null])

  // What is done is not done again.
  await copy('subjects')
    .where({ tenant_id: 1, id: idOf(3) })
    .update({ values_length: 0 })
  await migrate(url, upgraded)
  expect([
    await lengthOf(3),
    await lengthOf(perBatch),
    await lengthOf(subjectsOf[1] - 1),
    await lengthOf(0, 2),
  ]).toEqual([0, 2, 2, 2])
})
