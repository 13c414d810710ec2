// Imports of structural entities.
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type EntityBatch, saveReadRows } from '../../db/frame/imports/entity-read.js'
import type { Import } from '../../db/frame/imports/imports.js'
import { shuffled } from '../../dev/shuffle.js'
import { newTenant, type Tenant } from '../support/api.js'
import { waiting as statementsWait } from '../support/extracts.js'
import { addPerson, anEntity, aType, openDatabase, plant, subjectTenant, value } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { at, type EntityBody, invalid, paths, put, readTree, refusal } from '../support/frame.js'
import { csvType, entityImportPath, imported, ndjsonType, refusedRows, upload } from '../support/imports.js'
import { holdHierarchy, jobWithoutRun } from '../support/jobs.js'
import { until } from '../support/until.js'

const db = openDatabase()
afterAll(() => db.destroy())

const ward = aType('ward', {
  CustomFields: [
    { Key: 'beds', Name: 'Beds', TypeKey: 'Number', Required: false },
    { Key: 'opened', Name: 'Opened', TypeKey: 'Date', Required: false },
    { Key: 'head', Name: 'Head', TypeKey: 'Text', Required: false },
  ],
})
const office = aType('office', {
  SubjectAssignable: false,
  CustomFields: [{ Key: 'beds', Name: 'Beds', TypeKey: 'Text', Required: true }],
})

let tenant: Tenant
const newWards = async () => {
  const made = await newTenant(inject('baseUrl'))
  await put(made, paths.types, ward, office, aType('unit'))
  return made
}
/** Each test of a group has a tenant of its own, with no entities. */
const eachWithTenant = () =>
  beforeEach(async () => {
    tenant = await newWards()
  })

const path = entityImportPath
const header = 'Key,DisplayName,ParentKey,StructureTypeKey'
/** Rows of wards: `child: parent`, an empty text for a root. */
const rowsOf = (tree: Record<string, string>) =>
  Object.entries(tree).map(([key, parent]) => `${key},Entity ${key},${parent},unit`)
const csv = (...rows: string[]) => `${[header, ...rows].join('\n')}\n`
const run = (body: string | Buffer, query: Record<string, string> = {}, headers: Record<string, string> = csvType) =>
  imported(tenant, body, { path, query, headers })
const refused = async (job: JobBody) =>
  (await refusedRows(tenant, job.jobId)).map(({ Refused: { row, column, code } }) => [row, column, code])

/** Values of an entity in short, with its name. */
async function held(key: string) {
  const { body } = await tenant.get<EntityBody>(at(paths.entities, key))
  const values = body.CustomFieldValues.map(({ Field, Value }) => [Field.Key, `${Value.DataType} ${Value.ValueText}`])
  return { name: body.DisplayName, type: body.StructureType.Key, ...Object.fromEntries(values) }
}

