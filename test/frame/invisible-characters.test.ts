// Texts that look alike: characters that nobody sees, and accents that were typed in another way.
import { beforeAll, expect, inject, test } from 'vitest'
import { admin, type Tenant } from '../support/api.js'
import { addPerson, aField, anEntity, plantWards, subjectTenant, value } from '../support/factories.js'
import { keysOf, list, type Page, paths, put, refusal } from '../support/frame.js'
import { imported } from '../support/imports.js'
import {
  person,
  personWith,
  readPerson,
  type SubjectBody,
  subjectsPath,
  type WrittenSubject,
} from '../support/subjects.js'
import { assignByHand, removeByHand, transfer } from '../support/transfers.js'

let tenant: Tenant
const composed = 'Nord-Zoë'
const decomposed = composed.normalize('NFD')
beforeAll(async () => {
  tenant = await subjectTenant()
  await plantWards(tenant, composed, 'other')
})

test.each(['\u200b', '\u00ad', '\ufeff', '\u2060'])(
  'a matching value with a %j in it is that of the same person',
  async sign => {
    const id = `A-1234-${sign.codePointAt(0)}`
    const copied = `${id.slice(0, 3)}${sign}${id.slice(3)}${sign}`
    const known = await addPerson(tenant, id)
    const upserted = await tenant.post<WrittenSubject>(subjectsPath, person(copied))
    expect([upserted.status, upserted.body.internalId]).toEqual([200, known])
    expect((await tenant.post(`${subjectsPath}/bulk`, [person(copied, { givenName: 'Bulk' })])).status).toBe(200)
    const job = await imported(tenant, `nationalId,givenName,familyName\n${copied},Ada,Import\n`)
    expect(job.counts).toMatchObject({ created: 0, updated: 1 })
    expect(await readPerson(tenant, known)).toMatchObject({ familyName: 'Import' })
    expect(await personWith(tenant, copied)).toMatchObject({ familyName: 'Import' })
    const body = { customFieldValueFilter: { values: { nationalId: [copied] } } }
    const found = await tenant.post<Page<SubjectBody>>(`${subjectsPath}/query`, body)
    expect(found.body.Edges.map(({ Node }) => Node.Id)).toEqual([known])
  },
)

test('a search finds a name in which there is a soft hyphen', async () => {
  const id = await addPerson(tenant, 'hyphen', { familyName: 'Wein\u00adberger' })
  const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { SearchTerm: 'weinberger' }))
  expect(body.Edges.map(({ Node }) => Node.Id)).toEqual([id])
})

test('a required value of invisible characters alone counts as missing', async () => {
  const answer = await tenant.post(subjectsPath, person('blank', { familyName: '\u200b' }))
  expect(refusal(answer)).toMatchObject({ status: 400, errors: [expect.stringMatching(/^required-custom-field/)] })
})

test('an entity is the same in every request, however the accents of its key were typed', async () => {
  await put(tenant, paths.entities, anEntity('below', { ParentKey: decomposed }))
  expect(await keysOf(tenant, paths.entities, { ParentKey: decomposed })).toEqual(['below'])
  const id = await addPerson(tenant, 'placed', {}, [decomposed])
  const places = async () => (await readPerson(tenant, id)).places
  expect(await places()).toEqual([composed])
  const { body } = await tenant.get<Page<SubjectBody>>(list(subjectsPath, { StructuralEntityKeys: decomposed }))
  expect(body.Edges.map(({ Node }) => Node.Id)).toEqual([id])
  await transfer(tenant, decomposed, 'other', 'Move')
  expect(await places()).toEqual(['other'])
  await transfer(tenant, 'other', decomposed, 'Move')
  expect(await places()).toEqual([composed])
  await removeByHand(tenant, id, decomposed)
  await assignByHand(tenant, id, decomposed)
  expect(await places()).toEqual([composed])
  const job = await imported(
    tenant,
    `nationalId,givenName,familyName,StructuralEntityKeys\nplaced,Ada,Byron,${decomposed}\n`,
  )
  expect(job.counts).toMatchObject({ moved: 0, refused: 0 })
  await put(tenant, paths.groups, { Key: 'g', Name: 'G', StructuralEntityKeys: [decomposed] })
  expect((await tenant.get(`${paths.groups}/g`)).body).toMatchObject({ StructuralEntityKeys: [composed] })
})

test('a field is the same in every request and map, however the accents of its key were typed', async () => {
  const [stored, typed] = ['Größe', 'Größe'.normalize('NFD')]
  const tenant = await subjectTenant({
    fields: [aField(typed, 'Text', { required: true })],
    matchingFields: [typed],
    identifierField: typed,
    portal: undefined,
    importMaps: [
      { key: 'text', columns: { Text: typed } },
      { key: 'form', columns: { Text: { field: typed } } },
    ],
  })
  const { body: manifest } = await (await admin(inject('baseUrl'))).get(`/admin/v1/tenants/${tenant.tenantKey}`)
  const importMaps = [{ columns: { Text: stored } }, { columns: { Text: { field: stored } } }]
  expect(manifest).toMatchObject({ subjects: { importMaps } })
  const upserted = await tenant.post<WrittenSubject>(subjectsPath, {
    CustomFieldValues: [value(typed, 'String', 'a')],
  })
  expect(upserted.status).toBe(201)
  const ids = ({ body }: { body: Page<SubjectBody> }) => body.Edges.map(({ Node }) => Node.Id)
  const found = (values: object) =>
    tenant.post<Page<SubjectBody>>(`${subjectsPath}/query`, { customFieldValueFilter: { values } })
  expect(ids(await found({ [typed]: ['a'] }))).toEqual([upserted.body.internalId])
  expect(ids(await found({ [typed]: 'a' }))).toEqual([upserted.body.internalId])
  expect(refusal(await found({ [stored]: ['a'], [typed]: ['a'] }))).toMatchObject({
    status: 400,
    errors: [`duplicate-member /customFieldValueFilter/values/${typed}`],
  })
  const inAddress = { [`customFieldValueFilter.values[${typed}]`]: 'a', OrderBy: typed }
  expect(ids(await tenant.get(list(subjectsPath, inAddress)))).toEqual([upserted.body.internalId])
  const updated = { created: 0, updated: 1 }
  for (const query of [{ Map: `Text:${typed}` }, { MapKey: 'text' }, { MapKey: 'form' }])
    expect((await imported(tenant, 'Text\na\n', { query })).counts).toMatchObject(updated)
  expect((await imported(tenant, `${typed}\na\n`)).counts).toMatchObject(updated)
  // The header has one column, whose name has a separator in it.
  const query = { Map: `${stored.toUpperCase()};X:${typed}` }
  expect((await imported(tenant, `${typed.toUpperCase()};x\na\n`, { query })).counts).toMatchObject(updated)
})

test('rows of an import of entities in either form are one entity', async () => {
  const rows = `Key,DisplayName,ParentKey,StructureTypeKey\n${decomposed},Same,,unit\n${decomposed}-1,One,${composed},unit\n`
  const job = await imported(tenant, rows, { path: '/api/v1/structuralEntity/import' })
  expect(job.counts).toMatchObject({ created: 1, updated: 1, refused: 0 })
})
