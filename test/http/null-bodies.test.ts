// Null for optional members, at every endpoint.
import { expect, inject, test } from 'vitest'
import { admin, aKey, newTenant, type Problem } from '../support/api.js'

interface Schema {
  $ref?: string
  type?: string
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}
interface Operation {
  operationId: string
  requestBody?: { content: Record<string, { schema: Schema } | undefined> }
}
interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** A key that nothing has: an empty manifest makes a tenant. */
const nobody = aKey()
const made = await newTenant(inject('baseUrl'))
const scopes = ['FrameApi', 'FormsApi', 'FrameGlueDataProviderApi']
const [tenant, platform] = [await made.client(['*'], scopes), await admin(inject('baseUrl'))]
const description = (await tenant.get<Description>('/openapi.json')).body

const resolved = (schema: Schema | undefined): Schema =>
  schema?.$ref ? resolved(description.components.schemas[schema.$ref.split('/').at(-1) ?? '']) : (schema ?? {})

/** The schemas of objects that a body is or holds as items, with the body around one of them. */
function objectsOf(given: Schema): { schema: Schema; around: (item: object) => unknown }[] {
  const schema = resolved(given)
  if (schema.anyOf) return schema.anyOf.flatMap(objectsOf)
  if (schema.items)
    return objectsOf(schema.items).map(({ schema: item, around }) => ({ schema: item, around: one => [around(one)] }))
  return schema.properties ? [{ schema, around: one => one }] : []
}

test('a body with null for its optional members is answered as one without them', async () => {
  const different: object[] = []
  let members = 0
  for (const [path, operations] of Object.entries(description.paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(operations)) {
      const body = requestBody?.content['application/json']?.schema
      if (!body) continue
      const caller = path.startsWith('/admin') ? platform : tenant
      const address = path.replace(/\{(\w+)\}/g, (_, name) =>
        /Id$|Guid$/.test(name) ? '019ac000-0000-7000-8000-000000000000' : nobody,
      )
      const answerTo = async (sent: unknown) => {
        const { status, body } = await caller.send<Problem>(method.toUpperCase(), address, sent)
        return { status, errors: (body?.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`).sort() }
      }
      for (const { schema, around } of objectsOf(body)) {
        const optional = Object.keys(schema.properties ?? {}).filter(name => !schema.required?.includes(name))
        members += optional.length
        const nulls = await answerTo(around(Object.fromEntries(optional.map(name => [name, null]))))
        const without = await answerTo(around({}))
        if (JSON.stringify(nulls) !== JSON.stringify(without)) different.push({ operationId, nulls, without })
      }
    }
  }
  expect(members).toBeGreaterThan(60)
  expect(different).toEqual([])
})
