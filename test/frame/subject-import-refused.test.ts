// Rows that an import of subjects refuses.
import { beforeAll, describe, expect, test } from 'vitest'
import { addPerson, plantWards, subjectTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { refusal } from '../support/frame.js'
import { csv, csvType, header, imported, ndjsonType, refusedRows } from '../support/imports.js'
import { peopleOf, personWith } from '../support/subjects.js'

const tenant = await subjectTenant()
await plantWards(tenant, 'a', 'b')

/** Values and places of the person with a national id; undefined where there is none. */
const held = (nationalId: string) => personWith(tenant, nationalId)

describe('rows that are refused', () => {
  const bad = csv(
    'bad-1,Ada,Byron,31.01.1980,,,,a',
    'bad-2,Ada,Byron,,,maybe,1e5,a|nowhere|attic',
    'bad-ok,Ada,Byron,,,,,a',
    'bad-3,,Byron,,,,,',
    'bad-ok,Eve,Byron,,,,,',
    ',Ada,Byron,,,,,',
    'bad-4,Ada,Byron,,,,,a,x',
    'bad-5,Ada,5" by 6" pipe,,,,,',
  )
  const faults = [
    [2, 'dateOfBirth', 'wrong-format'],
    [3, 'consent', 'wrong-type'],
    [5, 'givenName', 'required-custom-field'],
    [6, '', 'duplicate-subject'],
    [7, 'nationalId', 'required-custom-field'],
    [8, '', 'column-count'],
    [9, 'familyName', 'stray-quote'],
  ]
  let job: JobBody
  beforeAll(async () => {
    job = await imported(tenant, bad)
  })

  test('do not keep the others from being written, and each says row, column, code and the expected form', async () => {
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 1, refused: 7 } })
    const refused = (await refusedRows(tenant, job.jobId)).map(({ Refused }) => Refused)
    expect(refused.map(({ row, column, code }) => [row, column, code])).toEqual(faults)
    expect(refused[0]?.detail).toBe("The field 'dateOfBirth' takes a Date such as 1980-01-31.")
    expect(refused[1]?.errors.map(fault => Object.values(fault).slice(0, 2).join(' '))).toEqual([
      'consent wrong-type',
      'weight wrong-format',
      'StructuralEntityKeys unknown-structural-entity',
      'StructuralEntityKeys not-assignable',
    ])
    expect(refused[2]?.detail).toBe(
      "The field 'givenName' is required. It takes a String of at most 10,000 characters, without control characters.",
    )
    expect(refused[3]?.detail).toBe('The same subject is given twice, first in row 4.')
    expect(await held('bad-ok')).toMatchObject({ givenName: 'Ada' })
  })

  test('end with their line where a quote is not closed, so that no other row is lost', async () => {
    const rows = csv(
      'quote-1,Ada,Byron,,,,,a',
      'quote-2,Ada,5" pipe,,,,,a',
      'quote-3,"Ada\nB.",Byron,,,,,a',
      'quote-4,Ada,"Byron,,,,,a',
      'quote-5,Ada,"By,ron",,,,,a',
      ...Array.from({ length: 500 }, (_, n) => `quote-${n + 6},Ada,Byron,,,,,a`),
      'quote-last,"Ada,Byron,,,,,a',
    )
    const { status, counts, jobId } = await imported(tenant, rows)
    expect({ status, counts }).toEqual({
      status: 'Completed',
      counts: { created: 503, updated: 0, moved: 0, unchanged: 0, refused: 3, unidentified: 3 },
    })
    const refused = (await refusedRows(tenant, jobId)).map(({ Refused }) => Refused)
    expect(refused.map(({ row, column, code, line }) => [row, column, code, line])).toEqual([
      [3, 'familyName', 'stray-quote', 'quote-2,Ada,5" pipe,,,,,a'],
      [5, 'familyName', 'unclosed-quote', 'quote-4,Ada,"Byron,,,,,a'],
      [507, 'givenName', 'unclosed-quote', 'quote-last,"Ada,Byron,,,,,a'],
    ])
    expect(await held('quote-3')).toMatchObject({ givenName: 'Ada\nB.' })
  })

  test('are those in Latin-1, of 2 MB, and of 10,000 cells: each names its row and column', async () => {
    const rows = csv(
      'form-ok,Ada,Byron,,,,,a',
      'form-latin,Jos\xe9,Byron,,,,,a',
      `form-long,Ada,${'x'.repeat(2 * 2 ** 20)},,,,,a`,
      `form-wide${',x'.repeat(9_999)}`,
      'form-last,Ada,Byron,,,,,a',
    )
    const job = await imported(tenant, Buffer.from(rows, 'latin1'))
    expect(job).toMatchObject({ status: 'Completed', counts: { created: 2, refused: 3 } })
    const refused = (await refusedRows(tenant, job.jobId)).map(({ Refused }) => Refused)
    expect(refused.map(({ row, column, code, detail }) => [row, column, code, detail])).toEqual([
      [3, 'givenName', 'not-utf-8', expect.stringContaining('Charset=windows-1252')],
      [4, 'familyName', 'row-too-long', 'The row is longer than 1 MB.'],
      [5, '', 'column-count', 'The row has 10000 cells, the header 8 columns.'],
    ])
  })

  test('come back as CSV with what is wrong behind them, and are taken again once they are corrected', async () => {
    const { headers, body } = await tenant.get<string>(`/api/v1/jobs/${job.jobId}/rejects`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const rows = body.split('\r\n')
    expect(rows[0]).toBe(`${header},Refused-Row,Refused-Column,Refused-Code,Refused-Detail`)
    expect(rows[1]).toBe(
      "bad-1,Ada,Byron,31.01.1980,,,,a,2,dateOfBirth,wrong-format,The field 'dateOfBirth' takes a Date such as 1980-01-31.",
    )
    expect(rows[7]).toMatch(/^"bad-5,Ada,5"" by 6"" pipe,,,,,",,,,,,,,9,familyName,stray-quote,"The cell has/)
    const corrected = [rows[0], rows[1]?.replace('31.01.1980', '1980-01-31')].join('\n')
    expect((await imported(tenant, corrected)).counts).toMatchObject({ created: 1, refused: 0 })
    expect(await held('bad-1')).toMatchObject({ dateOfBirth: '1980-01-31' })
  })

  test('come back as a file whose cells no spreadsheet runs, and which are themselves again once it is imported', async () => {
    const cells = ['=1+1', '+43 1', '-5', '@SUM(A1)', '\t=1', "'=1", "''+1", "o'clock", '＝1', '=1,"2"']
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    // In quotes, so that the import takes nothing away but the apostrophe.
    const rows = cells.map(
      (text, n) => `formula-${n},${cell(/^'*[=+\-@\t＝]/.test(text) ? `'${text}` : text)},x,soon,,,,`,
    )
    const { jobId } = await imported(tenant, csv(...rows))
    const { headers, body } = await tenant.get<string>(`/api/v1/jobs/${jobId}/rejects`)
    expect(headers.get('content-disposition')).toBe(`attachment; filename="${jobId}.rejects.csv"`)
    expect(body.split(/[\r\n,]+"?/).filter(text => /^[=+\-@\t＝]/.test(text))).toEqual([])
    expect((await imported(tenant, body.replaceAll(',soon,', ',,'))).counts).toMatchObject({ created: cells.length })
    const names = await Promise.all(cells.map(async (_, n) => (await held(`formula-${n}`))?.givenName))
    expect(names).toEqual(cells)
  })

  test('are accepted in a retry with corrected rows as its body, with the map of the import', async () => {
    const upload = 'Nr;givenName;familyName;dateOfBirth\nfix-1;Ada;Byron;soon\nfix-2;Ada;Byron;\n'
    const query = { Map: 'Nr:nationalId', Separator: 'semicolon' }
    const first = await imported(tenant, upload, { query })
    const path = `/api/v1/jobs/${first.jobId}`
    const { body } = await tenant.get<string>(`${path}/rejects`)
    const again = await tenant.post<JobBody>(`${path}/retry`, body.replace('soon', '1980-01-31'), csvType)
    expect(again).toMatchObject({ status: 202, body: { input: { corrects: first.jobId } } })
    const { counts, jobId } = await ended(tenant, again.body.jobId)
    expect(counts).toMatchObject({ created: 1, refused: 0 })
    expect([again.headers.get('location'), jobId === first.jobId]).toEqual([`/api/v1/jobs/${jobId}`, false])
    expect(await held('fix-1')).toMatchObject({ dateOfBirth: '1980-01-31' })
    expect(refusal(await tenant.post(`${path}/retry`, '{}', ndjsonType))).toMatchObject({ status: 415 })
    expect(refusal(await tenant.post(`${path}/retry`))).toMatchObject({ status: 409, code: 'job-not-ended' })
    const [editor] = await tenant.clients([['Edit:Job']])
    expect((await editor?.post(`${path}/retry`, body, csvType))?.status).toBe(403)
    const dry = await imported(tenant, upload, { query: { ...query, DryRun: 'true' } })
    expect(refusal(await tenant.post(`/api/v1/jobs/${dry.jobId}/retry`, body, csvType))).toMatchObject({
      status: 409,
      code: 'import-not-written',
    })
  })

  test('with Mode=all nothing is written, the job fails, and the rows can be read', async () => {
    const ok = csv('all-1,Ada,Byron,,,,,a', 'all-2,Ada,Byron,1980,,,,a')
    const failed = await imported(tenant, ok, { query: { Mode: 'all' } })
    expect(failed).toMatchObject({
      status: 'Failed',
      counts: { refused: 1 },
      progress: { done: 2, total: 2 },
      problem: { status: 400, type: '/problems/rows-refused' },
    })
    expect(await refusedRows(tenant, failed.jobId)).toMatchObject([{ Refused: { row: 3, column: 'dateOfBirth' } }])
    expect(await held('all-1')).toBeUndefined()
    const stray = csv('all-1,Ada,Byron,,,,,a', 'all-2,Ada,5" pipe,,,,,a')
    const unidentified = await imported(tenant, stray, { query: { Mode: 'all' } })
    expect(unidentified).toMatchObject({ status: 'Failed', counts: { refused: 1, unidentified: 1 } })
    const sound = await imported(tenant, ok.replace('1980', ''), { query: { Mode: 'all' } })
    expect(sound).toMatchObject({ status: 'Completed', counts: { created: 2, refused: 0 } })
    expect(sound.progress).toEqual({ done: 4, total: 4 })
    expect(await held('all-2')).toMatchObject({ places: ['a'] })
  })

  test('with DryRun the job says what would be done, and writes nothing', async () => {
    await addPerson(tenant, 'dry-old', {}, ['b'])
    const rows = csv(
      'dry-new,Ada,Byron,,,,,a',
      'dry-old,Ada,Byron,,,,,a',
      'dry-bad,Ada,Byron,x,,,,',
      'dry-new,A,B,,,,,',
    )
    const before = await peopleOf(tenant)
    const job = await imported(tenant, rows, { query: { dryRun: 'true' } })
    expect(job).toMatchObject({
      status: 'Completed',
      input: { dryRun: true },
      counts: { created: 1, updated: 1, moved: 1, refused: 2 },
    })
    expect(await refusedRows(tenant, job.jobId)).toMatchObject([
      { Refused: { row: 4, code: 'wrong-format' } },
      { Refused: { row: 5, code: 'duplicate-subject' } },
    ])
    expect(await peopleOf(tenant)).toEqual(before)
    expect(await held('dry-old')).toMatchObject({ places: ['b'] })
  })

  test('include those for which the client lacks a permission', async () => {
    await addPerson(tenant, 'may-old')
    const [creator] = await tenant.clients([['Create:Subject', 'View:Job']])
    if (!creator) throw new Error('no client')
    const job = await imported(creator, csv('may-new,Ada,Byron,,,,,', 'may-old,Ada,Byron,,,,,'))
    expect(job.counts).toMatchObject({ created: 1, refused: 1 })
    const [refused] = await refusedRows(creator, job.jobId)
    expect(refused?.Refused).toMatchObject({ row: 3, code: 'missing-permission' })
  })

  test('can be read, corrected and sent again without permissions by the client that started the import', async () => {
    const [own] = await tenant.clients([['Create:Subject']])
    if (!own) throw new Error('no client')
    const { jobId } = await imported(own, csv('own-1,Ada,Byron,1980,,,,'))
    const { status, body } = await own.get<string>(`/api/v1/jobs/${jobId}/rejects`)
    expect([status, body]).toEqual([200, expect.stringContaining('own-1')])
    const again = await own.post<JobBody>(
      `/api/v1/jobs/${jobId}/retry`,
      body.replace(',1980,', ',1980-01-31,'),
      csvType,
    )
    expect(again.status).toBe(202)
    expect((await ended(own, again.body.jobId)).counts).toMatchObject({ created: 1, refused: 0 })
    expect((await own.get(`/api/v1/jobs/${job.jobId}/rejects`)).status).toBe(403)
  })

  test('of another client can be read with the permission to list subjects', async () => {
    const [other, reader] = await tenant.clients([['View:Job'], ['View:Job', 'List:Subject']])
    const path = `/api/v1/jobs/${job.jobId}/rejects`
    expect((await other?.get(path))?.status).toBe(403)
    expect((await reader?.get(path))?.status).toBe(200)
    const foreign = await subjectTenant()
    expect((await foreign.get(path)).status).toBe(404)
  })
})
