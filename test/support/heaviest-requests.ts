// Makes the heaviest requests of operations that their description allows.
import type { FurnishedTenant } from './furnished-tenant.js'
import { largeType, largeValues, orderFields } from './large-tenant.js'
import { type OperationRequest, requestOf } from './operation-requests.js'
import type { Operation, Operations, Schema } from './operations.js'
import { effectiveDate, file, formOf, formType, title } from './records.js'

/** A request that is ready to be sent. */
export interface HeavyRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: Buffer
}

/** How large a body is made, in bytes: a little less than the 32 MB of bulks and files, and than the 1 MB of all other bodies. */
const sizes = [24_000_000, 900_000]

/** Files of all kinds, by content type, of so many bytes, for the operation at a path. */
const files: Record<string, (bytes: number, path: string) => { body: string; type: string }> = {
  'multipart/form-data': bytes => ({
    body: formOf([title(), effectiveDate(), file(`%PDF-1.7${'x'.repeat(bytes)}`)]).toString(),
    type: formType,
  }),
  'application/x-www-form-urlencoded': bytes => ({
    body: `token=${'x'.repeat(Math.min(bytes, sizes[1] ?? 0))}`,
    type: 'application/x-www-form-urlencoded',
  }),
  // Each row is refused, as a whole file of faults is more work than one of people.
  'text/csv': (bytes, path) => {
    const ofPlaces = path.includes('structuralEntity')
    const [header, row] = ofPlaces
      ? ['Key,DisplayName,ParentKey,StructureTypeKey', ',Ward,,none']
      : ['nationalId,givenName,familyName', ',Ada,Byron']
    return { body: `${header}\n${`${row}\n`.repeat(Math.min(bytes, 2_000_000) / (row.length + 1))}`, type: 'text/csv' }
  },
}

/**
 * Makes the heaviest requests of an operation: pages as large as they may be with everything that can be in them, also in the order of
 * a field; and bodies whose lists are as long as they may be.
 */
export function heaviestOf(
  operation: Operation,
  described: Operations,
  { ids, all, platform, prefix }: FurnishedTenant,
) {
  const request = requestOf(operation, described, ids)
  const token = operation.path.startsWith('/admin/') ? platform.token : all.token
  const authorization = { authorization: `Bearer ${token}` }
  // Whatever others have written meanwhile.
  const always = operation.parameters.some(({ name }) => name === 'If-Match') ? { 'if-match': '*' } : {}
  const ready = (each: OperationRequest): HeavyRequest => ({
    method: each.method,
    path: each.path,
    headers: { 'content-type': 'application/json', ...always, ...each.headers, ...authorization },
    ...(each.body === undefined
      ? {}
      : { body: Buffer.from(typeof each.body === 'string' ? each.body : JSON.stringify(each.body)) }),
  })
  const { body, parameters } = operation
  const schema = described.schemaOf(body?.schema ?? {})
  if (body && body.type !== 'application/json') {
    const filled = sizes.flatMap(bytes => files[body.type]?.(bytes, operation.path) ?? [])
    return filled.map(each => ready({ ...request, body: each.body, headers: { 'content-type': each.type } }))
  }
  // A query is a GET with its parameters in the body.
  const isQuery = schema.properties?.First !== undefined
  if (body && !isQuery) {
    const large = withLargeValues(request.body, prefix)
    return sizes.map(bytes => ready({ ...request, body: filled(large, schema, described, bytes) }))
  }
  const named = isQuery
    ? Object.entries(schema.properties ?? {})
    : parameters.flatMap(({ name, in: place, schema }) => (place === 'query' ? [[name, schema] as const] : []))
  const most = named.flatMap(([name, schema]) => {
    const value = mostOf(name, described.schemaOf(schema), described)
    return value === undefined ? [] : [[name, value] as const]
  })
  const ordered = named.some(([name, schema]) => name === 'OrderBy' && !described.schemaOf(schema).enum)
  const orders = ordered ? orderFields.map(OrderBy => ({ OrderBy })) : []
  const members = [{}, ...orders].map(order => ({ ...Object.fromEntries(most), ...order }))
  return members.map(each =>
    ready(
      isQuery ? { ...request, body: { ...Object(request.body), ...each } } : { ...request, path: below(request, each) },
    ),
  )
}

/** Adds parameters to the query of a request. */
function below({ path }: OperationRequest, parameters: Record<string, unknown>): string {
  const url = new URL(path, 'http://localhost')
  for (const [name, value] of Object.entries(parameters))
    for (const each of [value].flat()) url.searchParams.append(name, String(each))
  return `${url.pathname}${url.search}`
}

/** Returns the value of a parameter that makes an answer largest, or undefined if it only makes it smaller. */
function mostOf(name: string, schema: Schema, { schemaOf }: Operations): unknown {
  if (name === 'First') return 1_000
  if (/^include(?!descendants)/i.test(name)) return schema.type === 'boolean' ? true : schemaOf(schema.items ?? {}).enum
  return undefined
}

/** Gives a person or a place, or each of a list, the largest values. */
function withLargeValues(body: unknown, prefix: string): unknown {
  if (isOfValues(body)) return [...body, ...largeValues.languages]
  if (Array.isArray(body)) return body.map(each => withLargeValues(each, prefix))
  if (typeof body !== 'object' || body === null || !('CustomFieldValues' in body)) return body
  if ('StructureTypeKey' in body)
    return { ...body, StructureTypeKey: largeType(prefix), CustomFieldValues: largeValues.entity }
  return { ...body, CustomFieldValues: largeValues.subject }
}

const isOfValues = (list: unknown): list is object[] => Array.isArray(list) && 'Value' in Object(list[0])

/** Fills the lists of a body with copies of their first entries, which have keys of their own, until it has so many bytes. */
function filled(value: unknown, schema: Schema, described: Operations, bytes: number): unknown {
  if (Array.isArray(value)) return copies(value, schema.maxItems, bytes)
  const members = Object.entries(Object(value)).map(([name, member]) => {
    const { maxItems } = described.schemaOf(schema.properties?.[name] ?? {})
    return [name, Array.isArray(member) ? copies(member, maxItems, bytes) : member] as const
  })
  return Object.fromEntries(members)
}

function copies(list: readonly unknown[], maxItems = Number.POSITIVE_INFINITY, bytes: number): readonly unknown[] {
  const [entry] = list
  if (entry === undefined || isOfValues(list)) return list
  const length = Math.min(maxItems, Math.floor(bytes / (JSON.stringify(entry).length + 10)) || 1, 100_000)
  return Array.from({ length }, (_, n) => {
    if (typeof entry === 'string') return n === 0 ? entry : `${entry}-${n}`
    return typeof entry === 'object' && entry !== null && n > 0 ? renamed(entry, n) : entry
  })
}

/** Copies an entry of a list with another name, as most lists have none twice. */
const renamed = (entry: object, n: number) =>
  Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, names.test(name) ? `${value}-${n}` : value]))
const names = /^(key|id|identifier)$/i
