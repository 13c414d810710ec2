// Rewrites the values of a finished API description, so that clients generated from it also read later releases.

type Json = Record<string, unknown>

/** Keywords that hold data, in which nothing is a schema. */
const dataKeywords = new Set(['examples', 'example', 'default', 'enum', 'const', 'x-extensible-enum'])

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the parts of a schema or of another object of the description in which further schemas may be. */
function partsOf(node: object): unknown[] {
  if (Array.isArray(node)) return node
  return Object.entries(node).flatMap(([keyword, value]) => {
    // The names in `properties` are not keywords.
    if (keyword === 'properties' && isRecord(value)) return Object.values(value)
    return dataKeywords.has(keyword) ? [] : [value]
  })
}

/** Calls `change` once for each object from which `from` leads to, references included. */
function visit(from: unknown, root: Json, change: (node: Json) => void, seen = new Set<object>()): void {
  if (typeof from !== 'object' || from === null || seen.has(from)) return
  seen.add(from)
  if (isRecord(from)) {
    change(from)
    if (typeof from.$ref === 'string') visit(at(root, from.$ref), root, change, seen)
  }
  for (const part of partsOf(from)) visit(part, root, change, seen)
}

/** Returns what a reference such as `#/components/schemas/Job` leads to. */
const at = (root: Json, reference: string): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((node, name) => (isRecord(node) ? node[name] : undefined), root)

/**
 * Opens enumerations and unions in what the API sends: answers, and the events of webhooks. A later release may add
 * values and kinds, and a client generated from this one must read them. A schema that requests use too is opened for
 * both.
 */
export function openWhatIsSent(description: Json): void {
  const answers = [...operationsOf(description.paths)].map(({ responses }) => Object.values(Object(responses)))
  const events = [...operationsOf(description.webhooks)].map(({ requestBody }) => requestBody)
  visit([answers, events], description, schema => {
    openEnumeration(schema)
    openUnion(schema, description)
  })
}

/**
 * Turns an enumeration of texts into a text. Generators make types of an `enum` that refuse all other values, so the known
 * values move to the description and to `x-extensible-enum`.
 */
function openEnumeration(schema: Json): void {
  const { enum: values, type, description } = schema
  if (!Array.isArray(values) || type !== 'string') return
  delete schema.enum
  schema['x-extensible-enum'] = values
  schema.description = [description, `A later release may add values${namesOf(values, description)}.`]
    .filter(Boolean)
    .join(' ')
}

/**
 * Adds an alternative for kinds of later releases to a union of objects that `type` tells apart. It comes last in the
 * alphabet too, because some generators try the alternatives in that order.
 */
function openUnion({ anyOf }: Json, description: Json): void {
  const kindIn = (each: unknown) => {
    const { $ref } = Object(each)
    return Object(Object(Object($ref ? at(description, $ref) : each).properties).type).const
  }
  if (!Array.isArray(anyOf) || !anyOf.every(each => kindIn(each) !== undefined)) return
  anyOf.push({ $ref: '#/components/schemas/UnknownKind' })
  const { schemas } = Object(description.components)
  schemas.UnknownKind ??= {
    type: 'object',
    description: 'A kind that a later release adds.',
    required: ['type'],
    properties: { type: { type: 'string' } },
  }
}

/** How many values a description names. More would bury the rest of it, and `x-extensible-enum` has them all. */
const maxNamedValues = 24

/** Names the values of this release, unless their description does so itself or there are too many. */
function namesOf(values: readonly unknown[], description: unknown): string {
  const isNamed = (value: unknown) =>
    String(description).includes(`\`${String(value).replace(/^.*\/problems\//, '')}\``)
  if (values.length > maxNamedValues || values.every(isNamed)) return ''
  return ` to these: ${values.map(value => `\`${value}\``).join(', ')}`
}

function* operationsOf(paths: unknown): Generator<Json> {
  for (const methods of Object.values(Object(paths)))
    for (const operation of Object.values(Object(methods))) if (isRecord(operation)) yield operation
}

/**
 * Adds a `format` to each number that has none. Integers are `int32` if their limits say that they fit, and all others
 * `int64`; other numbers are `double`. Generators choose their types by it; without it some take 32 bits.
 */
export function nameNumberFormats(description: Json): void {
  visit(description, description, schema => {
    const type = [schema.type].flat().find(each => each === 'integer' || each === 'number')
    if (type === undefined || schema.format !== undefined) return
    schema.format = type === 'number' ? 'double' : fitsInt32(schema) ? 'int32' : 'int64'
  })
}

const fitsInt32 = ({ minimum = 0, maximum = Number.POSITIVE_INFINITY }: Json): boolean =>
  Number(minimum) >= -(2 ** 31) && Number(maximum) < 2 ** 31
