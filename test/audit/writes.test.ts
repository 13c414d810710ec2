// Every write leaves an event, in its transaction, and what is refused or rolled back leaves none.
import { beforeAll, expect, test } from 'vitest'
import type { Reply, Tenant } from '../support/api.js'
import { auditForPlatform, auditOf } from '../support/audit.js'
import {
  addPerson,
  anEntity,
  aType,
  formsTenant,
  openDatabase,
  plantWards,
  subjectTenant,
} from '../support/factories.js'
import { ended } from '../support/faults.js'
import { effectiveDate, file, formOf, formType, title } from '../support/records.js'
import { bulkPath, patch, person, subjectsPath, texts } from '../support/subjects.js'

const db = openDatabase()
let tenant: Tenant
beforeAll(async () => {
  tenant = await subjectTenant()
})

/** What a test compares of an event. */
const told = (events: Awaited<ReturnType<typeof auditOf>>) =>
  events
    .filter(({ action }) => action !== 'putTenant')
    .map(({ action, kind, ids, members, outcome }) => ({ action, kind, ids, members, outcome }))

test('the audit is, event by event, what was called', async () => {
  const model: object[] = []
  /** Calls the API, and adds the event to the model if it is a write. */
  const call = async (
    [action, kind, members = []]: [string, string, string[]?],
    request: Promise<Reply>,
    idsOf: (body: { internalId: string; jobId: string; id: string }) => string[],
  ) => {
    const { status, body } = await request
    expect(status, `${action}: ${JSON.stringify(body)}`).toBeLessThan(300)
    const known = body as { internalId: string; jobId: string; id: string }
    model.push({ action, kind, ids: idsOf(known), members, outcome: 'done' })
    return known
  }
  const names = [
    'CustomFieldValues',
    'CustomFieldValues/givenName',
    'CustomFieldValues/familyName',
    'CustomFieldValues/nationalId',
  ]
  const typeMembers = Object.keys(aType('unit'))
  const entityMembers = Object.keys(anEntity('a'))
  const types = '/api/v1/structureType'
  const entities = '/api/v1/structuralEntity'
  await call(['putStructureType', 'type', typeMembers], tenant.put(types, aType('unit')), () => ['unit'])
  await call(['putStructuralEntity', 'entity', entityMembers], tenant.put(entities, anEntity('a')), () => ['a'])
  const bulk = await tenant.put<{ jobId: string }>(`${entities}/bulk`, [anEntity('b'), anEntity('c')], {
    prefer: 'respond-async',
  })
  model.push({
    action: 'putStructuralEntities',
    kind: 'entity',
    ids: [bulk.body.jobId],
    members: entityMembers,
    outcome: 'done',
  })
  await ended(tenant, bulk.body.jobId)
  await call(
    ['putGroup', 'group', ['Key', 'Name', 'StructuralEntityKeys']],
    tenant.put('/api/v1/group', { Key: 'g', Name: 'G', StructuralEntityKeys: ['a'] }),
    () => ['g'],
  )

  const ada = await call(
    ['upsertSubject', 'subject', names],
    tenant.post(subjectsPath, person('1')),
    ({ internalId }) => [internalId],
  )
  // Nothing changes, but somebody has asked for it.
  await call(['upsertSubject', 'subject', names], tenant.post(subjectsPath, person('1')), () => [ada.internalId])
  const { body } = await tenant.post<{ internalId: string }[]>(bulkPath, [person('2'), person('3', {}, ['a'])])
  model.push({
    action: 'upsertSubjects',
    kind: 'subject',
    ids: body.map(({ internalId }) => internalId),
    members: [...names, 'StructuralEntityKeys'],
    outcome: 'done',
  })
  const [two = { internalId: '' }] = body
  await call(
    ['patchSubject', 'subject', ['givenName']],
    patch(tenant, ada.internalId, texts({ givenName: 'Eve' })),
    () => [ada.internalId],
  )
  const places = `/api/v1/subject/${ada.internalId}/structuralEntities`
  await call(['addSubjectLocations', 'subject', ['keys']], tenant.put(places, { keys: ['a'] }), () => [ada.internalId])
  await call(['removeSubjectLocations', 'subject', ['keys']], tenant.delete(`${places}?keys=a`), () => [ada.internalId])
  const merged = { SubjectId: two.internalId }
  await call(
    ['mergeSubjects', 'subject', ['SubjectId']],
    tenant.post(`${subjectsPath}/${ada.internalId}/merge`, merged),
    () => [ada.internalId, two.internalId],
  )
  const form = formOf([title(), effectiveDate(), file('%PDF-1.7')]).toString()
  const files = `/api/v1/subjects/${ada.internalId}/file`
  const { id } = await call(
    ['uploadRecordItem', 'file'],
    tenant.post(`${files}/upload`, form, { 'content-type': formType }),
    each => [ada.internalId, each.id],
  )
  await call(['deleteRecordItem', 'file'], tenant.delete(`${files}/${id}`), () => [ada.internalId, id])
  const transfer = { SourceStructuralEntityKey: 'a', Mode: 'Move' }
  const moved = await call(
    ['transferSubjects', 'entity', Object.keys(transfer)],
    tenant.post(`${entities}/b/subjects/transfer`, transfer),
    ({ jobId }) => ['b', jobId],
  )
  await ended(tenant, moved.jobId)
  await call(['undoJob', 'job'], tenant.post(`/api/v1/jobs/${moved.jobId}/undo`), ({ jobId }) => [moved.jobId, jobId])
  const erased = await call(
    ['eraseSubject', 'subject'],
    tenant.post(`${subjectsPath}/${ada.internalId}/erase`),
    ({ jobId }) => [ada.internalId, jobId],
  )
  await ended(tenant, erased.jobId)

  // What is refused, whatever the reason, and what only reads, leaves nothing.
  const refused = await Promise.all([
    tenant.post(subjectsPath, { CustomFieldValues: texts({ givenName: 'Ada' }) }),
    tenant.post(`${subjectsPath}/${ada.internalId}/deactivate`),
    tenant.delete(`${entities}/nowhere`),
    tenant.put(`/api/v1/subject/${two.internalId}/structuralEntities`, { keys: ['nowhere'] }),
    tenant.post(`/api/v1/jobs/${moved.jobId}/retry`),
    tenant.post(`/api/v1/jobs/${moved.jobId}/cancel`),
    tenant.post('/api/v1/webhooks/nowhere/replay', {}),
    tenant.post(`${files}/upload`, formOf([title(), effectiveDate(), file('no PDF')]).toString(), {
      'content-type': formType,
    }),
  ])
  expect(refused.map(({ status }) => status)).toEqual([
    400,
    410,
    404,
    expect.any(Number),
    409,
    409,
    404,
    expect.any(Number),
  ])
  await tenant.post(`${entities}/query`, {})
  await tenant.get(entities)

  const events = await auditOf(tenant)
  expect(told(events)).toEqual(model)
  for (const { client, person, address, traceId, at } of events.filter(({ action }) => action !== 'putTenant')) {
    expect({ client, person }).toEqual({ client: tenant.clientId, person: undefined })
    expect(address).toMatch(/^(::ffff:)?127\.0\.0\.1$/)
    expect(traceId).not.toBe('')
    expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(600_000)
  }
})

