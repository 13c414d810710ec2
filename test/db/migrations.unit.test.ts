// Steps of the schema beside the version before: it runs on while this one is rolled out.
import { expect, test } from 'vitest'
import { steps } from '../../db/migrations/index.js'
import { release } from '../../db/migrations/release.js'
import type { MigrationStep } from '../../db/migrations/step.js'
import { digest, migrationFaults } from '../support/migration-compatibility.js'
import { nextSteps } from '../support/next-steps.js'

/** A release with a schema of one table, for rules about what comes after it. */
const first: MigrationStep = { name: 'first', up: 'CREATE TABLE subjects (id CHAR(36))' }
const released = { version: '1.0.0', lastStep: first.name, sha256: digest([first]) }
const faultsOf = (...later: MigrationStep[]) => migrationFaults([first, ...later], released)
const altering = (clauses: string): MigrationStep => ({ name: 'next', up: `ALTER TABLE subjects ${clauses}` })

test('the release can run with every step since, and none of its own steps was edited', () => {
  expect(migrationFaults(steps, release)).toEqual([])
})

test('the release can run with the steps that tests of upgrades add', () => {
  expect(migrationFaults([...steps, ...nextSteps], release)).toEqual([])
})

test.each([
  'ADD COLUMN note VARCHAR(10) NULL',
  "ADD COLUMN note VARCHAR(10) NOT NULL DEFAULT 'a, b'",
  'ADD KEY subjects_by_note (tenant_id, note), ALGORITHM=INPLACE, LOCK=NONE',
  'ROW_FORMAT=COMPRESSED, KEY_BLOCK_SIZE=8, ALGORITHM=INPLACE, LOCK=NONE',
])('a step may add: %s', clauses => {
  expect(faultsOf(altering(clauses))).toEqual([])
})

test('a step may create a table', () => {
  expect(faultsOf({ name: 'next', up: 'CREATE TABLE notes (tenant_id INT, note VARCHAR(10))' })).toEqual([])
})

test.each([
  ['ADD COLUMN note VARCHAR(10) NOT NULL', 'ADD COLUMN note VARCHAR(10) NOT NULL'],
  ['ADD KEY by_note (note), DROP COLUMN id', 'DROP COLUMN id'],
  ['MODIFY COLUMN id CHAR(40)', 'MODIFY COLUMN id CHAR(40)'],
  ['ADD UNIQUE KEY one (tenant_id, note)', 'ADD UNIQUE KEY one (tenant_id, note)'],
  ['RENAME TO people', 'RENAME TO people'],
])('a step that takes something away is named: %s', (clauses, named) => {
  expect(faultsOf(altering(clauses))).toEqual([`'next' takes from version 1.0.0: ${named}`])
})

test('a step that changes rows is named', () => {
  expect(faultsOf({ name: 'next', up: 'UPDATE subjects SET id = 1' })).toHaveLength(1)
  expect(faultsOf({ name: 'next', batch: async () => undefined })).toHaveLength(1)
})

test('a batch may fill a column that is new', () => {
  const column = altering('ADD COLUMN note VARCHAR(10) NULL')
  const batch: MigrationStep = { name: 'fill', batch: async () => undefined, fills: 'note' }
  expect(faultsOf(column, batch)).toEqual([])
  expect(faultsOf(column, { ...batch, fills: 'display_name' })).toHaveLength(1)
})

test('a step may remove what the release no longer uses', () => {
  expect(faultsOf({ ...altering('DROP COLUMN note'), lastUsedBy: '1.0.0' })).toHaveLength(1)
  expect(faultsOf({ ...altering('DROP COLUMN note'), lastUsedBy: '0.9.0' })).toEqual([])
})

test.each([
  ['1.0.0-rc.1', '1.0.0-rc.2'],
  ['1.0.0-rc.9', '1.0.0-rc.10'],
  ['1.0.0-rc.1', '1.0.0'],
  ['1.0.0', '1.0.1-rc.1'],
  ['1.9.0', '1.10.0'],
])('%s is older than %s: what only the older one used may be removed, not what the newer one uses', (older, newer) => {
  const faults = (lastUsedBy: string, version: string) =>
    migrationFaults([first, { ...altering('DROP COLUMN note'), lastUsedBy }], { ...released, version })
  expect(faults(older, newer)).toEqual([])
  expect(faults(newer, older)).toHaveLength(1)
  expect(faults(older, older)).toHaveLength(1)
})

test("every index of a tenant's table begins with the tenant, except those for work across all tenants", () => {
  const others = steps.flatMap(step => {
    const table = 'up' in step ? /^CREATE TABLE (\w+) \(tenant_id /.exec(step.up) : null
    if (!table || !('up' in step)) return []
    const indexes = [...step.up.matchAll(/(?:PRIMARY|KEY (\w+)) (?:KEY )?\((\w+)/g)]
    expect(indexes.length, table[1]).toBeGreaterThan(0)
    return indexes.flatMap(([, name = table[1], first]) => (first === 'tenant_id' ? [] : [name]))
  })
  expect(others.sort()).toEqual([
    'accounts_by_id',
    'audit_unsealed_by_id',
    'clients_by_id',
    'events_unnumbered_by_id',
    'jobs_of_all',
    'jobs_of_all_by_kind',
    'jobs_of_all_by_status',
    'jobs_to_cancel',
  ])
})

test('a released step that is edited or missing is named', () => {
  expect(migrationFaults([{ ...first, up: 'SELECT 1' }], released)).toHaveLength(1)
  expect(migrationFaults([{ ...first, name: 'other' }], released)).toHaveLength(1)
})
