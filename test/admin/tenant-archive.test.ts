// Tenants that are exported to an archive, and imported from it here and elsewhere.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { archiveLines, sealedCells, summariseArchive } from '../../db/admin/tenant-archive.js'
import { importArchive } from '../../db/admin/tenant-import.js'
import { importing, tenantIdOf } from '../../db/admin/tenants.js'
import { forgetEvents, sealAll } from '../../db/audit/chain.js'
import { connect, type TenantId } from '../../db/connect.js'
import { feedPage, forgetChanges } from '../../db/feeds.js'
import { forgetReports } from '../../db/forms/exports/ended-reports.js'
import { unneededUploads } from '../../db/frame/imports/import-files.js'
import { brokenUploads } from '../../db/frame/subjects/record-items.js'
import { forgetData } from '../../db/glue/data/forgotten-data.js'
import { createGlueReader } from '../../db/glue/endpoints/settings.js'
import { forgetJobs } from '../../db/jobs/jobs-across-tenants.js'
import { migrate } from '../../db/migrate.js'
import { createStorages } from '../../db/storage/storage.js'
import { newId } from '../../runtime/ids.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import { type Api, admin, aKey, newTenant } from '../support/api.js'
import { armature } from '../support/armature.js'
import { auditOf } from '../support/audit.js'
import { type ScriptedProvider, scriptedProvider } from '../support/data-sets.js'
import { addPerson, openDatabase, subjectTenant } from '../support/factories.js'
import { type FurnishedTenant, furnishedTenant } from '../support/furnished-tenant.js'
import { storeJob } from '../support/jobs.js'
import { startS3 } from '../support/s3.js'
import { columnsLike } from '../support/sealed-columns.js'
import { movingTables, rowsOf, suspendedLong } from '../support/tenant-rows.js'
import { until } from '../support/until.js'

const db = openDatabase()
let folder: string
let identity: string
let recipient: string
let platform: Api
let provider: ScriptedProvider
let tenant: FurnishedTenant
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'armature-archive-'))
  identity = await generateX25519Identity()
  recipient = await identityToRecipient(identity)
  await writeFile(join(folder, 'identity'), `# created: today\n${identity}\n`)
  platform = await admin(inject('baseUrl'))
  provider = await scriptedProvider()
  tenant = await furnishedTenant(provider)
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  await addPerson(tenant.all, 'separators', { givenName: 'Ada\u2028Augusta\u2029King' })
  const job_id = await storeJob(db, tenant_id, { status: 'Failed', finished_at: new Date() })
  await db('import_files').insert({
    ...{ tenant_id, id: newId(), job_id, state: 'stored', storage: 'mysql', actor: 'a', created_at: new Date() },
  })
  // Else its webhook moves on while it looks as if it had been suspended for an hour.
  await until('its webhook has seen all that was furnished', async () => {
    await feedPage(db, tenant_id, 'subject', 0, 0)
    const end = await db('event_feeds').where({ tenant_id, feed: 'subject' }).first('position')
    return db('webhooks').where({ tenant_id, feed: 'subject', position: end?.position }).first('position')
  })
  await platform.put(`/admin/v1/tenants/${tenant.tenantKey}/suspension`, undefined)
  await suspendedLong(db, tenant_id)
})
afterAll(async () => {
  await provider?.stop()
  await rm(folder, { recursive: true })
})

/** Exports the tenant. @returns the file. */
async function exported(): Promise<string> {
  const { code, stdout, stderr } = await armature(['tenant', 'export', tenant.tenantKey, '--recipient', recipient])
  expect([code, stderr]).toEqual([0, ''])
  return join(inject('exportDir'), /tenants\.archived\/\S+/.exec(stdout)?.[0] ?? '')
}

const imported = (file: string, env: NodeJS.ProcessEnv = {}) =>
  armature(['tenant', 'import', file, '--identity', join(folder, 'identity')], {
    DATABASE_URL: inject('databaseUrl'),
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    ENCRYPTION_KEY: inject('encryptionKey'),
    ...env,
  })

async function all<T>(of: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const each of of) found.push(each)
  return found
}