describe('a CSV', () => {
  eachWithTenant()

  test('creates, updates and moves entities with values by the fields of their types', async () => {
    await plant(tenant, { old: null, there: null })
    const job = await run(
      [
        `${header},beds,opened`,
        'w1,"Ward ""1"", east",old,ward,24.50,1980-01-31',
        'o1,Office,w1,office,many,',
        'old,Old,there,unit,,',
        'there,Entity there,,unit,,\n',
      ].join('\r\n'),
    )
    expect(job).toMatchObject({
      kind: 'structuralEntityImport',
      status: 'Completed',
      progress: { done: 8, total: 8 },
      counts: { created: 2, updated: 2, moved: 1, unchanged: 1, refused: 0 },
    })
    expect(await readTree(tenant)).toEqual({ there: '-@1', old: 'there@2', w1: 'old@3', o1: 'w1@4' })
    expect(await held('w1')).toEqual({
      ...{ name: 'Ward "1", east', type: 'ward' },
      ...{ beds: 'Decimal 24.50', opened: 'Date 1980-01-31' },
    })
    expect(await held('o1')).toEqual({ name: 'Office', type: 'office', beds: 'String many' })
  })

  test('an empty cell takes a value away, a field without a column keeps its value', async () => {
    const values = [value('beds', 'Integer', 3), value('head', 'String', 'Ada')]
    await put(tenant, paths.entities, anEntity('w', { StructureTypeKey: 'ward', CustomFieldValues: values }))
    await run(`${header},beds\nw,W,,ward,\n`)
    expect(await held('w')).toEqual({ name: 'W', type: 'ward', head: 'String Ada' })
  })

  test('a second import of the same rows writes none of them', async () => {
    const rows = csv('w,W,,ward', 'x,X,w,ward')
    await run(rows)
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    const last = () => db('structural_entities').where({ tenant_id }).max({ last: 'updated_at' }).first()
    const before = await last()
    expect((await run(rows)).counts).toEqual({ created: 0, updated: 2, moved: 0, unchanged: 2, refused: 0 })
    expect(await last()).toEqual(before)
  })

  test('is taken in gzip with a byte order mark, another separator, and a map of the manifest', async () => {
    const columns = {
      Nr: 'Key',
      Name: 'DisplayName',
      Above: 'ParentKey',
      Beds: { field: 'beds', decimal: ',' },
      Note: '',
    }
    tenant = await newTenant(inject('baseUrl'), {}, { structuralEntities: { importMaps: [{ key: 'sap', columns }] } })
    await put(tenant, paths.types, ward)
    const body = gzipSync('\ufeffNr;Name;Above;Kind;Note;Beds\n2;Two;1;ward;x;7,5\n1;One;;ward;;')
    const query = { MapKey: 'sap', Map: 'Kind:StructureTypeKey', Separator: 'semicolon' }
    const job = await run(body, query, { ...csvType, 'content-encoding': 'gzip' })
    expect(job.counts).toMatchObject({ created: 2, refused: 0 })
    expect(await readTree(tenant)).toEqual({ 1: '-@1', 2: '1@2' })
    expect(await held('2')).toEqual({ name: 'Two', type: 'ward', beds: 'Decimal 7.5' })
  })
})

test('lines of NDJSON are items of the bulk, and say all of an entity', async () => {
  tenant = await newWards()
  const values = [value('beds', 'Decimal', 72.5)]
  await put(tenant, paths.entities, anEntity('w', { StructureTypeKey: 'ward', CustomFieldValues: values }))
  const read = (await tenant.get<EntityBody>(at(paths.entities, 'w'))).body
  const lines = [
    anEntity('new', { ParentKey: 'w', CustomFieldValues: [] }),
    { ...read, displayname: 'As it is read', DisplayName: undefined },
    anEntity('bad', { ParentKey: 7 }),
    anEntity('wrong', { StructureTypeKey: 'ward', CustomFieldValues: [value('beds', 'String', 'x')] }),
  ]
  const job = await run(`${lines.map(line => JSON.stringify(line)).join('\n')}\n[]\n`, {}, ndjsonType)
  expect(job.counts).toMatchObject({ created: 1, updated: 1, refused: 3 })
  expect(await held('w')).toEqual({ name: 'As it is read', type: 'ward', beds: 'Decimal 72.5' })
  expect(await refused(job)).toEqual([
    [3, '/ParentKey', 'wrong-type'],
    [4, '/CustomFieldValues/0/Value', 'wrong-data-type'],
    [5, '', 'wrong-type'],
  ])
  await run(JSON.stringify(anEntity('w', { StructureTypeKey: 'ward' })), {}, ndjsonType)
  expect(await held('w')).toEqual({ name: 'Entity w', type: 'ward' })
})

