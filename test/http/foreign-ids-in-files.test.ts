// Ids of another tenant in the rows of files, and idempotency keys of another tenant.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptedProvider } from '../support/data-sets.js'
import { anEntity } from '../support/factories.js'
import { type FurnishedTenant, furnishedTenant } from '../support/furnished-tenant.js'
import { csvType, entityImportPath, imported, importPath, ndjsonType, refusedRows, upload } from '../support/imports.js'
import { person } from '../support/subjects.js'

// As in foreign-ids.test.ts: a row that is right but for one id is refused with the same words, whether another tenant has it or nobody.
let provider: Awaited<ReturnType<typeof scriptedProvider>>
let ours: FurnishedTenant
let theirs: FurnishedTenant
beforeAll(async () => {
  provider = await scriptedProvider()
  ours = await furnishedTenant(provider)
  theirs = await furnishedTenant(provider)
})
afterAll(() => provider?.stop())

const nobody = 'unknown-key-of-nobody'
const place = (parent: string, type: string) => ({
  csv: `Key,DisplayName,ParentKey,StructureTypeKey\nin-a-file,In a file,${parent},${type}\n`,
  ndjson: anEntity('in-a-file', { ParentKey: parent || null, StructureTypeKey: type }),
})

/** Files of one row, by what another tenant's id stands for in it. */
const rows = {
  'the place of a person': {
    path: importPath,
    kind: 'entity',
    fileWith: (id: string) => ({
      csv: `nationalId,givenName,familyName,StructuralEntityKeys\nin-a-file,Ada,Byron,${id}\n`,
      ndjson: { ...person('in-a-file'), StructuralEntityKeys: [id] },
    }),
  },
  'the place above a place': {
    path: entityImportPath,
    kind: 'region',
    fileWith: (id: string) => place(id, ours.ids.structureType),
  },
  'the type of a place': { path: entityImportPath, kind: 'structureType', fileWith: (id: string) => place('', id) },
} as const

const cases = Object.keys(rows).flatMap(row => (['csv', 'ndjson'] as const).map(form => [row, form] as const))
test.each(cases)('%s in %s: one of another tenant is refused as one that does not exist', async (row, form) => {
  const { path, kind, fileWith } = rows[row as keyof typeof rows]
  const outcomeOf = async (id: string) => {
    const { csv, ndjson } = fileWith(id)
    const job = await (form === 'csv'
      ? imported(ours, csv, { path })
      : imported(ours, `${JSON.stringify(ndjson)}\n`, { path, headers: ndjsonType }))
    const refused = await refusedRows(ours, job.jobId)
    return JSON.stringify(refused.map(({ Refused }) => Refused)).replaceAll(id, '<id>')
  }
  const foreign = await outcomeOf(theirs.ids[kind])
  expect(foreign).toBe(await outcomeOf(nobody))
  expect(foreign).toContain('<id>')
  // With an id of ours the row is taken: nothing else of it was refused.
  expect(await outcomeOf(ours.ids[kind])).toBe('[]')
})

test("an Idempotency-Key of another tenant's import is free", async () => {
  const options = { headers: { ...csvType, 'idempotency-key': 'of-a-night' } }
  const [first, other] = [
    await upload(theirs, rows['the place of a person'].fileWith(theirs.ids.entity).csv, options),
    await upload(ours, rows['the place of a person'].fileWith(ours.ids.entity).csv, options),
  ]
  expect([first.status, other.status]).toEqual([202, 202])
  expect(other.body.jobId).not.toBe(first.body.jobId)
})