/** A database with the schema and no rows. */
async function scratch(): Promise<{ name: string; url: string }> {
  const name = `armature_archive_${randomBytes(6).toString('hex')}`
  await db.raw('CREATE DATABASE ?? CHARACTER SET utf8mb4', [name])
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  await migrate(url.href)
  return { name, url: url.href }
}

/** The lines of an archive. */
async function linesIn(file: string): Promise<string[]> {
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  return gunzipSync(await decrypter.decrypt(await readFile(file)))
    .toString()
    .trimEnd()
    .split('\n')
}

/** Makes an archive of lines. */
async function archiveOf(lines: string[]): Promise<Uint8Array> {
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  return encrypter.encrypt(gzipSync(`${lines.join('\n')}\n`))
}

/** The rows of an archive by table, apart from those that move by themselves. */
async function rowsIn(file: string): Promise<Record<string, string[]>> {
  const rows: Record<string, string[]> = {}
  let table = ''
  for (const line of (await linesIn(file)).slice(1, -1)) {
    if (line.startsWith('{')) {
      table = JSON.parse(line).table
      rows[table] = []
    } else rows[table]?.push(line)
  }
  return Object.fromEntries(Object.entries(rows).filter(([name]) => !movingTables.test(name)))
}

/** The rows of a tenant, apart from its id and what is sealed. */
const comparable = (rows: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(rows).map(([table, all]) => [
      table,
      all.map(row => ({ ...JSON.parse(row), tenant_id: 0, sealed_value: '', mark: '' })),
    ]),
  )

test('every sealed column of tenants is opened in archives', async () => {
  const columns = await columnsLike(db, 'sealed\\_%')
  const ofTenants = new Set((await columnsLike(db, 'tenant\\_id')).map(({ table }) => table))
  const known = Object.entries(sealedCells).map(([table, { column }]) => ({ table, column }))
  expect(columns.filter(({ table }) => ofTenants.has(table))).toEqual(
    known.toSorted((a, b) => a.table.localeCompare(b.table)),
  )
})

/** The stores of the installation that the tests share. */
const storesHere = () => ({
  db,
  seal: createSeal(Buffer.from(inject('encryptionKey'), 'base64')),
  storages: createStorages(db, { recordStorage: 'mysql', s3: undefined }),
})
const aHead = { version: '1', steps: [] }

/** Imports lines into a database of its own, and looks at it. @param between is called before each table and file. */
async function importElsewhere(
  lines: readonly string[],
  between: (there: Knex) => Promise<void>,
  look: (there: Knex, tenant: TenantId) => Promise<void>,
): Promise<void> {
  const { name, url } = await scratch()
  const there = connect(url, { poolSize: 2 })
  const stores = {
    ...storesHere(),
    db: there,
    storages: createStorages(there, { recordStorage: 'mysql', s3: undefined }),
  }
  const again = async function* () {
    for (const line of lines) {
      if (line.startsWith('{')) await between(there)
      yield line
    }
  }
  try {
    const summary = await summariseArchive(Readable.from(lines))
    await look(there, await importArchive(stores, summary, again(), () => undefined))
  } finally {
    await there.destroy()
    await db.raw('DROP DATABASE ??', [name])
  }
}

/** Does what the retention does, for all that is older than this moment. */
async function forgetAll(there: Knex): Promise<void> {
  await forgetData(there)
  await forgetChanges(there, 0)
  await forgetEvents(there)
  await forgetJobs(there, 0)
  await forgetReports(there, 0)
  expect([await unneededUploads(there, 0), await brokenUploads(there, 0)]).toEqual([[], []])
}

test('the retention deletes nothing of a tenant while it is imported, or exported again', async () => {
  const [first = '', ...others] = await linesIn(await exported())
  const head = JSON.parse(first)
  head.tenant.limits = JSON.stringify({ auditRetentionDays: 0 })
  const rowsOf = (lines: readonly string[]) => lines.filter(line => line.startsWith('[')).sort()
  await importElsewhere([JSON.stringify(head), ...others], forgetAll, async (there, tenantId) => {
    await suspendedLong(there, tenantId)
    const again: string[] = []
    const of = { tenantId, tenantKey: tenant.tenantKey }
    for await (const line of archiveLines({ ...storesHere(), db: there }, of, aHead, () => undefined)) {
      again.push(line.trimEnd())
      if (line.startsWith('{')) await forgetAll(there)
    }
    expect(rowsOf(again)).toEqual(rowsOf(others))
  })
})

