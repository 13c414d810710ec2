// Answers against the published description.
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { connect } from '../../db/connect.js'
import { demoGlue } from '../../dev/demo-glue.js'
import { type Api, admin, newTenant, type Tenant } from '../support/api.js'
import { auditForPlatform, auditOf, toldOf } from '../support/audit.js'
import { addSubject, aSubject, value } from '../support/factories.js'
import { ended as jobEnded } from '../support/faults.js'
import { holdHierarchy } from '../support/jobs.js'
import { demoSubjects } from '../support/manifest.js'
import { startProvider, type TestProvider } from '../support/provider.js'
import { publishedAnswers } from '../support/published-answers.js'
import { exampleRecorder } from '../support/recorded-examples.js'
import { effectiveDate, file, formOf, formType, title } from '../support/records.js'
import { texts, upsertPaths } from '../support/subjects.js'
import { suspendedLong } from '../support/tenant-rows.js'

// One call per endpoint and answer, in an order in which each finds what it needs; every body against the published schema.

let tenant: Tenant
let platform: Api
let dataProvider: Api
let register: TestProvider
const recorder = exampleRecorder('frame')
let published: Awaited<ReturnType<typeof publishedAnswers>>

beforeAll(async () => {
  register = await startProvider({ people: 1, doses: 1 })
  const glue = demoGlue(register.url)
  const signing = { name: 'signing', value: `whsec_${Buffer.alloc(32).toString('base64')}` }
  const webhooks = [{ key: 'w', url: register.url, events: ['subject.erased'], secrets: ['signing'] }]
  const echo = { key: 'echo', steps: [{ name: 'answer', respond: { expression: '{ "method": request.method }' } }] }
  const sections = {
    users: [{ id: 'u', displayName: 'U' }],
    subjects: demoSubjects,
    glue: {
      ...glue,
      endpoints: [...(glue.endpoints ?? []), echo],
      secrets: [...(glue.secrets ?? []), signing],
      webhooks,
    },
  }
  tenant = await newTenant(inject('baseUrl'), {}, sections)
  dataProvider = await tenant.client([], ['FrameGlueDataProviderApi'])
  platform = await admin(inject('baseUrl'))
  // Those of forms are called in test/forms/.
  published = await publishedAnswers(tenant, tag => !/^(Form |Extracts$)/.test(tag), recorder)
})

afterAll(() => register?.stop())

