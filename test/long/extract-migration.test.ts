// Submissions from before the first extract.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { migrationSource } from '../../db/migrations/index.js'
import { allAsked } from '../support/extract-faults.js'
import { lifeTemplates } from '../support/extract-practice.js'
import { extract, extractedIds } from '../support/extracts.js'
import { blockAsked, type FormsTenant, formAsked, formsTenant } from '../support/form-factories.js'
import { patientOf } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

const db = openDatabase()
afterAll(() => db.destroy())

interface Filled {
  tenant: FormsTenant
  tenantId: number
  withdrawn: string
  amending: string
  complete: string
}
let filled: Filled[]
beforeAll(async () => {
  filled = await Promise.all([filledTenant(), filledTenant()])
})

/** A tenant with instances in every state. */
async function filledTenant(): Promise<Filled> {
  const tenant = await formsTenant()
  const [visit, call] = lifeTemplates
  if (!visit || !call) throw new Error('There are two forms')
  // The version of a building block is its own.
  const blocks = JSON.parse(JSON.stringify(visit.buildingBlocks))
  blocks[1].version = 3
  await tenant.publish(visit, call, { ...visit, version: 2, buildingBlocks: blocks })
  const patient = patientOf(tenant)
  const submitted = async (values: object, more: object = {}) => {
    const id = await patient.created({ formKey: 'visit', ...more })
    expect(await patient.submit(id, values)).toMatchObject({ status: 200 })
    return id
  }
  const amended = async (values: object) => {
    const id = await submitted({ reason: 'First', plan: 'Rest' })
    await patient.amend(id)
    expect(await patient.submit(id, values, '*')).toMatchObject({ status: 200 })
    return id
  }
  const complete = await submitted({ reason: 'Ä', findings: '\u{1F9B6}', plan: 'Rest' }, { correlationId: 'visit 7' })
  await submitted({ plan: 'Rest' })
  await submitted({})
  await submitted({ reason: 'x' }, { formKey: 'call' })
  await submitted({ reason: 'x', plan: 'y' }, { formVersion: 2 })
  await amended({ reason: 'Second' })
  const amending = await submitted({ reason: 'x' })
  await patient.amend(amending)
  await patient.save(amending, { reason: 'y', plan: 'z' }, '*')
  const withdrawn = await submitted({ reason: 'x', plan: 'y' })
  await patient.withdraw(withdrawn)
  const again = await submitted({ reason: 'x' })
  await patient.withdraw(again)
  await patient.reinstate(again)
  await patient.withdraw(await amended({ plan: 'Second' }))
  const draft = () => patient.created({ formKey: 'visit' })
  await patient.save(await draft(), { reason: 'x' })
  await patient.discard(await draft(), '*')
  await patient.withdraw(await draft())
  return { tenant, tenantId: await tenantIdOf(db, tenant.tenantKey), withdrawn, amending, complete }
}

const formTables = [
  'form_templates',
  'form_building_blocks',
  'form_instances',
  'form_instance_versions',
  'form_values',
  'form_withdrawals',
]

/**
 * Copies the tenants' forms into a database as it was before there were extracts, and migrates that.
 * @returns its name.
 */
async function migratedCopy(tenantIds: number[]): Promise<string> {
  const name = `armature_test_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('databaseUrl'))
  const [from, to] = [url.pathname.slice(1), name]
  url.pathname = `/${name}`
  await db.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [name])
  onTestFinished(async () => void (await db.raw('DROP DATABASE ??', [name])))
  const steps = await migrationSource.getMigrations([])
  const before = steps.slice(
    0,
    steps.findIndex(step => step.name.startsWith('2026-11-extracts')),
  )
  const copy = connect(url.href, { poolSize: 2 })
  await copy.migrate.latest({
    migrationSource: { ...migrationSource, getMigrations: async () => before },
    tableName: 'schema_steps',
  })
  const owners = { tenants: 'id', ...Object.fromEntries(formTables.map(table => [table, 'tenant_id'])) }
  for (const [table, owner] of Object.entries(owners)) {
    const columns = Object.keys(await copy(table).columnInfo())
    await db.raw('INSERT INTO ??.?? (??) SELECT ?? FROM ??.?? WHERE ?? IN (?)', [
      ...[to, table, columns, columns],
      ...[from, table, owner, tenantIds],
    ])
  }
  await migrate(url.href)
  // As if it had been killed, each time before it noted what it had just done.
  await copy('schema_steps').where('name', 'like', '2026-11-ex%').delete()
  await migrate(url.href)
  await copy.destroy()
  return name
}

test('what was submitted before there were extracts is in them, just as if there had been', async () => {
  const tenantIds = filled.map(({ tenantId }) => tenantId)
  const mine = (table: string) => db(table).whereIn('tenant_id', tenantIds)
  const forever = new Date('9999-12-31T00:00:00Z')
  const key = ['tenant_id', 'is_block', 'definition_key', 'definition_version', 'submitted_at', 'instance_id']
  const written: object[] = await mine('form_reports').where({ counts_until: forever }).orderBy(key)
  const asked = [
    ...allAsked,
    formAsked('visit', { identifier: 'two', version: 2 }),
    blockAsked('extra', { identifier: 'three', version: 3 }),
  ]
  const answers = () => Promise.all(filled.map(each => extract(each.tenant.forms, { definitions: asked })))
  const before = await answers()
  const ids = before.map(({ body }) => body.results.map(({ results }) => results.length))
  expect(ids, 'of each tenant, each definition').toEqual([
    [6, 2, 1, 6, 6, 1, 1],
    [6, 2, 1, 6, 6, 1, 1],
  ])

  const copy = await migratedCopy(tenantIds)
  const migrated: object[] = await db(`${copy}.form_reports`).orderBy(key)
  // Of one that was withdrawn meanwhile it is not known any more.
  expect(migrated).toEqual(written.map(row => ({ ...row, counts_from: Object(row).submitted_at })))
  expect(await db(`${copy}.form_clocks`).pluck('tenant_id').orderBy('tenant_id')).toEqual([...tenantIds].sort())

  // Now the product goes on with what the migration has made.
  await mine('form_reports').delete()
  await mine('form_clocks').delete()
  for (const table of ['form_reports', 'form_clocks'])
    await db.raw('INSERT INTO ?? SELECT * FROM ??.??', [table, copy, table])
  expect((await answers()).map(({ body }) => body)).toEqual(before.map(({ body }) => body))
  for (const { tenant, withdrawn, amending, complete } of filled) {
    const patient = patientOf(tenant)
    const shown = async () => (await extractedIds(tenant.forms, { definitions: [formAsked('visit')] }))[0]
    await patient.reinstate(withdrawn)
    expect(await shown()).toContain(withdrawn)
    expect(await patient.submit(amending, { plan: 'Amended' }, '*')).toMatchObject({ status: 200 })
    expect((await shown())?.filter(id => id === amending)).toHaveLength(1)
    const plans = await extractedIds(tenant.forms, { definitions: [blockAsked('extra'), blockAsked('general')] })
    expect(plans.map(list => list.includes(amending))).toEqual([true, false])
    await patient.withdraw(complete)
    expect(await shown()).not.toContain(complete)
  }
})