test('an archive brings the tenant back with every row, and elsewhere with its secrets under another key', async () => {
  const { tenantKey } = tenant
  const id = await tenantIdOf(db, tenantKey)
  const before = await rowsOf(db, id, { isSettled: true })
  const first = await exported()
  expect(await readFile(first, 'latin1')).toContain('age-encryption.org/v1')
  const archived = await rowsIn(first)
  expect(Object.keys(archived).sort()).toEqual(Object.keys(before).sort())

  const { name, url } = await scratch()
  const key = randomBytes(32)
  const elsewhere = connect(url, { poolSize: 1 })
  try {
    const there = await imported(first, { DATABASE_URL: url, ENCRYPTION_KEY: key.toString('base64') })
    expect(there).toMatchObject({ code: 0, stdout: expect.stringContaining('is imported') })
    const otherId = await tenantIdOf(elsewhere, tenantKey)
    expect(comparable(await rowsOf(elsewhere, otherId, { isSettled: true }))).toEqual(comparable(before))
    const { secrets } = await createGlueReader({ db: elsewhere, seal: createSeal(key) })(otherId)
    expect(secrets.signing?.value).toMatch(/^whsec_/)
  } finally {
    await elsewhere.destroy()
    await db.raw('DROP DATABASE ??', [name])
  }

  const taken = await imported(first)
  expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining(`There is a tenant '${tenantKey}'`) })
  expect((await armature(['tenant', 'delete', tenantKey, '--confirm', tenantKey])).code).toBe(0)
  expect(await imported(first)).toMatchObject({ code: 0 })
  await until('it is found', async () => (await platform.get(`/admin/v1/tenants/${tenantKey}`)).status === 200)
  await suspendedLong(db, (await db('tenants').where({ tenant_key: tenantKey }).first('id')).id)
  expect(await rowsIn(await exported())).toEqual(archived)

  await platform.delete(`/admin/v1/tenants/${tenantKey}/suspension`)
  const found = () => tenant.get<{ Edges: { Node: { Id: string } }[] }>('/api/v2/subject')
  await until('its client is served', async () => (await found()).status === 200)
  expect((await found()).body.Edges.map(({ Node }) => Node.Id)).toContain(tenant.ids.subject)
})

test('what is no archive, is cut off, of another schema or for somebody else is refused, and nothing is written', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  await platform.put(`/admin/v1/tenants/${tenantKey}/suspension`, undefined)
  const refused = await armature(['tenant', 'export', tenantKey, '--recipient', recipient])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('must have been suspended') })
  await suspendedLong(db, await tenantIdOf(db, tenantKey))
  const { stdout } = await armature(['tenant', 'export', tenantKey, '--recipient', recipient])
  const file = join(inject('exportDir'), /tenants\.archived\/\S+/.exec(stdout)?.[0] ?? '')
  const whole = await readFile(file)
  const [head = '', ...lines] = await linesIn(file)
  const { steps, ...others } = JSON.parse(head)
  const later = JSON.stringify({ ...others, version: '9.0.0', steps: [...steps, 'later'] })
  const other = join(folder, 'other')
  await writeFile(other, `${await generateX25519Identity()}\n`)
  for (const [bytes, why] of [
    [whole.subarray(0, whole.length - 40), 'is cut off or was changed'],
    [await archiveOf([head, ...lines.slice(0, -1)]), 'only a part of an archive'],
    [Buffer.from('a,b'), 'cannot be decrypted'],
    [await archiveOf([later, ...lines]), 'made by version 9.0.0, whose schema is not that of this database'],
  ] as const) {
    await writeFile(join(folder, 'refused'), bytes)
    expect(await imported(join(folder, 'refused'))).toMatchObject({ code: 1, stderr: expect.stringContaining(why) })
  }
  await writeFile(join(folder, 'whole'), whole)
  const asOther = await armature(['tenant', 'import', join(folder, 'whole'), '--identity', other], {
    DATABASE_URL: inject('databaseUrl'),
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    ENCRYPTION_KEY: inject('encryptionKey'),
  })
  expect(asOther).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be decrypted') })
  expect(await db('tenants').where({ name: tenantKey }).pluck('tenant_key')).toEqual([tenantKey])
})