describe('rows in any order', () => {
  eachWithTenant()

  test('rows from the leaves to the root, which are read in two batches and written in two chunks, are written', async () => {
    const chain = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`e${n}`, n === 0 ? '' : `e${n - 1}`]))
    const leaves = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`l${n}`, `e${n % 200}`]))
    const job = await run(csv(...rowsOf({ ...chain, ...leaves }).reverse()))
    expect(job.counts).toEqual({ created: 5_200, updated: 0, moved: 0, unchanged: 0, refused: 0 })
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    const wrong = await db('structural_entities as e')
      .leftJoin('structural_entities as p', join =>
        join.on('p.tenant_id', 'e.tenant_id').on('p.entity_key', 'e.parent_key'),
      )
      .where('e.tenant_id', tenant_id)
      .whereRaw('e.depth <> COALESCE(p.depth, 0) + 1')
    expect(wrong).toEqual([])
  })

  test.each(['each', 'all'])(
    'an entity goes below one that is below it now, once that is moved by a later row (%s)',
    async Mode => {
      // x goes below p, which stays below m; m is now below x.
      await plant(tenant, { root: null, x: 'root', m: 'x', p: 'm', far: 'x' })
      const rows = rowsOf({ x: 'p', m: 'new', new: 'root' })
      const job = await run(csv(...rows), { Mode })
      expect(job).toMatchObject({ status: 'Completed', counts: { created: 1, moved: 2, refused: 0 } })
      expect(await readTree(tenant)).toEqual({
        ...{ root: '-@1', new: 'root@2', m: 'new@3', p: 'm@4', x: 'p@5' },
        far: 'x@6',
      })
    },
  )

  test('a tree is turned upside down', async () => {
    const keys = Array.from({ length: 30 }, (_, n) => `k${n}`)
    await plant(tenant, Object.fromEntries(keys.map((key, n) => [key, keys[n - 1] ?? null])))
    const job = await run(
      csv(...shuffled(rowsOf(Object.fromEntries(keys.map((key, n) => [key, keys[n + 1] ?? '']))), 1)),
    )
    expect(job.counts).toMatchObject({ moved: 30, refused: 0 })
    expect(await readTree(tenant)).toEqual(
      Object.fromEntries(keys.map((key, n) => [key, `${keys[n + 1] ?? '-'}@${30 - n}`])),
    )
  })
})