test('an event has names of members, and not one value', async () => {
  const other = await subjectTenant()
  const given = { givenName: 'Zebedee', familyName: 'Quillon', nationalId: 'N-90125' }
  await other.post(subjectsPath, { CustomFieldValues: texts(given) })
  const { id } = await db('tenants').where({ tenant_key: other.tenantKey }).first('id')
  await auditOf(other)
  const rows = JSON.stringify(await db('audit_events').where({ tenant_id: id, action: 'upsertSubject' }))
  expect(rows).toContain('CustomFieldValues/nationalId')
  for (const value of Object.values(given)) expect(rows).not.toContain(value)
})

test('a write that waits for a deadlock and is tried again leaves one event', async () => {
  const other = await subjectTenant()
  await plantWards(other, 'w')
  const people = await Promise.all(Array.from({ length: 8 }, (_, n) => addPerson(other, `p${n}`)))
  // All of them lock the same people, in orders that meet.
  const bulks = Array.from({ length: 8 }, (_, n) =>
    people.map((_, m) => person(`p${(n + m) % 8}`, { givenName: `G${n}` })),
  )
  const answers = await Promise.all(bulks.map(each => other.post(bulkPath, each)))
  const done = answers.filter(({ status }) => status === 200).length
  const events = await auditOf(other, { Action: 'upsertSubjects' })
  expect(events).toHaveLength(done)
  for (const { ids } of events) expect([...ids].sort()).toEqual([...people].sort())
})

test('what the platform does to a tenant is in the audit of the tenant, and a manifest with its difference', async () => {
  const other = await formsTenant()
  await other.change({ users: [{ id: 'u', displayName: 'U' }] })
  const events = await auditForPlatform(other.tenantKey)
  const last = events.filter(({ action }) => action === 'putTenant').at(-1)
  expect(last).toMatchObject({ client: 'platform-admin', kind: 'tenant', outcome: 'done' })
  expect(last?.changes?.map(({ path }) => path)).toContain('/users/u')
  expect(JSON.stringify(events)).not.toMatch(/secretHash|"secret":"/)
  const { body } = await other.get<{ Edges: { Node: { position: number } }[] }>('/api/v1/audit?First=1')
  expect(body.Edges[0]?.Node.position).toBe(last?.position)
})

test('nobody reads the audit without the permission, nor that of another tenant', async () => {
  const reader = await tenant.client(['List:Subject'])
  expect((await reader.get('/api/v1/audit')).status).toBe(403)
  const other = await subjectTenant()
  const own = await auditOf(other)
  const theirs = await auditOf(tenant)
  expect(own.map(({ hash }) => hash).filter(hash => theirs.some(each => each.hash === hash))).toEqual([])
})
