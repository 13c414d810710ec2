// What generators of clients make of the schemas in the OpenAPI description.
import { Compile } from 'typebox/schema'
import { describe, expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { aField, subjectTenant } from '../support/factories.js'
import { texts } from '../support/subjects.js'

interface Schema {
  type?: string
  format?: string
  pattern?: string
  examples?: unknown[]
  enum?: unknown[]
  [member: string]: unknown
}
interface Description {
  paths: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, Schema> }
}

const description = (await api(inject('baseUrl'), '').get<Description>('/openapi.json')).body
const schemas = [...objectsIn(description, '')]

/** Every object of the description. An example is no schema. */
function* objectsIn(value: unknown, pointer: string): Generator<{ pointer: string; schema: Schema }> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield { pointer, schema: value as Schema }
  for (const [name, held] of Object.entries(value)) {
    if (!['example', 'examples', 'enum', 'x-extensible-enum'].includes(name))
      yield* objectsIn(held, `${pointer}/${name}`)
  }
}

/** The schema at the end of a JSON pointer into the description. */
const at = (...path: string[]): Schema =>
  path.reduce<Schema>((holder, name) => Object(holder)[name], Object(description))

/** Its members say what a value of it is. */
const isSchema = ({ type }: Schema): boolean => typeof type === 'string'

