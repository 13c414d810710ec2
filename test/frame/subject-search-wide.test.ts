// A search for a word that very many subjects have.
import { expect, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { searchBounds } from '../../db/frame/subjects/subject-search.js'
import { Hex, insertRows } from '../../db/rows.js'
import { openDatabase, plantWards, subjectTenant } from '../support/factories.js'
import { bulkPath, person, queryPath, subjectsPath } from '../support/subjects.js'

const db = openDatabase()
/** The id of a subject as the index of words has it. */
const numbered = (n: number) => new Hex(n.toString(16).padStart(32, '0'))

test('a search that too many subjects match is refused with advice, but not within an entity', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'east')
  const people = [person('1', { givenName: 'Anna' }, ['east']), person('2', { givenName: 'Berta' }, ['east'])]
  expect((await tenant.post(bulkPath, people)).status).toBe(200)
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const rows = Array.from({ length: searchBounds.maxRanked }, (_, n) => [tenantId, 'anna', numbered(n)])
  await insertRows(db, 'subjects_by_word', ['tenant_id', 'word', 'subject_id'], rows)
  const fault = { code: 'too-wide', detail: expect.stringContaining('Give more letters') }
  expect(await tenant.get(`${subjectsPath}?SearchTerm=ann`)).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/query/SearchTerm', ...fault }] },
  })
  expect(await tenant.post(queryPath, { SearchTerm: 'ann' })).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/SearchTerm', ...fault }] },
  })
  const inPlace = await tenant.get(`${subjectsPath}?SearchTerm=ann&StructuralEntityKeys=east`)
  expect(inPlace).toMatchObject({ status: 200, body: { PageInfo: { TotalCount: 1 } } })
  const narrower = await tenant.get(`${subjectsPath}?SearchTerm=ann%201`)
  expect(narrower).toMatchObject({ status: 200, body: { PageInfo: { TotalCount: 1 } } })
})
