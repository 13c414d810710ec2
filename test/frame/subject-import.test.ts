// Imports of subjects.
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { planSubjects } from '../../db/frame/subjects/subject-plan.js'
import { writeSubjects } from '../../db/frame/subjects/subjects.js'
import type { Tenant } from '../support/api.js'
import { isVitess } from '../support/database-servers.js'
import { addPerson, openDatabase, plantWards, subjectTenant, value } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { invalid, type Page, refusal } from '../support/frame.js'
import { csv, csvType, imported, ndjsonType, refusedRows, upload } from '../support/imports.js'
import { peopleOf, person, personWith, readPerson, type SubjectBody, subjectsPath, texts } from '../support/subjects.js'
import { until } from '../support/until.js'

const db = openDatabase()

const tenant = await subjectTenant()
await plantWards(tenant, 'a', 'b')

const lines = (...items: object[]) => items.map(item => `${JSON.stringify(item)}\n`).join('')

/** Values and places of the person with a national id; undefined where there is none. */
const held = (nationalId: string) => personWith(tenant, nationalId)

describe('a CSV', () => {
  test('creates and updates subjects with values of every kind, and their places', async () => {
    await addPerson(tenant, 'csv-old', { email: 'kept@example.org' }, ['b'])
    const job = await imported(
      tenant,
      csv(
        'csv-new,Zoë,"Byron, Ada ""Augusta""",1980-01-31,en|fr,TRUE,72.50,a|b',
        'csv-old,Eve,Byron,,,,,a',
        'csv-same,Same,Byron,,,,-3,',
      ),
    )
    expect(job).toMatchObject({
      kind: 'subjectImport',
      status: 'Completed',
      progress: { done: 3, total: 3 },
      counts: { created: 2, updated: 1, moved: 1, refused: 0 },
      links: { rejects: `/api/v1/jobs/${job.jobId}/rejects` },
    })
    expect(await held('csv-new')).toEqual({
      nationalId: 'csv-new',
      givenName: 'Zoë',
      familyName: 'Byron, Ada "Augusta"',
      dateOfBirth: '1980-01-31',
      languages: ['en', 'fr'],
      consent: 'true',
      weight: '72.50',
      places: ['a', 'b'],
    })
    expect(await held('csv-old')).toMatchObject({ givenName: 'Eve', email: 'kept@example.org', places: ['a'] })
    expect(await refusedRows(tenant, job.jobId)).toEqual([])
  })

  test('an empty cell takes an optional value away, a column that is not there leaves it', async () => {
    await addPerson(tenant, 'csv-empty', { email: 'gone@example.org', phone: '+49 30 1234' }, ['a'])
    await imported(tenant, 'nationalId,email\ncsv-empty,\n')
    expect(await held('csv-empty')).toEqual({
      nationalId: 'csv-empty',
      givenName: 'Ada',
      familyName: 'Byron',
      phone: '+49 30 1234',
      places: ['a'],
    })
  })

  test('a second import of the same rows finds them as they are, and writes none of them', async () => {
    const rows = csv('again-1,Ada,Byron,1980-01-31,en,true,1,a', 'again-2,Ada,Byron,,,,,b')
    await imported(tenant, rows)
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    const written = () => db('subjects').where({ tenant_id }).max({ last: 'updated_at' }).first()
    const before = await written()
    expect(await imported(tenant, rows)).toMatchObject({
      counts: { created: 0, updated: 2, unchanged: 2, moved: 0, refused: 0 },
    })
    expect(await written()).toEqual(before)
  })

  test.each([
    ['a byte order mark', (text: string) => `\ufeff${text}`, {}],
    ['Windows line ends and blank lines', (text: string) => text.replaceAll('\n', '\r\n\r\n'), {}],
    ['no line end behind the last row', (text: string) => text.trimEnd(), {}],
    ['semicolons', (text: string) => text.replaceAll(',', ';'), { Separator: 'semicolon' }],
    ['tabs', (text: string) => text.replaceAll(',', '\t'), { Separator: 'TAB' }],
  ])('is taken with %s', async (name, change, query) => {
    const id = `form ${name}`
    const job = await imported(tenant, change(csv(`${id},Ada,Byron,1980-01-31,,,,a`)), { query })
    expect(job.counts).toMatchObject({ created: 1, refused: 0 })
    expect(await held(id)).toMatchObject({ dateOfBirth: '1980-01-31', places: ['a'] })
  })

  test('in gzip, with columns of other names, several of them for a list, and one that is not read', async () => {
    const body = gzipSync('Nr:1,First,Last,L1,L2,Ward,Note\nmapped,Ada,Byron,en,fr,a,x\n')
    const map = ['Nr:1:nationalId', 'First:givenName', 'Last:familyName', 'L1:languages', 'L2:languages', 'Note:']
    const headers = { ...csvType, 'content-encoding': 'gzip' }
    const job = await imported(tenant, body, { query: { map: [...map, 'Ward:StructuralEntityKeys'] }, headers })
    expect(job.counts).toMatchObject({ created: 1, refused: 0 })
    expect(await held('mapped')).toMatchObject({ languages: ['en', 'fr'], places: ['a'] })
  })
})

