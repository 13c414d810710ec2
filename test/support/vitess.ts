// Moves tables between keyspaces of Vitess, and splits shards, as docs/vitess.md tells operators to.
import { readFileSync } from 'node:fs'
import type { LogLine } from '../../dev/programs.js'
import { createSequences, tablesOfTenants, type Vitess, vschemaFile } from '../../dev/vitess.js'
import { until } from './until.js'

/** Moves the tables of tenants from `armature` into the one shard of `tenants`. */
export async function moveTenants(vitess: Vitess, log: LogLine): Promise<void> {
  const { control, url } = vitess
  const step = stepsOf(log)
  await step('a shard of tenants', () => vitess.addShard('tenants/-'))
  const vschema = JSON.parse(readFileSync(vschemaFile('tenants'), 'utf8'))
  await step('sequences', () => createSequences(url))
  await step('VSchema of armature', () =>
    control('ApplyVSchema', `--vschema-file=${vschemaFile('armature')}`, 'armature'),
  )
  await step('VSchema of tenants, without lookups', () =>
    control('ApplyVSchema', `--vschema=${JSON.stringify(withoutLookups(vschema))}`, 'tenants'),
  )
  const workflow = ['--workflow=tenants', '--target-keyspace=tenants']
  const move = (...args: string[]) => control('MoveTables', ...workflow, ...args)
  const tables = tablesOfTenants().join()
  await step('MoveTables create', () => move('create', '--source-keyspace=armature', `--tables=${tables}`))
  await step('copied', () => copied(move))
  const lookups = Object.entries<Lookup>(vschema.vindexes).filter(([, { owner }]) => owner)
  const lookup = (name: string, ...args: string[]) =>
    step(`LookupVindex ${name} ${args[0]}`, () =>
      control('LookupVindex', `--name=${name}`, '--table-keyspace=armature', ...args, '--keyspace=tenants'),
    )
  for (const [name, { type, params, owner }] of lookups) {
    const table = params?.table.replace('armature.', '')
    const columns = [`--table-owner=${owner}`, `--table-owner-columns=${params?.from}`, `--table-name=${table}`]
    await lookup(name, 'create', `--type=${type}`, ...columns)
  }
  await step('VDiff', () => vdiff(vitess, 'tenants'))
  await step('SwitchTraffic', () => move('SwitchTraffic', '--initialize-target-sequences'))
  for (const [name] of lookups) {
    await lookup(name, 'externalize')
    await lookup(name, 'complete')
  }
  await step('complete', () => move('complete', '--keep-routing-rules'))
}

/** Splits the one shard of `tenants` in two. */
export async function reshard(vitess: Vitess, log: LogLine): Promise<void> {
  const step = stepsOf(log)
  const split = (...args: string[]) =>
    vitess.control('Reshard', '--workflow=split', '--target-keyspace=tenants', ...args)
  for (const name of ['tenants/-80', 'tenants/80-']) await step(name, () => vitess.addShard(name))
  await step('Reshard create', () => split('create', '--source-shards=-', '--target-shards=-80,80-'))
  await step('copied', () => copied(split))
  await step('VDiff', () => vdiff(vitess, 'split'))
  await step('SwitchTraffic', () => split('SwitchTraffic'))
  await step('complete', () => split('complete'))
}

interface Lookup {
  type: string
  params?: { table: string; from: string }
  owner?: string
}

/** Returns a VSchema without its lookup vindexes, which are made when there are rows. */
function withoutLookups(vschema: {
  vindexes: Record<string, Lookup>
  tables: Record<string, { column_vindexes: { name: string }[] }>
}): object {
  const kept = Object.fromEntries(Object.entries(vschema.vindexes).filter(([, { owner }]) => !owner))
  const tables = Object.entries(vschema.tables).map(([name, table]) => [
    name,
    { ...table, column_vindexes: table.column_vindexes.filter(({ name }) => name in kept) },
  ])
  return { ...vschema, vindexes: kept, tables: Object.fromEntries(tables) }
}

const stepsOf = (log: LogLine) => async (what: string, act: () => Promise<unknown>) => {
  const started = performance.now()
  try {
    await act()
  } catch (error) {
    log(`${what} failed: ${error}`)
    throw error
  }
  log(`${what}: ${((performance.now() - started) / 1_000).toFixed(1)} s`)
}

/** Waits until the streams of a workflow have copied all tables, and go on with changes. @param show lists them. */
const copied = (show: (...args: string[]) => Promise<string>): Promise<unknown> =>
  until(
    'all rows are copied',
    async () => {
      const text = await show('show', '--include-logs=false')
      const states = [...text.matchAll(/"state": "(\w+)"/g)].map(([, state]) => state)
      if (states.includes('Error')) throw new Error(text)
      // One that has not begun is said to be running too, and has no position.
      const isCopied = !text.includes('"position": ""') && !/"copy_states": \[\s*{/.test(text)
      return isCopied && states.every(state => state === 'Running')
    },
    600_000,
  )

/** The tables that Vitess compares too, beside the test's own models. It takes a second or two for each. */
const compared = ['tenants', 'structural_entities', 'subjects', 'subject_locations', 'jobs', 'audit_events'].join()

async function vdiff({ control }: Vitess, workflow: string): Promise<void> {
  const text = await control(
    'VDiff',
    `--workflow=${workflow}`,
    '--target-keyspace=tenants',
    '--format=json',
    'create',
    `--tables=${compared}`,
    '--wait',
    '--wait-update-interval=5s',
  )
  if (!text.includes('"HasMismatch": false')) throw new Error(text)
}