/** Imports an archive of a tenant that has nothing but settings of forms. @param between is called before these are written. */
function importSmall(tenantKey: string, between: () => Promise<unknown> = async () => undefined): Promise<TenantId> {
  const at = new Date().toISOString()
  const row = {
    name: tenantKey,
    user_access: 'direct',
    limits: '{}',
    entity_settings: '{}',
    created_at: at,
    updated_at: at,
  }
  const whose = { ...aHead, format: 'armature-tenant-1' as const, exportedAt: at, tenantKey, tenant: row }
  const lines = async function* () {
    yield '{"table":"form_settings","columns":["settings"]}'
    await between()
    yield '["{}"]'
  }
  return importArchive(storesHere(), { head: whose, rows: 1, clients: [], accounts: [] }, lines(), () => undefined)
}

test('a tenant that comes into being while its archive is imported is not overwritten', async () => {
  const tenantKey = aKey('meanwhile')
  const other = await db.transaction()
  const settings = { user_access: 'direct', limits: '{}', entity_settings: '{}', updated_at: new Date() }
  await other('tenants').insert({ tenant_key: tenantKey, name: 'Whole', ...settings })
  const importing = importSmall(tenantKey)
  await Promise.all([expect(importing).rejects.toThrow(`There is a tenant '${tenantKey}'`), other.commit()])
  expect(await db('tenants').where({ tenant_key: tenantKey }).pluck('name')).toEqual(['Whole'])
  await db('tenants').where({ tenant_key: tenantKey }).delete()
})

test('an import writes nothing of a tenant that somebody has begun to delete', async () => {
  const tenantKey = aKey('given-up')
  const named = () => db('tenants').where({ tenant_key: tenantKey })
  const jobId = newId()
  await expect(importSmall(tenantKey, () => named().update({ deletion_job_id: jobId }))).rejects.toThrow(
    'being deleted',
  )
  const { id: tenant_id, deletion_job_id } = await named().first('id', 'deletion_job_id')
  expect([deletion_job_id, await db('form_settings').where({ tenant_id })]).toEqual([jobId, []])
  await named().delete()
})

test('an import that broke off says so to who applies a manifest', async () => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  await db('tenants').where({ tenant_key: tenantKey }).update({ deletion_job_id: importing })
  expect(await platform.put(`/admin/v1/tenants/${tenantKey}`, { name: 'A' })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('An import of the tenant is under way, or has broken off.') },
  })
  await db('tenants').where({ tenant_key: tenantKey }).update({ deletion_job_id: null })
})

test('documents outside of the database go with the archive', async () => {
  const s3 = await startS3()
  const { name, url } = await scratch()
  const there = connect(url, { poolSize: 2 })
  try {
    const { S3_ENDPOINT: endpoint = '', S3_BUCKET: bucket = '' } = s3.env
    const access = { accessKeyId: s3.env.S3_ACCESS_KEY_ID ?? '', secretAccessKey: s3.env.S3_SECRET_ACCESS_KEY ?? '' }
    const storages = createStorages(there, {
      recordStorage: 's3',
      s3: { endpoint, bucket, region: 'x', credentials: access },
    })
    const stores = { db: there, seal: createSeal(randomBytes(32)), storages }
    const settings = { user_access: 'direct', limits: '{}', entity_settings: '{}', updated_at: new Date() }
    await there('tenants').insert({ tenant_key: 'moves', name: 'Moves', ...settings })
    const tenantId = await tenantIdOf(there, 'moves')
    await suspendedLong(there, tenantId)
    const row = { id: newId(), subject_id: newId(), state: 'stored', storage: 's3', actor: 'a', created_at: new Date() }
    await there('record_items').insert({ tenant_id: tenantId, ...row })
    const bytes = randomBytes(300_000)
    await storages.of('s3').write({ tenantId, fileId: row.id, kind: 'record' }, Readable.from([bytes]))
    const lines = await all(
      archiveLines(stores, { tenantId, tenantKey: 'moves' }, { version: '1', steps: [] }, () => undefined),
    )
    await there('record_items').delete()
    await there('tenants').delete()
    const again = () => Readable.from(lines)
    const id = await importArchive(stores, await summariseArchive(again()), again(), () => undefined)
    expect(id).not.toBe(tenantId)
    const content = await storages.of('s3').read({ tenantId: id, fileId: row.id, kind: 'record' })
    expect(Buffer.concat(await all(content)).equals(bytes)).toBe(true)
  } finally {
    await there.destroy()
    await db.raw('DROP DATABASE ??', [name])
    await s3.stop()
  }
})