describe('lines of NDJSON', () => {
  const ndjson = { headers: ndjsonType }

  test('are items of the bulk; refused ones come back with what is wrong, to be sent again', async () => {
    const weight = value('weight', 'Decimal', 72.5)
    const good = { ...person('line-1', {}, ['a']), CustomFieldValues: [...person('line-1').CustomFieldValues, weight] }
    const wrong = { CustomFieldValues: [...texts({ nationalId: 'line-2' }), value('weight', 'String', 'x')] }
    const text = `${lines(good)}\n${lines(wrong).replace('"x"', '1.234567890123456789012')}[1]\n{"a"\n"x"`
    const job = await imported(tenant, text, ndjson)
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 1, refused: 4 } })
    expect(await held('line-1')).toMatchObject({ weight: '72.5', places: ['a'] })
    const refused = await refusedRows(tenant, job.jobId)
    expect(refused.map(({ Refused }) => [Refused.row, Refused.column, Refused.code])).toEqual([
      [3, '/CustomFieldValues/1/Value/String/Value', 'wrong-type'],
      [4, '', 'wrong-type'],
      [5, '', 'malformed-json'],
      [6, '', 'wrong-type'],
    ])
    expect(refused[0]).toMatchObject({ CustomFieldValues: [wrong.CustomFieldValues[0], { Key: 'weight' }] })
    expect(refused[1]?.Refused.line).toBe('[1]')
    const own = await tenant.get<string>(`/api/v1/jobs/${job.jobId}/rejects`)
    expect(own.headers.get('content-type')).toBe('application/x-ndjson')
    // As it came, to the last digit.
    const [first = ''] = own.body.split('\n')
    expect(first).toContain('1.234567890123456789012')
    const names = texts({ givenName: 'Ada', familyName: 'Byron' })
    const corrected = first
      .replace('"String":{"Value":1.2', '"Decimal":{"Value":1.2')
      .replace('[{', `[${JSON.stringify(names).slice(1, -1)},{`)
    expect((await imported(tenant, corrected, ndjson)).counts).toMatchObject({ created: 1, refused: 0 })
    expect(await held('line-2')).toMatchObject({ weight: '1.234567890123456789012' })
  })

  test('show refused rows of a CSV with their line and what is wrong with it', async () => {
    const job = await imported(tenant, '[1]\n', ndjson)
    const { body } = await tenant.get<string>(`/api/v1/jobs/${job.jobId}/rejects`, { accept: 'text/csv' })
    expect(body.split('\r\n').slice(0, 2)).toEqual([
      'Line,Refused-Row,Refused-Column,Refused-Code,Refused-Detail',
      expect.stringMatching(/^\[1\],1,,wrong-type,"Each line must be a JSON object/),
    ])
  })
})

