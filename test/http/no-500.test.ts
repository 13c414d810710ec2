// Random input, which never gives a 500.
import { beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { mulberry32 } from '../../dev/shuffle.js'
import { type Api, admin, newTenant } from '../support/api.js'
import { aField, anEntity, aSubject, aTemplate, aType } from '../support/factories.js'
import { putForm } from '../support/forms.js'
import { paths, put } from '../support/frame.js'
import { hostileMaker, jsonText, type Schema } from '../support/hostile.js'
import { send } from '../support/http.js'
import { aRequest, createPath, type InstanceBody } from '../support/instances.js'
import { formOf, formType } from '../support/records.js'

const seed = Number(process.env.FUZZ_SEED ?? 20_261_121)
const perOperation = Number(process.env.FUZZ_REQUESTS ?? 8)

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  schema: Schema
}
interface Operation {
  operationId: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema } | undefined> }
}

let tenant: Api
let platform: Api
let words: string[]
let subjectId: string
/** What parameters of paths are filled with most of the time: what there is of them. */
let named: Record<string, string>
let description: { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } }

beforeAll(async () => {
  const baseUrl = inject('baseUrl')
  const types = ['Text', 'Number', 'Date', 'DateTime', 'Time', 'UserIdentifier', 'PhoneNumber']
  const subjectFields = [...types, 'Boolean'].map(type => aField(type, type, { required: type === 'Text' }))
  const odd = [aField('__proto__'), aField('many', 'Number', { isArray: true })]
  const subjects = { fields: [...subjectFields, ...odd], matchingFields: ['Text'], upsert: true }
  const made = await newTenant(baseUrl, {}, { subjects })
  tenant = await made.client(['*'], ['FrameApi', 'FormsApi'])
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  subjectId = (await aSubject(db, { ...made, baseUrl })).id
  await db.destroy()
  platform = await admin(baseUrl)
  await putForm(platform, made.tenantKey, aTemplate())
  const { body } = await tenant.post<InstanceBody>(createPath, aRequest(subjectId, { formKey: 'visit' }))
  const patient = { patientId: subjectId, subjectIdentifier: subjectId, instanceGuid: body.instanceGuid }
  named = { subjectId, ...patient, tenantKey: made.tenantKey, formKey: 'visit', formVersion: '1', version: '1' }
  description = (await tenant.get<typeof description>('/openapi.json')).body
  const fields = types.map(TypeKey => ({
    TypeKey,
    Key: TypeKey,
    Name: TypeKey,
    Required: false,
  }))
  await put(
    tenant,
    paths.types,
    aType('unit', { CustomFields: [...fields, { TypeKey: 'Text', Key: '__proto__', Name: 'P' }] }),
  )
  await put(tenant, paths.entities, anEntity('root'), anEntity('child', { ParentKey: 'root' }))
  await put(tenant, paths.groups, { Key: 'g', Name: 'G', StructuralEntityKeys: ['child'] })
  const bulk = await tenant.put(`${paths.entities}/bulk`, [anEntity('child', { ParentKey: 'root' })])
  const jobId = bulk.headers.get('location')?.split('/').at(-1) ?? ''
  words = [
    'unit',
    'root',
    'child',
    'g',
    'Text',
    'Number',
    'Date',
    'DateTime',
    '2024-02-29',
    '12:30:00',
    'new',
    'visit',
    jobId,
  ]
})

/** Lone surrogates become replacement characters, as in every URL. */
const wellFormed = (text: string) => Buffer.from(text).toString()
const asText = (value: unknown) => (typeof value === 'string' ? value : jsonText(value))

async function startedAt(): Promise<string> {
  const { text } = await send(inject('metricsUrl'), '/metrics')
  const [, seconds] = /^armature_process_start_time_seconds (\d+)/m.exec(text) ?? []
  if (seconds === undefined) throw new Error('The metrics do not say when the process was started')
  return seconds
}

test(`no input gives a 500, and the process lives on (FUZZ_SEED=${seed})`, { timeout: 300_000 }, async () => {
  const random = mulberry32(seed)
  const make = hostileMaker(random, description.components.schemas, words)
  const before = await startedAt()
  const statuses: Record<string, number> = {}
  const broken: object[] = []

  /** Now and then with escapes of bytes that are no text. */
  const escaped = (text: string) =>
    random() < 0.05 ? '%ff%00%c3' : encodeURIComponent(wellFormed(text.slice(0, 2_000)))

  function address(path: string, parameters: Parameter[]): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
      // Never one of the tenants that others stand on.
      if (name === 'tenantKey' && path.startsWith('/admin')) return `fuzz-${Math.floor(random() * 5)}`
      return (random() < 0.7 && named[name]) || escaped(make.text())
    })
    const query = parameters
      .filter(parameter => parameter.in === 'query' && random() < 0.3)
      .map(({ name, schema }) => {
        // `name[key]`: a filter by the values of fields.
        const key = schema.type === 'object' ? `[${escaped(make.text())}]` : ''
        return `${name}${key}=${escaped(asText(key ? make.text() : make.value(schema)))}`
      })
    if (random() < 0.05) query.push(`${escaped(make.text())}=1`)
    return query.length > 0 ? `${filled}?${query.join('&')}` : filled
  }

  const headers = (parameters: Parameter[]) =>
    Object.fromEntries(
      parameters
        .filter(parameter => parameter.in === 'header' && random() < 0.3)
        .map(({ name }) => [name, encodeURIComponent(wellFormed(make.text())).slice(0, 300)]),
    )

  /** The members of a value as the parts of a form; half of its files are what they should be. */
  const formText = (value: unknown) => {
    const members = Object.entries(Object(value))
    const content = (name: string, member: unknown) => (name === 'file' && random() < 0.5 ? '%PDF-1.7' : asText(member))
    return formOf(members.map(([name, member]) => ({ name, content: content(name, member) }))).toString()
  }

  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, { operationId, parameters, requestBody }] of Object.entries(operations)) {
      // OAuth has errors of its own; the hostile forms go there too.
      if (operationId === 'getToken') continue
      // Another test counts the keys, which belong to all tenants.
      if (operationId === 'rotateSigningKeys') continue
      const caller = path.startsWith('/admin') ? platform : tenant
      const schema = requestBody?.content['application/json']?.schema
      const form = requestBody?.content['multipart/form-data']?.schema
      const line = requestBody?.content['application/x-ndjson']?.schema
      for (let n = 0; n < perOperation; n++) {
        // Whole: a path that begins with an empty parameter, //SinglePass, would be taken for the address of a host.
        const to = inject('baseUrl') + address(path, parameters)
        const json = schema ?? line
        const body = form ? formText(make.value(form)) : json && jsonText(make.value(json))
        const lineType = random() < 0.7 ? 'application/x-ndjson' : 'text/csv'
        const more = form ? { 'content-type': formType } : line ? { 'content-type': lineType } : {}
        const answer = await caller.send(method.toUpperCase(), to, body, { ...headers(parameters), ...more })
        statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
        const said = answer.status < 400 || /^application\/problem\+json/.test(answer.headers.get('content-type') ?? '')
        if (answer.status >= 500 || !said)
          broken.push({ method, to, body: body?.slice(0, 2_000), status: answer.status })
      }
    }
  }

  expect(broken).toEqual([])
  expect(await startedAt()).toBe(before)
  // Refusals alone would show nothing: a fair part must have come through to the database.
  const good = Object.entries(statuses).filter(([status]) => status < '300')
  expect(
    good.reduce((sum, [, count]) => sum + count, 0),
    JSON.stringify(statuses),
  ).toBeGreaterThan(40)
})