test('every answer is as it is published', { timeout: 120_000 }, async () => {
  const type = {
    Key: 't',
    Name: 'T',
    SubjectAssignable: true,
    CustomFields: [
      { TypeKey: 'Text', Key: 'text', Name: 'Text' },
      { TypeKey: 'Number', Key: 'number', Name: 'Number' },
    ],
  }
  const values = [
    { Key: 'text', Value: { String: { Value: 'é' } } },
    { Key: 'number', Value: { Decimal: { Value: 1.5 } } },
  ]
  const entity = { Key: 'e', DisplayName: 'E', StructureTypeKey: 't', CustomFieldValues: values }
  const group = { Key: 'g', Name: 'G', StructuralEntityKeys: ['e'] }
  const [types, entities, groups] = ['/api/v1/structureType', '/api/v1/structuralEntity', '/api/v1/group']
  const own = `/admin/v1/tenants/${tenant.tenantKey}-own`

  async function call(operationId: string, status: number, ...request: Parameters<Api['send']>) {
    const [, path] = request
    const callers = { '/admin': platform, '/glue-dataprovider': dataProvider }
    const [, caller = tenant] = Object.entries(callers).find(([start]) => path.startsWith(start)) ?? []
    return (await published.call<{ jobId: string; id: string }>(caller, operationId, status, ...request)).body
  }

  await call('putStructureType', 201, 'PUT', types, type)
  await call('putStructureType', 200, 'PUT', types, type)
  await call('putStructureTypes', 204, 'PUT', `${types}/bulk`, [type])
  await call('getStructureType', 200, 'GET', `${types}/t`)
  await call('listStructureTypes', 200, 'GET', types)
  await call('putStructuralEntity', 201, 'PUT', entities, entity)
  await call('putStructuralEntity', 200, 'PUT', entities, entity)
  await call('putStructuralEntities', 204, 'PUT', `${entities}/bulk`, [entity, { ...entity, Key: 'f', ParentKey: 'e' }])
  await call('getStructuralEntity', 200, 'GET', `${entities}/f`)
  await call('listStructuralEntities', 200, 'GET', `${entities}?Include=Counts`)
  await call('queryStructuralEntities', 200, 'POST', `${entities}/query`, {})
  await call('putGroup', 201, 'PUT', groups, group)
  await call('putGroup', 200, 'PUT', groups, group)
  await call('putGroups', 204, 'PUT', `${groups}/bulk`, [group])
  await call('getGroup', 200, 'GET', `${groups}/g`)
  await call('listGroups', 200, 'GET', groups)
  await call('listUsers', 200, 'GET', '/api/v1/users')
  await call('addUserToGroups', 204, 'POST', '/api/v1/users/u/groups', ['g'])
  await call('removeUserFromGroups', 204, 'DELETE', '/api/v1/users/u/groups?groupKey=g')

  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  const subject = await aSubject(db, { ...tenant, baseUrl: inject('baseUrl') })
  await db.destroy()
  const form = formOf([title(), effectiveDate(), file('%PDF-1.7')]).toString()
  const { id } = await call('uploadRecordItem', 200, 'POST', `${subject.path}/upload`, form, {
    'content-type': formType,
  })
  await call('getRecordItemFile', 200, 'GET', `${subject.path}/${id}`)
  await call('listRecordItems', 200, 'GET', subject.path)
  await call('deleteRecordItem', 204, 'DELETE', `${subject.path}/${id}`)

  const wait = { prefer: 'respond-async' }
  const one = {
    CustomFieldValues: [
      ...texts({ nationalId: '1', givenName: 'A', familyName: 'B', languages: ['en', 'fr'] }),
      value('consent', 'Boolean', true),
      value('weight', 'Decimal', 72.5),
    ],
    StructuralEntityKeys: ['e'],
  }
  for (const [n, path] of upsertPaths.entries()) {
    const by = n === 0 ? '' : 'ByMessage'
    const values = texts({ nationalId: `new ${n}`, givenName: 'A', familyName: 'B' })
    await call(`upsertSubject${by}`, 201, 'POST', path, { CustomFieldValues: values })
    await call(`upsertSubjects${by}`, 200, 'POST', `${path}/bulk`, [one])
    await call(`upsertSubject${by}`, 200, 'POST', path, one)
  }
  const rows = { 'content-type': 'text/csv' }
  const imported = await call('importSubjects', 202, 'POST', '/api/v2/subject/import', 'nationalId\n1\n1\n', rows)
  await jobEnded(tenant, imported.jobId)
  await call('listJobRejects', 200, 'GET', `/api/v1/jobs/${imported.jobId}/rejects`)
  await call('listAttention', 200, 'GET', '/api/v1/attention')
  await call('listAttentionOfTenants', 200, 'GET', `/admin/v1/attention?Tenant=${tenant.tenantKey}`)
  await call('listJobRejects', 200, 'GET', `/api/v1/jobs/${imported.jobId}/rejects`, undefined, {
    accept: 'application/x-ndjson',
  })
  const placeRows = 'Key,DisplayName,ParentKey,StructureTypeKey\nz,Z,,t\n'
  const staged = await call('importStructuralEntities', 202, 'POST', `${entities}/import`, placeRows, rows)
  await jobEnded(tenant, staged.jobId)
  const personId = await addSubject(tenant)
  await call('listSubjects', 200, 'GET', '/api/v2/subject')
  await call('listSubjectFields', 200, 'GET', '/api/v2/subjectField')
  await call('listSubjectChanges', 200, 'GET', '/api/v2/subject/changes')
  await call('listStructuralEntityChanges', 200, 'GET', '/api/v1/changes/structuralEntity')
  await call('listGroupChanges', 200, 'GET', '/api/v1/changes/group')
  await call('listStructureTypeChanges', 200, 'GET', '/api/v1/changes/structureType')
  await call('querySubjects', 200, 'POST', '/api/v2/subject/query', {})
  await call('patchSubject', 200, 'PATCH', `/api/v2/subject/${personId}`, one.CustomFieldValues.slice(1))
  const places = `/api/v1/subject/${personId}/structuralEntities`
  await call('addSubjectLocations', 204, 'PUT', places, { keys: ['e'] })
  await call('getSubject', 200, 'GET', `/api/v2/subject/${personId}`)
  await call('deactivateSubject', 200, 'POST', `/api/v2/subject/${personId}/deactivate`)
  await call('reactivateSubject', 200, 'POST', `/api/v2/subject/${personId}/reactivate`)
  const twin = await addSubject(tenant)
  await call('mergeSubjects', 200, 'POST', `/api/v2/subject/${personId}/merge`, { SubjectId: twin })
  await call('listMergedSubjects', 200, 'GET', `/api/v2/subject/${personId}/merges`)
  await call('unmergeSubject', 200, 'POST', `/api/v2/subject/${twin}/unmerge`)
  await call('eraseSubject', 202, 'POST', `/api/v2/subject/${await addSubject(tenant)}/erase`)
  await call('removeSubjectLocations', 204, 'DELETE', `${places}?keys=e`)
  const copy = { SourceStructuralEntityKey: 'e' }
  const transfer = await call('transferSubjects', 202, 'POST', `${entities}/f/subjects/transfer`, copy)
  await jobEnded(tenant, transfer.jobId)
  const undo = await call('undoJob', 202, 'POST', `/api/v1/jobs/${transfer.jobId}/undo`)
  await jobEnded(tenant, undo.jobId)

  const person = `/api/v1/subject/${personId}`
  await call('inviteToPortal', 200, 'POST', `${person}/invite`, ['a@example.org'])
  await call('listSubjectAccessUsers', 200, 'GET', `${person}/subjectAccessUsers`)
  await call('removeFromPortal', 200, 'DELETE', `${person}/invite`)
  await call('listTenants', 200, 'GET', `/admin/v1/tenants?SearchTerm=${tenant.tenantKey}`)
  for (const change of ['retry', 'cancel']) {
    const inPast = new URLSearchParams({ AcceptedTo: '2020-01-01T00:00:00Z', AsOf: '2020-01-01T00:00:00Z' })
    await call(`${change}Jobs`, 200, 'POST', `/api/v1/jobs/${change}`)
    await call(`${change}JobsOfTenants`, 200, 'POST', `/admin/v1/jobs/${change}?${inPast}`)
  }
  await call('listJobsOfTenants', 200, 'GET', `/admin/v1/jobs?Tenant=${tenant.tenantKey}`)
  await call('countJobsOfTenants', 200, 'GET', `/admin/v1/jobCounts?Tenant=${tenant.tenantKey}`)
  await call('listMails', 200, 'GET', `/admin/v1/tenants/${tenant.tenantKey}/mails`)

  const dataSet = '/api/v1/dataSet/vaccinations'
  const change = { SubjectIdentifier: personId, DataExtractsOptionsValuesFilter: { 'programme.name': 'routine' } }
  const changes = '/glue-dataprovider/api/v1/dataChange'
  await call('refreshDataSet', 200, 'POST', `${dataSet}/refresh`)
  await call('pauseDataSet', 204, 'POST', `${dataSet}/pause`)
  await call('resumeDataSet', 204, 'POST', `${dataSet}/resume`)
  await call('refreshDataSet', 202, 'POST', `${dataSet}/refresh`, undefined, wait)
  const dose = {
    Id: 'dose-1',
    SubjectIdentifier: personId,
    DataPointItems: [{ Key: 'vaccine', Value: { DataType: 'String', Value: 'MMR' } }],
  }
  const created = { ...change, NewOrUpdatedDataPoints: [dose] }
  await call('dataCreatedOrUpdated', 200, 'POST', `${changes}/creationOrUpdate?explain=true`, created)
  const removed = { ...change, RemovedDataPointIdentifiers: ['dose-1'] }
  await call('dataRemoved', 200, 'POST', `${changes}/removal`, removed)
  await call('listDataSets', 200, 'GET', '/api/v1/dataSet')
  await call('listDataSetRows', 200, 'GET', `${dataSet}/rows`)
  await call('listProviders', 200, 'GET', `/admin/v1/tenants/${tenant.tenantKey}/providers`)
  const endpoint = `/glue/${tenant.tenantKey}/echo`
  await call('callEndpoint', 200, 'GET', endpoint)
  await call('postToEndpoint', 200, 'POST', endpoint, { any: 'body' })
  await tenant.get(`/glue/${tenant.tenantKey}/vaccinations-of-subject`)
  const failedCalls = async () => (await tenant.get('/api/v1/failedCalls')).body
  await expect.poll(failedCalls, { timeout: 10_000 }).not.toEqual([])
  await call('listFailedCalls', 200, 'GET', '/api/v1/failedCalls')
  await call('listFailedCallsOfTenant', 200, 'GET', `/admin/v1/tenants/${tenant.tenantKey}/failedCalls`)
  await call('getOwnPermissions', 200, 'GET', '/api/v1/permissions')
  await call('listWebhooks', 200, 'GET', '/api/v1/webhooks')
  await call('replayWebhook', 200, 'POST', '/api/v1/webhooks/w/replay', {})
  await call('listWebhooksOfTenant', 200, 'GET', `/admin/v1/tenants/${tenant.tenantKey}/webhooks`)
  await call('replayWebhookOfTenant', 200, 'POST', `/admin/v1/tenants/${tenant.tenantKey}/webhooks/w/replay`, {})

  // Held at its first chunk, so that it is cancelled in the middle.
  const hierarchy = await holdHierarchy(inject('databaseUrl'), tenant.tenantKey)
  const many = Array.from({ length: 20_000 }, (_, n) => ({ ...entity, Key: `m${n}` }))
  const { jobId } = await call('putStructuralEntities', 202, 'PUT', `${entities}/bulk`, many, wait)
  await call('cancelJob', 202, 'POST', `/api/v1/jobs/${jobId}/cancel`)
  await hierarchy.release()
  await call('getJob', 200, 'GET', `/api/v1/jobs/${jobId}`)
  await call('listJobs', 200, 'GET', '/api/v1/jobs')
  await call('countJobs', 200, 'GET', '/api/v1/jobCounts')
  await call('listJobItems', 200, 'GET', `/api/v1/jobs/${jobId}/items`)
  const ended = async () => Object((await tenant.get(`/api/v1/jobs/${jobId}`)).body).status
  await expect.poll(ended, { timeout: 30_000 }).toBe('Cancelled')
  await call('retryJob', 202, 'POST', `/api/v1/jobs/${jobId}/retry`)
  await expect.poll(ended, { timeout: 30_000 }).toBe('Completed')

  await call('putGroup', 400, 'PUT', groups, { Key: 1, extra: true })
  await call('getJob', 404, 'GET', '/api/v1/jobs/none')
  await call('deleteStructureType', 409, 'DELETE', `${types}/t`)
  await call('deleteGroup', 204, 'DELETE', `${groups}/g`)
  await tenant.put(types, { ...type, Key: 'u' })
  await call('deleteStructureType', 204, 'DELETE', `${types}/u`)
  await call('deleteStructuralEntity', 204, 'DELETE', `${entities}/f`)

  const clients = [{ id: `${tenant.tenantKey}-x`, scopes: ['FrameApi'] }]
  const users = [{ id: 'u', displayName: 'U' }]
  const glue = { endpoints: [{ key: 'open', steps: [{ name: 'answer', respond: {} }] }] }
  const limits = { requestsPerMinute: 5 }
  await call('putTenant', 200, 'PUT', own, { clients, users, subjects: demoSubjects, glue, limits })
  await call('putTenant', 400, 'PUT', own, { clients: [{}] })
  await call('getTenant', 200, 'GET', own)
  const suspension = `${own}/suspension`
  await call('suspendTenant', 200, 'PUT', suspension)
  await call('getSuspension', 200, 'GET', suspension)
  await call('resumeTenant', 200, 'DELETE', suspension)
  const keys = `${own}/endpoints/open/apiKeys`
  const key = await call('createApiKey', 201, 'POST', keys, { name: 'a' })
  await call('listApiKeys', 200, 'GET', keys)
  await call('revokeApiKey', 204, 'DELETE', `${keys}/${key.id}`)

  for (const [of, at] of [
    ['', '/api/v1/accounts'],
    ['Tenant', `${own}/accounts`],
  ] as const) {
    const person = { email: `ada${of}@example.org`, name: 'Ada Byron', roles: [] }
    const account = await call(`create${of}Account`, 201, 'POST', at, person)
    const one = `${at}/${account.id}`
    await call(`list${of}Accounts`, 200, 'GET', at)
    await call(`put${of}Account`, 200, 'PUT', one, { name: 'Ada Byron', roles: [], disabled: true })
    await call(`create${of}AccountLink`, 201, 'POST', `${one}/link`)
    await call(`delete${of}AccountSecondFactors`, 204, 'DELETE', `${one}/secondFactors`)
    await call(`delete${of}Account`, 204, 'DELETE', one)
  }

  await call('listSigningKeys', 200, 'GET', '/admin/v1/signingKeys')
  for (const [operation, path] of [
    ['listAudit', '/api/v1/audit'],
    ['listAuditOfTenant', `/admin/v1/audit?Tenant=${tenant.tenantKey}`],
  ] as const) {
    await call(operation, 200, 'GET', path)
    await call(operation, 200, 'GET', path, undefined, { accept: 'application/x-ndjson' })
  }
  const events = [...(await auditOf(tenant)), ...(await auditForPlatform(`${tenant.tenantKey}-own`))]
  // What only asks, and what finds nothing to do, is no event.
  const ofJobs = ['cancelJobs', 'cancelJobsOfTenants', 'retryJobs', 'retryJobsOfTenants']
  const asking = [...ofJobs, 'postToEndpoint', 'queryStructuralEntities', 'querySubjects'].sort()
  expect(toldOf(events, published.requests)).toEqual({ untold: asking, toldWrongly: [] })

  // Its audit goes with it.
  await call('deleteTenant', 200, 'DELETE', own)
  await platform.put(suspension, undefined)
  const database = connect(inject('databaseUrl'), { poolSize: 1 })
  await suspendedLong(database, await tenantIdOf(database, `${tenant.tenantKey}-own`))
  await database.destroy()
  const archive = { recipient: await identityToRecipient(await generateX25519Identity()), destination: 'directory' }
  const exporting = await call('exportTenant', 202, 'POST', `${own}/export`, archive)
  await jobEnded(platform, exporting.jobId)
  await call('deleteTenant', 202, 'DELETE', `${own}?confirm=${tenant.tenantKey}-own`)

  // Each tenant gets its tokens by the first. Keys belong to all tenants of the stack: test/admin/armature.test.ts rotates them.
  const elsewhere = ['getToken 200', 'rotateSigningKeys 201']
  expect([...published.untouched], 'described answers that no call here shows').toEqual(elsewhere)
  await recorder.finish(tenant.tenantKey)
})