test('patterns are plain: Python and Rust compile them as well', () => {
  const names = schemas.flatMap(({ schema: { propertyNames } }) => Object(propertyNames).pattern ?? [])
  const patterns = [...names, ...schemas.flatMap(({ schema: { pattern } }) => pattern ?? [])]
  const plain = patterns.filter(pattern => typeof pattern === 'string')
  expect(plain.length).toBeGreaterThan(20)
  expect(plain.filter(pattern => /\\[pP]\{|\(\?<?[=!]|\[\^\]/.test(pattern))).toEqual([])
  expect(JSON.stringify(description)).not.toContain('"patternProperties":')
})

test('an enumeration of texts says that they are texts', () => {
  const enumerations = schemas.filter(({ schema }) => Array.isArray(schema.enum))
  expect(enumerations.length).toBeGreaterThan(20)
  const untyped = enumerations.filter(({ schema }) => schema.type === undefined)
  expect(untyped.map(({ pointer }) => pointer)).toEqual([])
})

/** The schemas that `from` leads to, references included. */
function* reached(from: unknown, seen = new Set<unknown>()): Generator<Schema> {
  if (seen.has(from)) return
  seen.add(from)
  for (const { schema } of objectsIn(from, '')) {
    yield schema
    if (typeof schema.$ref === 'string') yield* reached(at(...schema.$ref.split('/').slice(1)), seen)
  }
}

test('enumerations in answers are extensible, because a later release may add values', () => {
  const operations = schemas.filter(({ schema }) => schema.operationId)
  expect(operations.length).toBeGreaterThan(100)
  const sent = operations.map(({ schema }) => (schema.operationId === 'receiveEvent' ? schema : schema.responses))
  const values = [...reached(sent)]
  expect(values.filter(schema => schema.enum)).toEqual([])
  const open = values.flatMap(schema => schema['x-extensible-enum'] ?? [])
  const some = ['subjectTransfer', 'Completed', 'erased', 'armature.job.failed', 'required', '/problems/validation']
  expect(open).toEqual(expect.arrayContaining(some))
  expect(values.find(schema => schema['x-extensible-enum'] && schema.type !== 'string')).toBeUndefined()
  expect(at('components', 'schemas', 'Job', 'properties', 'status').description).toContain('`Cancelled`')
})

test('enumerations in requests list the accepted values', () => {
  const { TransferMode } = Object(at('components', 'schemas', 'SubjectTransfer').properties)
  expect(TransferMode.enum).toEqual(['Copy', 'Move'])
})

test('every number names its format', () => {
  const numbers = schemas.filter(({ schema }) =>
    [schema.type].flat().some(type => /^(integer|number)$/.test(`${type}`)),
  )
  expect(numbers.length).toBeGreaterThan(100)
  const formats = new Set(numbers.map(({ schema: { type, format } }) => `${[type].flat()[0]} ${format}`))
  expect([...formats].sort()).toEqual(['integer int32', 'integer int64', 'number double'])
})

test('files are binary, and dates and times say so', () => {
  const body = (path: string, type: string) => at('paths', path, 'post', 'requestBody', 'content', type, 'schema')
  const file = at('paths', '/api/v1/subjects/{subjectId}/file/{fileId}', 'get', 'responses', '200', 'content')
  expect(body('/api/v2/subject/import', 'text/csv').format).toBe('binary')
  expect(Object(body('/api/v1/subjects/{subjectId}/file/upload', 'multipart/form-data').properties).file.format).toBe(
    'binary',
  )
  expect(Object(file)['application/pdf'].schema.format).toBe('binary')
  const value = (type: string) => Object(at('components', 'schemas', 'InputValue').properties)[type].properties.Value
  expect([value('Date').format, value('DateTime').format]).toEqual(['date', 'date-time'])
})

test('every example is as its schema says', () => {
  const given = schemas.filter(({ schema }) => isSchema(schema) && schema.examples)
  expect(given.length).toBeGreaterThan(5)
  for (const { pointer, schema } of given) {
    const whole = JSON.stringify({ ...schema, $defs: description.components.schemas })
    const check = Compile(JSON.parse(whole.replaceAll('#/components/schemas/', '#/$defs/')))
    for (const example of schema.examples ?? []) expect([pointer, check.Errors(example)]).toEqual([pointer, [true, []]])
  }
})

test.each(['SubjectQuery', 'StructuralEntityQuery'])('the examples of %s together have every member', name => {
  const { properties, examples } = Object(at('components', 'schemas', name))
  expect(new Set(examples.flatMap(Object.keys))).toEqual(new Set(Object.keys(properties)))
})

test('a pattern is described in words, because a fault would otherwise quote it', () => {
  // A parameter's description stands beside its schema.
  const described = new Set(schemas.flatMap(({ schema }) => (schema.in && schema.description ? [schema.schema] : [])))
  const silent = schemas.filter(
    ({ schema }) => isSchema(schema) && schema.pattern && !schema.description && !described.has(schema),
  )
  expect(silent.map(({ schema }) => schema.pattern).filter(pattern => pattern !== '\\S')).toEqual([])
})

test('operations that answer with a Deprecation header are deprecated', () => {
  const operations = schemas.filter(({ schema }) => schema.deprecated)
  expect(operations.map(({ schema }) => schema.operationId)).toEqual(['listFormInstances', 'listPatientForms'])
})

describe('the filter by values in an address', () => {
  test('finds a subject when it is written as described', async () => {
    const fields = [aField('nationalId', 'Text', { required: true })]
    const tenant = await subjectTenant({ fields, matchingFields: ['nationalId'], portal: {} })
    for (const nationalId of ['A-1234', 'B-1234'])
      await tenant.post('/api/v2/subject', { CustomFieldValues: texts({ nationalId }) })
    const parameters = Object.values(Object(at('paths', '/api/v2/subject', 'get').parameters))
    const filter = Object(parameters.find(each => Object(each).name === 'customFieldValueFilter.values'))
    expect([filter.style, filter.explode]).toEqual(['deepObject', true])
    expect(filter.schema.additionalProperties).toEqual({ type: 'string' })
    const [[key, value] = []] = Object.entries(filter.schema.examples[0])
    const query = new URLSearchParams({ [`${filter.name}[${key}]`]: String(value) })
    const found = await tenant.get<{ PageInfo: object }>(`/api/v2/subject?${query}`)
    expect(found.body.PageInfo).toMatchObject({ TotalCount: 1 })
  })
})
