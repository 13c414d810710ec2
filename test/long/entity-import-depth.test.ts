// Imports of structural entities at the greatest depth of the hierarchy.
import { expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { plant } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { entityImportPath, imported, refusedRows } from '../support/imports.js'

test('an import refuses entities below the greatest depth, and moves that would take descendants there', async () => {
  const tenant = await newTenant(inject('baseUrl'))
  const run = (tree: Record<string, string>, query: Record<string, string> = {}) => {
    const rows = Object.entries(tree).map(([key, parent]) => `${key},Entity ${key},${parent},unit`)
    const body = `Key,DisplayName,ParentKey,StructureTypeKey\n${rows.join('\n')}\n`
    return imported(tenant, body, { path: entityImportPath, query })
  }
  const refused = async ({ jobId }: JobBody) =>
    (await refusedRows(tenant, jobId)).map(({ Refused: { row, column, code } }) => [row, column, code])
  const chain = Array.from({ length: 998 }, (_, n): [string, string | null] => [`e${n + 1}`, n === 0 ? null : `e${n}`])
  await plant(tenant, { ...Object.fromEntries(chain), top: null, middle: 'top', low: 'middle' })
  const rows = { at: 'e998', last: 'at', deep: 'last', deeper: 'deep', top: 'e998' }
  const dry = await run(rows, { DryRun: 'true' })
  expect(await refused(dry)).toEqual([
    [4, 'ParentKey', 'too-deep'],
    [5, 'ParentKey', 'parent-refused'],
    [6, 'ParentKey', 'too-deep'],
  ])
  const job = await run(rows)
  for (const { counts } of [dry, job]) expect(counts).toMatchObject({ created: 2, refused: 3 })
  expect((await refused(job)).map(([row]) => row)).toEqual([4, 5, 6])
  // Once `low` goes elsewhere, there is room for `middle`.
  const all = await run({ top: 'e998', low: '' }, { Mode: 'all' })
  expect(all).toMatchObject({ status: 'Completed', counts: { moved: 2 } })
})
