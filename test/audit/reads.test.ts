// Who has read people, and who was refused, is in the audit soon after.
import { expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { auditForPlatform, auditOf } from '../support/audit.js'
import { addPerson, formsTenant, plantWards, subjectTenant } from '../support/factories.js'
import { startOwnApi } from '../support/own-api.js'
import { person, queryPath, subjectsPath } from '../support/subjects.js'

test('reads of people are told with what was asked and who was shown, and without a value', async () => {
  const tenant = await subjectTenant()
  const reader = await tenant.client(['List:Subject', 'View:Subject', 'View:SubjectRecordItem'])
  const [ada, bob] = [await addPerson(tenant, 'N-1'), await addPerson(tenant, 'N-2')]
  await reader.get(`${subjectsPath}/${ada}`)
  await reader.get(`${subjectsPath}?CustomFieldValueFilter.Values[nationalId]=N-2&First=5`)
  await reader.post(queryPath, { SearchTerm: 'Ada' })
  await reader.get(`/api/v1/subjects/${ada}/file`)
  // Nobody is shown.
  await reader.get(`${subjectsPath}/${crypto.randomUUID()}`)
  await reader.get('/api/v2/subjectField')

  const reads = () => auditOf(tenant, { Outcome: 'read' })
  await expect.poll(reads).toHaveLength(4)
  const [one, listed, searched, files] = await reads()
  expect(one).toMatchObject({ action: 'getSubject', kind: 'subject', ids: [ada], client: reader.clientId })
  expect(listed).toMatchObject({ action: 'listSubjects', ids: [bob], entries: 1 })
  expect(listed?.members.map(name => name.toLowerCase()).sort()).toEqual([
    'customfieldvaluefilter.values',
    'customfieldvaluefilter.values/nationalid',
    'first',
  ])
  expect(searched).toMatchObject({ action: 'querySubjects', entries: 2 })
  expect([...(searched?.ids ?? [])].sort()).toEqual([ada, bob].sort())
  expect(searched?.members.map(name => name.toLowerCase())).toEqual(['searchterm'])
  expect(files).toMatchObject({ action: 'listRecordItems', kind: 'file', ids: [ada], entries: 0 })
  expect(JSON.stringify(await reads())).not.toContain('N-2')
})

test('the answer to a repeated request shows people too', async () => {
  const tenant = await subjectTenant()
  const key = { 'idempotency-key': crypto.randomUUID() }
  const bulk = () => tenant.post<{ internalId: string }[]>(`${subjectsPath}/bulk`, [person('1')], key)
  const [{ internalId } = { internalId: '' }] = (await bulk()).body
  expect(await auditOf(tenant, { Outcome: 'read' })).toEqual([])
  await bulk()
  await expect.poll(() => auditOf(tenant, { Outcome: 'read' })).toMatchObject([{ ids: [internalId] }])
})

test('reads of form answers are told', async () => {
  const { forms, subjectId, ...tenant } = await formsTenant()
  await forms.get(`/api/patientforms/${subjectId}`)
  const reads = () => auditOf(tenant, { Outcome: 'read', Action: 'listPatientForms' })
  await expect.poll(reads).toMatchObject([{ kind: 'form', ids: [subjectId] }])
})

test('an attempt without the permission is told as refused, that of the platform to the tenant that it meant', async () => {
  const tenant = await subjectTenant()
  const nobody = await tenant.client(['List:Subject'])
  expect((await nobody.post(subjectsPath, person('1'))).status).toBe(403)
  expect((await nobody.get('/api/v1/structureType')).status).toBe(403)
  const refused = () => auditOf(tenant, { Outcome: 'refused' })
  await expect
    .poll(refused)
    .toMatchObject([{ action: 'upsertSubject', client: nobody.clientId, members: [], outcome: 'refused' }])
  const operator = await tenant.client(['List:Tenant'], ['PlatformAdmin'])
  const path = `/admin/v1/tenants/${tenant.tenantKey}`
  expect((await operator.put(path, { name: 'x' })).status).toBe(403)
  await expect
    .poll(async () => (await auditForPlatform(tenant.tenantKey)).filter(({ outcome }) => outcome === 'refused'))
    .toHaveLength(2)
})

test('what a stop finds waiting is appended before the process ends', async () => {
  const tenant = await subjectTenant()
  await plantWards(tenant, 'w')
  const id = await addPerson(tenant, '1')
  const own = await startOwnApi({ DRAIN_SECONDS: '0', IDENTITY_AUTHORITY: `${inject('baseUrl')}/identity` })
  try {
    await own.live()
    const client = api(own.baseUrl, tenant.token)
    const before = (await auditOf(tenant, { Outcome: 'read' })).length
    await Promise.all(Array.from({ length: 50 }, () => client.get(`${subjectsPath}/${id}`)))
    process.kill(own.pid ?? 0, 'SIGTERM')
    await own.ended
    expect(await auditOf(tenant, { Outcome: 'read' })).toHaveLength(before + 50)
  } finally {
    await own.stop()
  }
})