test.each([
  ['went on', { suspended_at: null }],
  ['went on and was suspended again', { suspended_at: new Date('2026-01-01T00:00:00Z') }],
  ['was being deleted', { deletion_job_id: newId() }],
])('an archive has no end if its tenant %s while it was read', async (_, change) => {
  const { tenantKey } = await newTenant(inject('baseUrl'))
  const tenantId = await tenantIdOf(db, tenantKey)
  await suspendedLong(db, tenantId)
  const lines: string[] = []
  const read = async () => {
    for await (const text of archiveLines(storesHere(), { tenantId, tenantKey }, aHead, () => undefined)) {
      if (lines.push(text) === 2) await db('tenants').where({ id: tenantId }).update(change)
    }
  }
  await expect(read()).rejects.toMatchObject({ code: 'tenant-not-suspended' })
  expect(lines.at(-1)).not.toContain('"end"')
})

test('changes and events that get their places while the archive is written do not keep later ones from theirs', async () => {
  const tenant = await subjectTenant()
  const { tenantKey } = tenant
  const tenantId = await tenantIdOf(db, tenantKey)
  // Of both, some have their places before the archive is begun, and some do not.
  await addPerson(tenant, '1')
  await feedPage(db, tenantId, 'subject', 0, 0)
  await auditOf(tenant)
  await addPerson(tenant, '2')
  await suspendedLong(db, tenantId)
  const lines: string[] = []
  for await (const text of archiveLines(storesHere(), { tenantId, tenantKey }, aHead, () => undefined)) {
    lines.push(text)
    if (text.startsWith('{"table":"event_feeds"')) await feedPage(db, tenantId, 'subject', 0, 0)
    if (!text.startsWith('{"table":"audit_chains"')) continue
    await platform.put(`/admin/v1/tenants/${tenantKey}`, { name: 'Later' })
    await sealAll(db)
  }

  const { name, url } = await scratch()
  const there = connect(url, { poolSize: 2 })
  try {
    const stores = {
      ...storesHere(),
      db: there,
      storages: createStorages(there, { recordStorage: 'mysql', s3: undefined }),
    }
    const again = () => Readable.from(lines)
    const tenant_id = await importArchive(stores, await summariseArchive(again()), again(), () => undefined)
    const actions = () => there('audit_events').where({ tenant_id }).orderBy('position').pluck('action')
    const before = await actions()
    expect(before.filter(action => action === 'upsertSubject')).toHaveLength(2)
    const [event] = await there('audit_events').where({ tenant_id }).limit(1)
    const { position: _, previous_hash: __, hash: ___, ...row } = event
    await there('audit_unsealed').insert({ ...row, action: 'later' })
    await there('events_unnumbered').insert({
      ...{ tenant_id, feed: 'subject', source: newId(), kind: 'created', changed_at: new Date() },
    })
    await sealAll(there)
    expect(await actions()).toEqual([...before, 'later'])
    const { rows } = await feedPage(there, tenant_id, 'subject', 0, 10)
    expect(rows.map(({ position }) => Number(position))).toEqual([1, 2, 3])
  } finally {
    await there.destroy()
    await db.raw('DROP DATABASE ??', [name])
  }
})
