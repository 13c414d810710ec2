// Makes requests of operations from their description: valid ones that name what a tenant has, and those with one id replaced.
import type { Ids } from './furnished-tenant.js'
import { kindOf } from './id-kinds.js'
import { isOfPlatform, type Operation, type Operations, type Schema } from './operations.js'
import { effectiveDate, file, formOf, formType, title } from './records.js'

/** A place of a request that names something a tenant has. */
export interface Place {
  in: 'path' | 'query' | 'body'
  /** The name of the parameter, or the members and positions that lead to it in the body. */
  at: (string | number)[]
  kind: keyof Ids
  isList: boolean
}

export interface OperationRequest {
  method: string
  path: string
  body?: unknown
  headers: Record<string, string>
}

/** Bodies that are not JSON, and so have no example in the description, by content type. */
const samples: Record<string, { body: string; type: string }> = {
  'multipart/form-data': { body: formOf([title(), effectiveDate(), file('%PDF-1.7')]).toString(), type: formType },
  'application/x-www-form-urlencoded': { body: 'token=none', type: 'application/x-www-form-urlencoded' },
  'text/csv': { body: 'nationalId,givenName,familyName\n1,Ada,Byron\n', type: 'text/csv' },
}

/** Finds all places of an operation's requests, whether its example has them or not. */
export function placesOf(operation: Operation, { schemaOf }: Operations): Place[] {
  const { operationId, parameters, body } = operation
  const inAddress = parameters.flatMap(({ name, in: place, schema }): Place[] => {
    if (place === 'header') return []
    const kind = kindOf(operationId, [name], place === 'path')
    return kind ? [{ in: place, at: [name], kind, isList: schemaOf(schema).type === 'array' }] : []
  })
  const inBody: Place[] = []
  const isText = (schema: Schema) => schemaOf(schema).type === 'string'
  const visit = (given: Schema, at: Place['at'], seen: readonly Schema[]): void => {
    const schema = schemaOf(given)
    if (seen.includes(schema)) return
    const within = [...seen, schema]
    const names = at.map(step => (typeof step === 'number' ? '-' : step))
    const isList = schema.type === 'array' && schema.items !== undefined && isText(schema.items)
    if (isText(schema) || isList) {
      const name = names.length === 0 ? ['-'] : ['body', ...names.filter(step => step !== '-')]
      const kind = kindOf(operationId, name)
      if (kind) inBody.push({ in: 'body', at, kind, isList })
    }
    for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      visit(each, at, seen)
    for (const [name, member] of Object.entries(schema.properties ?? {})) visit(member, [...at, name], within)
    if (schema.items && !isList) visit(schema.items, [...at, 0], within)
  }
  // What an administrator writes names what the tenant is to have.
  if (body?.type === 'application/json' && !isOfPlatform(operation)) visit(body.schema, [], [])
  return [...inAddress, ...inBody]
}

/**
 * Makes a request whose every id is one of these, from the example of the description.
 * @param replaced a place that has another id, and is added if the example lacks it.
 */
export function requestOf(
  operation: Operation,
  operations: Operations,
  ids: Ids,
  replaced?: { place: Place; id: string },
): OperationRequest {
  const places = placesOf(operation, operations)
  const idAt = (place: Place) => (isSame(place, replaced?.place) ? (replaced?.id ?? '') : ids[place.kind])
  const inPath = new Map(places.filter(place => place.in === 'path').map(place => [place.at[0], idAt(place)]))
  const query = places
    .filter(place => place.in === 'query')
    .filter(place => isSame(place, replaced?.place) || isRequired(operation, place))
    .map(place => `${place.at[0]}=${encodeURIComponent(idAt(place))}`)
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(inPath.get(name) ?? ''))
  const request = { method: operation.method, path: query.length > 0 ? `${filled}?${query.join('&')}` : filled }
  const { body } = operation
  if (!body) return { ...request, headers: {} }
  if (body.type !== 'application/json') {
    const sample = samples[body.type]
    if (!sample)
      throw new Error(`${operation.operationId} takes ${body.type}: add a body to test/support/operation-requests.ts.`)
    return body.required
      ? { ...request, body: sample.body, headers: { 'content-type': sample.type } }
      : { ...request, headers: {} }
  }
  // `a/0/b/0/c` leads through the lists `a` and `a/0/b`.
  const lists = places.flatMap(({ at }) => at.flatMap((step, n) => (step === 0 ? [at.slice(0, n).join('/')] : [])))
  let made = firstOnly(body.example ?? {}, place => lists.includes(place))
  for (const place of places.filter(each => each.in === 'body')) {
    const isAsked = isSame(place, replaced?.place)
    if (isAsked || has(made, place.at)) made = withValue(made, place.at, place.isList ? [idAt(place)] : idAt(place))
  }
  return { ...request, body: made, headers: {} }
}

const isSame = (place: Place, other: Place | undefined) =>
  other !== undefined && place.in === other.in && place.at.join('/') === other.at.join('/')

const isRequired = ({ parameters }: Operation, place: Place) =>
  parameters.some(({ name, in: at, required }) => required && at === place.in && name === place.at[0])

/** Copies a value with only the first entry of those lists whose entries have ids, so that none has an id twice. */
function firstOnly(value: unknown, isMeant: (place: string) => boolean, at: readonly string[] = []): unknown {
  if (Array.isArray(value)) {
    const entries = isMeant(at.join('/')) ? value.slice(0, 1) : value
    return entries.map(entry => firstOnly(entry, isMeant, [...at, '0']))
  }
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
  return Object.fromEntries(members.map(([name, member]) => [name, firstOnly(member, isMeant, [...at, name])]))
}

const has = (value: unknown, at: Place['at']): boolean =>
  at.length === 0
    ? Array.isArray(value)
    : at.slice(0, 1).every(step => step in Object(value) && (at.length === 1 || has(Object(value)[step], at.slice(1))))

/** Returns the value with a member replaced or added, and what leads to it. */
function withValue(value: unknown, at: Place['at'], member: unknown): unknown {
  const [step, ...rest] = at
  if (step === undefined) return member
  if (typeof step === 'number') return [withValue(Array.isArray(value) ? value[0] : undefined, rest, member)]
  return { ...Object(value), [step]: withValue(Object(value)[step], rest, member) }
}