describe('rows that are refused', () => {
  eachWithTenant()

  const bad = [
    `${header},beds,opened`,
    'ok,Sound,,ward,3,',
    'a b ,Blank,,ward,,',
    ',None,,ward,,',
    'n,,,ward,x,31.01.1980',
    't,T,,castle,3,',
    'f,F,,office,,1980-01-31',
    'ok,Twice,,ward,,',
    'p,P,nowhere,ward,,',
    'q,Q,p,ward,,',
    'r,R,t,ward,,',
    'c1,C1,c2,ward,,',
    'c2,C2,c1,ward,,',
    'under,U,c1,ward,,',
    'self,S,self,ward,,',
    'long,S,,ward,,,x',
    'stray,5" pipe,,ward,,\n',
  ].join('\n')
  const faults = [
    [3, 'Key', 'wrong-format'],
    [4, 'Key', 'too-short'],
    [5, 'DisplayName', 'too-short'],
    [6, 'StructureTypeKey', 'unknown-structure-type'],
    [7, 'opened', 'unknown-custom-field'],
    [8, 'Key', 'duplicate-key'],
    [9, 'ParentKey', 'unknown-parent'],
    [10, 'ParentKey', 'parent-refused'],
    [11, 'ParentKey', 'parent-refused'],
    [12, 'ParentKey', 'cycle'],
    [13, 'ParentKey', 'cycle'],
    [14, 'ParentKey', 'parent-refused'],
    [15, 'ParentKey', 'cycle'],
    [16, '', 'column-count'],
    [17, 'DisplayName', 'stray-quote'],
  ]

  test('each say row, column, code and the expected form; the others are written', async () => {
    const job = await run(bad)
    expect(await refused(job)).toEqual(faults)
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 1, refused: 15 } })
    expect(await readTree(tenant)).toEqual({ ok: '-@1' })
    const said = (await refusedRows(tenant, job.jobId)).map(({ Refused }) => Refused)
    expect(said[2]?.errors.map(fault => Object.values(fault).slice(0, 2).join(' '))).toEqual([
      'DisplayName too-short',
      'DisplayName wrong-format',
      'beds wrong-format',
      'opened wrong-format',
    ])
    expect(said[5]?.detail).toBe("The key 'ok' is given twice, first in row 2.")
    expect(said[9]?.detail).toBe('An entity cannot be below itself: c1 → c2 → c1.')
    expect(said[11]?.detail).toBe("The row of its parent 'c1' is refused.")
  })

  test.each([{ DryRun: 'true' }, { Mode: 'all' }])(
    'are found as well, and nothing is written, with %j',
    async query => {
      const job = await run(bad, query)
      expect(await refused(job)).toEqual(faults)
      expect(await readTree(tenant)).toEqual({})
      if ('Mode' in query)
        expect(job).toMatchObject({
          ...{ status: 'Failed', counts: { refused: 15 } },
          problem: { status: 400, type: '/problems/rows-refused' },
        })
      else expect(job).toMatchObject({ status: 'Completed', counts: { created: 1, refused: 15 } })
    },
  )

  test('do not refuse the rows below an entity that exists already', async () => {
    await plant(tenant, { root: null, there: 'root', one: null, two: null })
    const rows = rowsOf({ there: 'nowhere', below: 'there', deeper: 'below', one: 'two', two: 'one', under: 'one' })
    for (const query of [{ DryRun: 'true' }, {}]) {
      const job = await run(csv(...rows), query)
      expect(await refused(job)).toEqual([
        [2, 'ParentKey', 'unknown-parent'],
        [5, 'ParentKey', 'cycle'],
        [6, 'ParentKey', 'cycle'],
      ])
      expect(job.counts).toEqual({ created: 3, updated: 0, moved: 0, unchanged: 0, refused: 3 })
    }
    expect(await readTree(tenant)).toEqual({
      ...{ root: '-@1', there: 'root@2', below: 'there@3', deeper: 'below@4' },
      ...{ one: '-@1', two: '-@1', under: 'one@2' },
    })
  })

  test('leave a tree as it is if turning it upside down depended on them', async () => {
    const keys = Array.from({ length: 30 }, (_, n) => `k${n}`)
    await plant(tenant, Object.fromEntries(keys.map((key, n) => [key, keys[n - 1] ?? null])))
    const before = await readTree(tenant)
    const rows = rowsOf(Object.fromEntries(keys.map((key, n) => [key, keys[n + 1] ?? 'nowhere'])))
    const job = await run(csv(...shuffled(rows, 1)))
    expect(job.counts).toEqual({ created: 0, updated: 0, moved: 0, unchanged: 0, refused: 30 })
    expect(new Set((await refused(job)).map(([, , code]) => code))).toEqual(new Set(['cycle', 'unknown-parent']))
    expect(await readTree(tenant)).toEqual(before)
  })

  test('of a cycle are all refused, and what is below it is written', async () => {
    const below = Array.from({ length: 600 }, (_, n): [string, string] => [`k${n}`, 'one'])
    await plant(tenant, { zero: null, one: null })
    const job = await run(csv(...rowsOf({ one: 'zero', ...Object.fromEntries(below), zero: 'one' })))
    expect(await refused(job)).toEqual([2, 603].map(row => [row, 'ParentKey', 'cycle']))
    expect(job.counts).toMatchObject({ created: 600, refused: 2 })
  })

  test('come back as CSV, and are taken once they are corrected by a retry with a body', async () => {
    const first = await run('Nr;DisplayName;ParentKey;StructureTypeKey;beds\nx;X;y;ward;many\n', {
      ...{ Map: 'Nr:Key', Separator: 'semicolon' },
    })
    const job = `/api/v1/jobs/${first.jobId}`
    const { body } = await tenant.get<string>(`${job}/rejects`)
    expect(body.split('\r\n')[0]).toMatch(/^Nr;DisplayName;ParentKey;StructureTypeKey;beds;Refused-Row;/)
    expect(body).toContain('x;X;y;ward;many;2;beds;wrong-format;')
    const corrected = body.replace('x;X;y;ward;many', 'x;X;;ward;4')
    const again = await tenant.post<JobBody>(`${job}/retry`, corrected, csvType)
    expect(again).toMatchObject({ status: 202, body: { input: { corrects: first.jobId } } })
    expect((await ended(tenant, again.body.jobId)).counts).toMatchObject({ created: 1, refused: 0 })
    expect(await held('x')).toEqual({ name: 'X', type: 'ward', beds: 'Integer 4' })
  })

  test('include those for which the client lacks a permission', async () => {
    await plant(tenant, { there: null })
    const [creator, reader] = await tenant.clients([
      ['Create:StructuralEntity', 'View:Job'],
      ['View:Job', 'List:StructuralEntity'],
    ])
    const body = csv(...rowsOf({ new: 'there', there: '' }))
    const job = await imported(creator as Tenant, body, { path })
    expect(job.counts).toMatchObject({ created: 1, refused: 1 })
    expect(await refusedRows(reader as Tenant, job.jobId)).toMatchObject([
      { Refused: { row: 3, code: 'missing-permission' } },
    ])
    expect((await upload(reader as Tenant, body, { path })).status).toBe(403)
    const other = await newTenant(inject('baseUrl'))
    expect((await other.get(`/api/v1/jobs/${job.jobId}/rejects`)).status).toBe(404)
  })

  test('include those that give an entity with subjects a type that takes none', async () => {
    tenant = await subjectTenant()
    await put(tenant, paths.types, office)
    await plant(tenant, { w: null })
    await addPerson(tenant, '1', {}, ['w'])
    const job = await run(`${header},beds\nw,W,,office,x\n`)
    expect(await refused(job)).toEqual([[2, 'StructureTypeKey', 'subjects-assigned']])
  })
})

