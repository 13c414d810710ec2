// Files as spreadsheets and other systems write them.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from '../support/api.js'
import { plantWards, subjectTenant } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { invalid, refusal } from '../support/frame.js'
import { csvType, imported, refusedRows, upload } from '../support/imports.js'
import { personWith } from '../support/subjects.js'

let tenant: Tenant
beforeAll(async () => {
  tenant = await subjectTenant({
    importMaps: [
      {
        key: 'de',
        columns: {
          Nr: 'nationalId',
          Geboren: { field: 'dateOfBirth', format: 'd.M.yyyy' },
          Gewicht: { field: 'weight', decimal: ',' },
        },
      },
    ],
  })
  await plantWards(tenant, 'a')
})

const header = 'nationalId,givenName,familyName,email,StructuralEntityKeys'
const refused = async ({ jobId }: JobBody) =>
  (await refusedRows(tenant, jobId)).map(({ Refused: { row, column, code } }) => [row, column, code])

test('rows of empty cells below a table are skipped, with Absent, too', async () => {
  await imported(tenant, `${header}\nempty-1,Ada,Byron,,a\n`)
  const rows = `${header}\nempty-1,Ada,Byron,,a\n,,,,\n" ","",,,\n,,\n`
  const job = await imported(tenant, rows, { query: { Absent: 'unassign', AbsentAtMost: '100%' } })
  expect(job).toMatchObject({ status: 'Completed', counts: { updated: 1, refused: 0, unassigned: 0 } })
})

test('empty rows above the header are skipped', async () => {
  const job = await imported(tenant, `,,,,\n${header}\nabove-1,Ada,Byron,,a\n`)
  expect(job.counts).toMatchObject({ created: 1, refused: 0 })
})

test('cells that are missing at the end of a row are empty, and columns without a name are not read', async () => {
  const job = await imported(
    tenant,
    `${header},,\nshort-1,Ada,Byron\nshort-2,Ada,Byron,,a,,\nshort-3,Ada,Byron,,a,x,\n`,
  )
  expect(job).toMatchObject({ status: 'Completed', counts: { created: 2, refused: 1 } })
  expect(await personWith(tenant, 'short-1')).toMatchObject({ familyName: 'Byron', places: [] })
  expect(await personWith(tenant, 'short-2')).toMatchObject({ places: ['a'] })
  expect(await refused(job), 'a value that no column names').toEqual([[4, '', 'unknown-column']])
})

test('names of columns match without surrounding blanks and in any letter case', async () => {
  const rows = ' NationalID ,GIVENNAME,Surname ,structuralentitykeys,NOTE\ncase-1,Ada,Byron,a,x\n'
  const job = await imported(tenant, rows, { query: { Map: ['surname:familyName', 'Note:'] } })
  expect(job.counts).toMatchObject({ created: 1, refused: 0 })
  expect(await personWith(tenant, 'case-1')).toMatchObject({ familyName: 'Byron', places: ['a'] })
})

test('columns for two fields that differ only in letter case must be spelled exactly', async () => {
  const fields = ['id', 'Note', 'note'].map(key => ({ key, name: key, type: 'Text', required: key === 'id' }))
  const twins = await subjectTenant({ fields, matchingFields: ['id'], portal: {} })
  expect((await imported(twins, 'id,Note,note\n1,x,y\n')).counts).toMatchObject({ created: 1 })
  expect(await personWith(twins, '1')).toBeUndefined()
  expect(refusal(await upload(twins, 'ID,NOTE\n1,x\n'))).toEqual(invalid('unknown-column /1/2'))
  const swapped = await imported(twins, 'id,Note,note\n2,x,y\n', { query: { Map: ['Note:note', 'note:Note'] } })
  expect(swapped.counts).toMatchObject({ created: 1, refused: 0 })
})

describe('a charset', () => {
  const text = `${header}\ncharset,Zoë,Škoda €,,a\n`
  const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le')
  // Byte by byte: latin1 has no Š and no €, which are 0x8a and 0x80 in windows-1252.
  const windows = Buffer.from(text.replace('Š', '\x8a').replace('€', '\x80'), 'latin1')

  test.each([
    ['windows-1252', windows],
    ['utf-16', utf16],
    ['UTF-16', Buffer.from(utf16).swap16()],
  ])('%s is read where the file is said to have it', async (Charset, body) => {
    const job = await imported(tenant, body, { query: { Charset } })
    expect(job.counts).toMatchObject({ refused: 0 })
    expect(await personWith(tenant, 'charset')).toMatchObject({ givenName: 'Zoë', familyName: 'Škoda €' })
  })

  test.each([
    ['UTF-16 without a byte order mark', utf16.subarray(2), 'utf-16'],
    ['half a character of UTF-16', utf16.subarray(0, -1), 'utf-16'],
    ['UTF-8 with a mark as windows-1252', Buffer.from(`\ufeff${text}`), 'windows-1252'],
    ['UTF-16 as nothing in particular', utf16, undefined],
  ])('%s is refused', async (_, body, Charset) => {
    const answer = await upload(tenant, body, Charset === undefined ? {} : { query: { Charset } })
    expect(refusal(answer)).toEqual(invalid('wrong-charset /query/Charset'))
  })
})

describe('a map of the manifest', () => {
  const names = 'Nr,givenName,familyName,Geboren,Gewicht'

  test('says how a column writes dates and numbers; what is written otherwise is refused, never guessed', async () => {
    const rows = [
      'form-1,Ada,Byron,31.1.1980,"72,50"',
      'form-2,Ada,Byron,31.02.1980,72',
      'form-3,Ada,Byron,1980-01-31,',
      'form-4,Ada,Byron,,72.5',
      'form-5,Ada,Byron,,"1.072,5"',
    ]
    const job = await imported(tenant, [names, ...rows].join('\n'), { query: { MapKey: 'de' } })
    expect(await refused(job)).toEqual([
      [3, 'Geboren', 'wrong-format'],
      [4, 'Geboren', 'wrong-format'],
      [5, 'Gewicht', 'wrong-format'],
      [6, 'Gewicht', 'wrong-format'],
    ])
    const [first] = await refusedRows(tenant, job.jobId)
    expect(first?.Refused.detail).toBe('Write the date as d.M.yyyy, such as 31.12.1980.')
    expect(await personWith(tenant, 'form-1')).toMatchObject({ dateOfBirth: '1980-01-31', weight: '72.50' })

    const { body } = await tenant.get<string>(`/api/v1/jobs/${job.jobId}/rejects`)
    const corrected = body.replace('31.02.1980', '28.02.1980').split('\r\n').slice(0, 2).join('\n')
    const again = await tenant.post<JobBody>(`/api/v1/jobs/${job.jobId}/retry`, corrected, csvType)
    expect(again.status).toBe(202)
    await expect.poll(() => personWith(tenant, 'form-2')).toMatchObject({ dateOfBirth: '1980-02-28', weight: '72' })
  })
})
