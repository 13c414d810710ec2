// `armature backup` and `armature restore`, with the dump programs of the machine.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { migrate } from '../../db/migrate.js'
import { armature } from '../support/armature.js'
import { openDatabase } from '../support/factories.js'

const db = openDatabase()
let folder: string
const names: string[] = []
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'armature-backup-'))
})
afterAll(async () => {
  for (const name of names) await db.raw('DROP DATABASE ??', [name])
  await db.destroy()
  await rm(folder, { recursive: true })
})

interface Scratch {
  name: string
  url: string
}

/** An empty database. */
async function scratch(): Promise<Scratch> {
  const name = `armature_backup_${randomBytes(6).toString('hex')}`
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  await db.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [name])
  names.push(name)
  return { name, url: url.href }
}

/** A database with a tenant, whose texts and bytes no dump should change. */
async function filled(): Promise<Scratch> {
  const made = await scratch()
  await migrate(made.url)
  const own = connect(made.url, { poolSize: 1 })
  const tenant = { user_access: 'direct', limits: '{}', entity_settings: '{}', updated_at: new Date() }
  await own('tenants').insert({ tenant_key: 'county', name: "Zoë's \\ 'county' 🏥\n%_", ...tenant })
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n))
  await own('file_chunks').insert({ tenant_id: 1, file_id: 'a'.repeat(36), n: 0, bytes })
  await own.destroy()
  return made
}

const settingsOf = (url: string) => ({
  DATABASE_URL: url,
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  ENCRYPTION_KEY: inject('encryptionKey'),
})
const run = (url: string, ...args: string[]) => armature(args, settingsOf(url))
const file = (name: string) => join(folder, `${name}.sql.gz`)

/** All rows of a database, by table. */
async function rowsIn(database: string): Promise<Record<string, unknown[]>> {
  const tables: string[] = await db('information_schema.tables').where({ table_schema: database }).pluck('table_name')
  const read = async (table: string) => [table, await db(`${database}.${table}`)] as const
  return Object.fromEntries(await Promise.all(tables.sort().map(table => read(table))))
}

test('a restore brings every row back, into an empty database or over what is in another one', async () => {
  const [from, to] = [await filled(), await scratch()]
  const made = await run(from.url, 'backup', file('whole'))
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/whole\.sql\.gz: .* MB, .* MB of SQL, in .* s\./),
  })
  expect((await stat(file('whole'))).mode & 0o777).toBe(0o600)
  const rows = await rowsIn(from.name)
  expect(rows.tenants).toHaveLength(1)
  expect(await run(to.url, 'restore', file('whole'))).toMatchObject({ code: 0 })
  expect(await rowsIn(to.name)).toEqual(rows)

  await db.raw('CREATE TABLE ??.later (n INT)', [to.name])
  await db(`${to.name}.tenants`).update({ name: 'Changed' })
  const refused = await run(to.url, 'restore', file('whole'))
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`--over ${to.name}`) })
  expect((await db(`${to.name}.tenants`).first('name')).name).toBe('Changed')
  expect(await run(to.url, 'restore', file('whole'), '--over', to.name)).toMatchObject({ code: 0 })
  expect(await rowsIn(to.name)).toEqual(rows)
})

test('a file that is cut off, of something else, or of a newer version is refused before anything is written', async () => {
  const { name, url } = await filled()
  await run(url, 'backup', file('good'))
  const text = gunzipSync(await readFile(file('good'))).toString('latin1')
  const steps = text.replace('"steps":["', '"steps":["2099-01-later","')
  const wrong = {
    half: (await readFile(file('good'))).subarray(0, 2_000),
    lines: gzipSync(Buffer.from(text.slice(0, -200), 'latin1')),
    other: gzipSync('SELECT 1;\n'),
    newer: gzipSync(Buffer.from(steps, 'latin1')),
  }
  const said: Record<string, string> = {}
  for (const [which, bytes] of Object.entries(wrong)) {
    await writeFile(file(which), bytes)
    const { code, stderr } = await run(url, 'restore', file(which), '--over', name)
    expect(code).toBe(1)
    said[which] = stderr
  }
  expect(said.half).toContain('cannot be read to its end')
  expect(said.lines).toContain('only a part of a backup')
  expect(said.other).toContain('is no backup')
  expect(said.newer).toContain('newer than that of this program')
  expect((await rowsIn(name)).tenants).toHaveLength(1)
})

test('nothing is removed before a restore if there is no program to restore with', async () => {
  const { name, url } = await filled()
  await run(url, 'backup', file('kept'))
  const missing = await armature(['restore', file('kept'), '--over', name], { ...settingsOf(url), PATH: '' })
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('Install the client programs') })
  expect((await rowsIn(name)).tenants).toHaveLength(1)
})

test('a backup overwrites no file, and leaves none that is not whole', async () => {
  const { url } = await filled()
  await writeFile(file('mine'), 'mine')
  expect(await run(url, 'backup', file('mine'))).toMatchObject({ code: 1, stderr: expect.stringContaining('exists') })
  expect(await readFile(file('mine'), 'utf8')).toBe('mine')
  const nowhere = new URL(url)
  nowhere.pathname = '/armature_nowhere'
  expect(await run(nowhere.href, 'backup', file('none'))).toMatchObject({ code: 1 })
  await expect(stat(file('none'))).rejects.toThrow('ENOENT')
  const missing = await armature(['backup', file('none')], { ...settingsOf(url), PATH: '' })
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('Install the client programs') })
})

test('a database that an API or a worker uses is not replaced', async () => {
  const { url } = await filled()
  await run(url, 'backup', file('idle'))
  const shared = new URL(inject('databaseUrl')).pathname.slice(1)
  const { code, stderr } = await run(inject('databaseUrl'), 'restore', file('idle'), '--over', shared)
  expect([code, stderr]).toEqual([1, expect.stringContaining('Stop them first')])
})
