// Makes a tenant that has one of everything, and names it all.
import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { scopes } from '../../runtime/secrets/scopes.js'
import { type Api, aKey, type Tenant } from './api.js'
import { refreshed, type ScriptedProvider, scriptedGlue } from './data-sets.js'
import { anEntity, aTemplate, aType, formAsked, formsTenant, point } from './factories.js'
import { ended } from './faults.js'
import { paths, put } from './frame.js'
import { aRequest, createPath, type HistoryBody, type InstanceBody } from './instances.js'
import { effectiveDate, file, formOf, formType, title } from './records.js'
import { person, subjectsPath, type WrittenSubject } from './subjects.js'

/** What a tenant has, by kind. Keys begin with a prefix that no other tenant's have, so that they are found wherever they appear. */
export interface Ids {
  tenant: string
  structureType: string
  /** An entity without children, to which the subject is assigned. */
  entity: string
  /** The entity above it. */
  region: string
  group: string
  user: string
  subject: string
  otherSubject: string
  recordItem: string
  job: string
  dataSet: string
  dataPoint: string
  export: string
  form: string
  formVersion: string
  buildingBlock: string
  instance: string
  instanceVersion: string
  /** The id under which the client has created the instance. */
  instanceIdentifier: string
  correlation: string
  /** An endpoint that needs an API key. */
  endpoint: string
  openEndpoint: string
  apiKey: string
  account: string
  webhook: string
}

export interface FurnishedTenant extends Tenant {
  prefix: string
  ids: Ids
  /** A client that has every scope of a tenant, and every permission. */
  all: Api
  platform: Api
}

const tenantScopes = scopes.filter(scope => scope !== 'PlatformAdmin')

/** Makes a tenant that has one of everything. `provider` serves its data sets and takes its events. */
export async function furnishedTenant(
  provider: ScriptedProvider,
  { baseUrl = inject('baseUrl'), prefix = aKey('f') } = {},
): Promise<FurnishedTenant> {
  const key = (name: string) => `${prefix}-${name}`
  const exported = {
    key: key('export'),
    every: 86_400,
    destination: 'directory',
    definitions: [formAsked(key('visit'))],
  }
  const tenant = await formsTenant({ delivery: { url: provider.url }, exports: [exported] }, baseUrl)
  const signing = {
    name: 'signing',
    value: `whsec_${Buffer.alloc(32).toString('base64')}`,
    hosts: [new URL(provider.url).host],
  }
  const glue = scriptedGlue(provider.url, { extracts: { [key('set')]: { programme: { name: 'routine' } } } })
  const answering = {
    key: key('endpoint'),
    authentication: [{ apiKey: {} }],
    steps: [{ name: 'answer', respond: { body: 'fine' } }],
  }
  await tenant.change({
    users: [{ id: key('user'), displayName: key('user') }],
    glue: {
      ...glue,
      endpoints: [...glue.endpoints, answering, { ...answering, key: key('open'), authentication: [] }],
      secrets: [signing],
      webhooks: [{ key: key('webhook'), url: provider.url, events: ['subject.erased'], secrets: ['signing'] }],
    },
  })
  const all = await tenant.client(['*'], tenantScopes)
  const made = async <Body>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const answer = await all.send<Body>(method, path, body, headers)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer
  }

  const fields = ['Text', 'Number'].map(TypeKey => ({ TypeKey, Key: TypeKey.toLowerCase(), Name: TypeKey }))
  await put(tenant, paths.types, aType(key('type'), { CustomFields: fields }))
  const place = (name: string, more: object = {}) =>
    anEntity(key(name), { DisplayName: key(name), StructureTypeKey: key('type'), ...more })
  const { headers } = await made('PUT', `${paths.entities}/bulk`, [
    place('region'),
    place('ward', { ParentKey: key('region') }),
  ])
  const job = headers.get('location')?.split('/').at(-1) ?? ''
  await ended(all, job)
  await put(tenant, paths.groups, { Key: key('group'), Name: key('group'), StructuralEntityKeys: [key('ward')] })
  await made('POST', `/api/v1/users/${key('user')}/groups`, [key('group')])

  const { body: written } = await made<WrittenSubject>('POST', subjectsPath, {
    ...person(key('person')),
    StructuralEntityKeys: [key('ward')],
  })
  const subject = written.internalId
  const upload = formOf([title(key('letter')), effectiveDate(), file('%PDF-1.7')]).toString()
  const record = await made<{ id: string }>('POST', `/api/v1/subjects/${subject}/file/upload`, upload, {
    'content-type': formType,
  })
  provider.says(() => ({ dataPoints: [point(key('point'), key('person'))], next: null }))
  await refreshed(tenant, key('set'))

  const { buildingBlocks } = aTemplate()
  const blocks = (buildingBlocks as { key: string }[]).map(block => ({ ...block, key: key(block.key) }))
  const template = aTemplate({ key: key('visit'), buildingBlocks: blocks })
  await tenant.publish(template)
  const created = { instanceIdentifier: randomUUID(), correlationId: key('correlation'), formKey: key('visit') }
  const { body: instance } = await made<InstanceBody>('POST', createPath, aRequest(subject, created))
  const at = `/api/patientforms/${subject}`
  const history = await made<HistoryBody>('GET', `${at}/history/${instance.instanceGuid}`)
  const apiKeys = `/admin/v1/tenants/${tenant.tenantKey}/endpoints/${key('endpoint')}/apiKeys`
  const apiKey = await tenant.platform.post<{ id: string }>(apiKeys, { name: key('key') })

  const ada = { email: `${key('ada')}@example.org`, name: key('ada'), roles: [] }
  const account = await tenant.platform.post<{ id: string }>(`/admin/v1/tenants/${tenant.tenantKey}/accounts`, ada)

  return {
    ...tenant,
    prefix,
    all,
    ids: {
      tenant: tenant.tenantKey,
      structureType: key('type'),
      entity: key('ward'),
      region: key('region'),
      group: key('group'),
      user: key('user'),
      subject,
      otherSubject: tenant.subjectId,
      recordItem: record.body.id,
      job: job,
      dataSet: key('set'),
      dataPoint: key('point'),
      export: key('export'),
      form: key('visit'),
      formVersion: '1',
      buildingBlock: key('wounds'),
      instance: instance.instanceGuid,
      instanceVersion: history.body.compositeInstanceHistory[0]?.instanceVersionGuid ?? '',
      instanceIdentifier: created.instanceIdentifier,
      correlation: created.correlationId,
      endpoint: key('endpoint'),
      openEndpoint: key('open'),
      apiKey: apiKey.body.id,
      account: account.body.id,
      webhook: key('webhook'),
    },
  }
}