test('a map of the manifest reads a file of another system, and Map counts more', async () => {
  const columns = { Nr: 'nationalId', First: 'givenName', Name: 'email', Ward: 'StructuralEntityKeys', Note: '' }
  const mapped = await subjectTenant({
    importMaps: [
      { key: 'hr', columns },
      { key: 'nr', columns: { 'a;b': '' } },
    ],
  })
  await plantWards(mapped, 'a')
  const file = 'Nr;First;Name;Ward;Note\nmap-1;Ada;Byron;a;secret\n'
  const query = { MapKey: 'hr', Map: 'Name:familyName', Separator: 'semicolon' }
  const { counts } = await imported(mapped, file, { query })
  expect(counts).toMatchObject({ created: 1, refused: 0 })
  const { body } = await mapped.get<{ Edges: { Node: SubjectBody }[] }>(subjectsPath)
  const read = await readPerson(mapped, body.Edges[0]?.Node.Id ?? '')
  expect(read).toMatchObject({ nationalId: 'map-1', familyName: 'Byron', places: ['a'] })
  expect(read).not.toHaveProperty('email')

  const without = await upload(mapped, 'Nr,First,Name,Ward\nmap-1,Ada,Byron,a\n', { query: { MapKey: 'hr' } })
  expect(refusal(without)).toEqual(invalid('missing-column /query/MapKey'))
})

describe('Absent=unassign', () => {
  let full: Tenant
  const query = { Absent: 'unassign', AbsentAtMost: '100%' }
  const rows = (...ids: string[]) => csv(...ids.map(id => `${id},Ada,Byron,,,,,a`))
  const placed = async () => {
    const tenant_id = await tenantIdOf(db, full.tenantKey)
    const found: { custom_values: string }[] = await db('subject_locations as l')
      .join('subjects as s', join => join.on('s.tenant_id', 'l.tenant_id').on('s.id', 'l.subject_id'))
      .where('l.tenant_id', tenant_id)
      .select('s.custom_values')
    return found.map(({ custom_values }) => JSON.parse(custom_values).nationalId[1]).sort()
  }
  beforeAll(async () => {
    full = await subjectTenant()
    await plantWards(full, 'a', 'b')
    await imported(full, rows('stays', 'refused', 'goes-1', 'goes-2'))
  })

  test('says in a dry run how many it would unassign, and unassigns nobody if a refused row may mean anybody', async () => {
    const dry = await imported(full, rows('stays'), { query: { ...query, DryRun: 'true' } })
    expect(dry.counts).toMatchObject({ unchanged: 1, unassigned: 3 })
    const failed = await imported(full, `${rows('stays')}"x,y\n`, { query })
    expect(failed).toMatchObject({
      status: 'Failed',
      progress: { done: 2, total: 2 },
      problem: { status: 409, type: '/problems/absent-unknown', detail: expect.stringMatching(/^The valid rows are/) },
    })
    const dryFailed = await imported(full, `${rows('stays', 'new')}"x,y\n`, { query: { ...query, DryRun: 'true' } })
    expect(dryFailed.problem?.detail).toMatch(/^Nothing was written: 1 of the refused rows/)
    expect(await placed()).toEqual(['goes-1', 'goes-2', 'refused', 'stays'])
  })

  test('unassigns subjects that no row means, but not those whose row is refused', async () => {
    const job = await imported(full, `${rows('stays', 'new')}refused,Ada,Byron,soon,,,,b\n`, { query })
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 1, refused: 1, unassigned: 2 } })
    expect(await placed()).toEqual(['new', 'refused', 'stays'])
    const { body } = await full.get<Page<{ Change: string }>>(`${subjectsPath}/changes?First=100`)
    const moves = body.Edges.filter(({ Node }) => Node.Change === 'moved')
    expect(moves, 'the feed has a move of each, and none of the dry run').toHaveLength(2)
    const leaves = await imported(full, rows('new'))
    expect(leaves.counts).not.toHaveProperty('unassigned')
    expect(await placed()).toEqual(['new', 'refused', 'stays'])
  })

  test('needs Delete:SubjectLocation', async () => {
    const [client] = await full.clients([['Create:Subject', 'Edit:Subject']])
    if (!client) throw new Error('no client')
    expect((await upload(client, rows('stays'), { query })).status).toBe(403)
  })
})