describe('an upload', () => {
  beforeAll(async () => {
    tenant = await newWards()
  })

  test.each([
    [
      'without columns that are needed',
      'Key,beds\n1,2\n',
      {},
      ['DisplayName', 'ParentKey', 'StructureTypeKey'].map(() => 'missing-column /1'),
    ],
    ['with a column of no type', `${header},colour\n1,2,3,4,5\n`, {}, ['unknown-column /1/5']],
    ['with two columns for one value', `${header},x\n1,2,3,4,5\n`, { Map: 'x:Key' }, ['duplicate-column /1/5']],
    [
      'with a map to an unknown field',
      `${header},x\n1,2,3,4,5\n`,
      { Map: 'x:colour' },
      ['unknown-custom-field /query/Map/0'],
    ],
    ['with a map that the manifest has not', `${header}\n1,2,3,4\n`, { MapKey: 'sap' }, ['unknown-map /query/MapKey']],
    ['with another separator', `${header.replaceAll(',', ';')}\n1;2;3;4\n`, {}, ['wrong-separator /1']],
    ['with Absent', csv('w,W,,ward'), { Absent: 'unassign' }, ['unknown-parameter /query/Absent']],
  ])('%s is refused at once', async (_, body, query, errors) => {
    expect(refusal(await upload(tenant, body, { path, query: query as Record<string, string> }))).toEqual(
      invalid(...errors),
    )
  })

  test.each([
    ['over 500,000 rows', { done: 499_999, text: 0 }, 2],
    ['over 150 million characters', { done: 0, text: 149_999_990 }, 1],
  ])('of %s is given up before anything is written', async (_, { done, text }, count) => {
    const id = await tenantIdOf(db, tenant.tenantKey)
    const jobId = await jobWithoutRun(db, id, 'structuralEntityImport', 500_000)
    const position = JSON.stringify({ pass: 'read', byte: 0, row: 0, text })
    await db('jobs').where({ tenant_id: id, id: jobId }).update({ run_id: 'run', done, position })
    const row = { number: 1, byte: 0, bytes: Buffer.from('x'), isTooLong: false, isMalformed: false }
    const batch: EntityBatch = {
      ...{ from: { byte: 0, row: 0 }, next: { byte: 9, row: 1 }, rejects: [] },
      rows: Array.from({ length: count }, () => row),
      entities: [
        {
          ...{ index: 1, byte: 0, key: 'k', depth: 0, outcome: 'created', displayName: 'A long name' },
          ...{ parentKey: null, typeKey: 'unit', customValues: null, isMoved: false },
        },
      ],
    }
    const format: Import = { format: 'csv', mode: 'each', dryRun: false, bytes: 99, begin: { byte: 0, row: 0 } }
    const kept = saveReadRows(db, id, { jobId, runId: 'run', fileId: 'f' }, batch, format, 0, () => undefined)
    await expect(kept).rejects.toMatchObject({ code: 'import-too-large' })
    expect(await db('job_chunks').where({ tenant_id: id, job_id: jobId }).select('first')).toEqual([])
  })

  test('with an Idempotency-Key makes one job; another file or map with the key is 422', async () => {
    const headers = { ...csvType, 'idempotency-key': randomUUID() }
    const body = csv('w,W,,ward')
    const first = await upload(tenant, body, { path, headers })
    const again = await upload(tenant, body, { path, headers })
    expect([first.status, again.status, again.body.jobId]).toEqual([202, 202, first.body.jobId])
    const other = await upload(tenant, body, { path, headers, query: { Map: 'ParentKey:ParentKey' } })
    expect(refusal(other)).toMatchObject({ status: 422 })
    expect((await ended(tenant, first.body.jobId)).counts).toMatchObject({ created: 1 })
  })
})