test('a row of a subject that an earlier step had is refused, also while that step is being written', async () => {
  const ids = Array.from({ length: 3_000 }, (_, n) => `near-${n}`)
  // Of each step the last rows, again as the first ones of the next.
  for (const at of [1_000, 2_000]) for (let n = 0; n < 20; n++) ids[at + n] = `near-${at - 20 + n}`
  const job = await imported(tenant, csv(...ids.map(id => `${id},Ada,Byron,,,,,a`)))
  expect(job).toMatchObject({ status: 'Completed', counts: { created: 2_960, refused: 40 } })
  const refused = await refusedRows(tenant, job.jobId)
  expect(refused.map(({ Refused }) => Refused.row)).toEqual(
    [1_002, 2_002].flatMap(first => Array.from({ length: 20 }, (_, n) => first + n)),
  )
})

test('a cancelled import goes on where it stopped; its refused rows can be read while it waits', async () => {
  const rows = Array.from({ length: 2_500 }, (_, n) => `stop-${n},Ada,Byron,${n === 3 ? 'x' : ''},,,,a`)
  const locks = connect(inject('databaseUrl'), { poolSize: 1, silenceTimeoutMs: 600_000 })
  const held = await locks.transaction()
  try {
    const tenant_id = await tenantIdOf(db, tenant.tenantKey)
    // A later batch waits for this row.
    await addPerson(tenant, 'stop-1500')
    const { body } = await tenant.get<{ Edges: { Node: SubjectBody }[] }>(
      `${subjectsPath}?CustomFieldValueFilter.Values[nationalId]=stop-1500`,
    )
    await held('subjects').where({ tenant_id, id: body.Edges[0]?.Node.Id }).forUpdate().first()
    const { body: job } = await upload(tenant, csv(...rows))
    const { body: running } = await until('the first rows are written', async () => {
      const now = await tenant.get<JobBody>(`/api/v1/jobs/${job.jobId}`)
      return now.body.progress.done === 1_000 ? now : undefined
    })
    expect(running.progress).toEqual({
      done: 1_000,
      total: 2_500,
      perSecond: expect.any(Number),
      secondsLeft: expect.any(Number),
    })
    expect(await refusedRows(tenant, job.jobId)).toMatchObject([{ Refused: { row: 5 } }])
    await tenant.post(`/api/v1/jobs/${job.jobId}/cancel`)
    const cancelled = await ended(tenant, job.jobId)
    expect(cancelled).toMatchObject({ status: 'Cancelled', counts: { created: 999, refused: 1 } })
    await held.rollback()
    await tenant.post(`/api/v1/jobs/${job.jobId}/retry`)
    const done = await ended(tenant, job.jobId)
    expect(done).toMatchObject({ status: 'Completed', counts: { created: 2_498, updated: 1, refused: 1 } })
  } finally {
    if (!held.isCompleted()) await held.rollback()
    await locks.destroy()
  }
})

// It looks at the threads of the server, which VTGate does not show.
test.skipIf(isVitess)('an import updates a subject that somebody else creates while it waits', async () => {
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const job = await db.transaction(async trx => {
    const { planned, orders } = await planSubjects(trx, tenantId, [person('overtaken', { email: 'kept' })], () => true)
    const { body } = await upload(tenant, lines(person('overtaken', { familyName: 'Imported' })), {
      headers: ndjsonType,
      query: { Mode: 'all' },
    })
    await until('the import waits for the lock', async () => {
      const [threads = []]: { Info: string | null }[][] = await db.raw('SHOW FULL PROCESSLIST')
      return threads.some(({ Info }) => /^insert into `?subject_matching_keys/i.test(Info ?? ''))
    })
    await writeSubjects(trx, tenantId, planned, orders)
    return body
  })
  expect(await ended(tenant, job.jobId)).toMatchObject({ status: 'Completed', counts: { updated: 1 } })
  expect(await held('overtaken')).toMatchObject({ familyName: 'Imported', email: 'kept' })
  expect((await peopleOf(tenant)).filter(each => each === 'overtaken')).toHaveLength(1)
})