describe('other writers beside an import', () => {
  eachWithTenant()

  async function planned(id: string): Promise<void> {
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    await until('the rows are planned', async () => {
      const job = await db('jobs').where({ tenant_id, id }).first('position')
      return JSON.parse(job.position ?? '{}').pass === 'write' || undefined
    })
  }

  /** An import whose rows are planned, and wait for the hierarchy. */
  async function waiting(query: Record<string, string> = {}, count = 50) {
    const many = Array.from({ length: count }, (_, n) => `n${n},N,a,unit`)
    await plant(tenant, { a: null, b: 'a' })
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    const { body } = await upload(tenant, csv(...many, 'x,X,b,unit', 'y,Y,x,unit'), { path, query })
    await planned(body.jobId)
    return { hierarchy, jobId: body.jobId }
  }

  test('delete a parent, and its row and those below it are refused', async () => {
    const { hierarchy, jobId } = await waiting()
    await hierarchy.remove('b')
    await hierarchy.release()
    const job = await ended(tenant, jobId)
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 50, refused: 2 } })
    expect(await refused(job)).toEqual([
      [52, 'ParentKey', 'unknown-parent'],
      [53, 'ParentKey', 'unknown-parent'],
    ])
  })

  test('its rows are not listed as items of its job, because they may still be refused', async () => {
    const { hierarchy, jobId } = await waiting()
    const { body } = await tenant.get(`/api/v1/jobs/${jobId}/items?First=100`)
    await hierarchy.release()
    expect(body).toMatchObject({ Edges: [], PageInfo: { TotalCount: 0 } })
    await ended(tenant, jobId)
  })

  test('make an import with Mode=all fail, which says how far it came and continues with a retry', async () => {
    const { hierarchy, jobId } = await waiting({ Mode: 'all' })
    await hierarchy.remove('b')
    await hierarchy.release()
    const job = await ended(tenant, jobId)
    expect(job).toMatchObject({ status: 'Failed', problem: { status: 409, type: '/problems/row-refused-late' } })
    await put(tenant, paths.entities, anEntity('b'))
    await tenant.post(`/api/v1/jobs/${jobId}/retry`)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 52, refused: 0 } })
  })

  test('assign subjects, which keep their places: a row that closes such a place is refused', async () => {
    tenant = await subjectTenant()
    await plant(tenant, { a: null, w: null })
    await put(tenant, paths.types, office)
    const person = await addPerson(tenant, '1')
    const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
    // The first chunk has w, which moves and closes. The second has x, which stays at depth 2, because w does not move.
    const many = Array.from({ length: 5_000 }, (_, n) => `n${n},N,a,unit,`)
    const rows = ['w,W,a,office,many', 'x,X,w,unit,', ...many]
    const { body } = await upload(tenant, `${header},beds\n${rows.join('\n')}`, { path })
    await planned(body.jobId)
    await tenant.put(`/api/v1/subject/${person}/structuralEntities`, { keys: ['w'] })
    await hierarchy.release()
    const job = await ended(tenant, body.jobId)
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 5_001, updated: 0, refused: 1 } })
    expect(await refused(job)).toEqual([[2, 'StructureTypeKey', 'subjects-assigned']])
    expect(await held('w')).toMatchObject({ type: 'unit' })
    expect((await tenant.get<EntityBody>(at(paths.entities, 'x'))).body.Depth).toBe(2)
  })

  test('a cancelled import goes on where it stopped', async () => {
    const { hierarchy, jobId } = await waiting({}, 5_100)
    const tenantId = await tenantIdOf(db, tenant.tenantKey)
    await statementsWait(
      db,
      tenantId,
      new RegExp(`from .?hierarchies.? where .?tenant_id.? = ${tenantId} .*for update`),
    )
    const cancelled = tenant.post(`/api/v1/jobs/${jobId}/cancel`)
    // The cancellation waits for the chunk that is under way, and comes before the next one.
    await statementsWait(db, tenantId, new RegExp(`from .?jobs.? .*${jobId}.*for update`))
    await hierarchy.release()
    expect((await cancelled).status).toBe(202)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Cancelled' })
    await tenant.post(`/api/v1/jobs/${jobId}/retry`)
    expect(await ended(tenant, jobId)).toMatchObject({ status: 'Completed', counts: { created: 5_102, refused: 0 } })
  })
})
