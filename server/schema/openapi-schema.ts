// Converts internal schemas into published JSON Schema.

type Json = Record<string, unknown>

/** Tells whether a keyword holds data, in which nothing is a schema. */
const isData = (keyword: string) => ['examples', 'default', 'enum', 'const'].includes(keyword)

/**
 * Converts a schema for publication. Schemas with a name (`$id`) move to `definitions` and are referenced below
 * `place`. Our own keywords (`publish`, `exact`, `lowerCase`, `nfc`, `nfcNames`, `fromRead`, `listOfOne`) are resolved. The
 * result is written in a form that client generators understand.
 */
export function openapiSchema(schema: unknown, definitions: Json, place: string): unknown {
  if (Array.isArray(schema)) return schema.map(each => openapiSchema(each, definitions, place))
  if (typeof schema !== 'object' || schema === null) return schema
  const {
    $id,
    publish,
    exact: _,
    lowerCase: __,
    nfc: ___,
    fromRead: ____,
    listOfOne: _____,
    nfcNames: ______,
    ...rest
  } = schema as Json & { $id?: string; publish?: object }
  const members = Object.entries(forGenerators({ ...rest, ...publish })).filter(([name]) => !name.startsWith('~'))
  const each = (value: unknown) => openapiSchema(value, definitions, place)
  const plain = () =>
    Object.fromEntries(
      members.map(([keyword, value]) => {
        if (isData(keyword)) return [keyword, value]
        // The names in `properties` are not keywords.
        if (keyword === 'properties' && isRecord(value)) return [keyword, mapped(value, each)]
        return [keyword, each(value)]
      }),
    )
  if ($id === undefined) return plain()
  definitions[$id] ??= plain()
  return { $ref: `${place}${$id}` }
}

/**
 * Rewrites a schema in a form that client generators understand. A list of texts gets a type, values by name become
 * `additionalProperties`, and a scalar or null becomes one type.
 */
function forGenerators(schema: Json): Json {
  const { enum: texts, pattern, patternProperties, ...rest } = nullable(schema)
  const isTexts = Array.isArray(texts) && rest.type === undefined && texts.every(each => typeof each === 'string')
  return {
    ...(isTexts ? { type: 'string' } : {}),
    ...(texts === undefined ? {} : { enum: texts }),
    ...(pattern === undefined ? {} : { pattern: typeof pattern === 'string' ? portable(pattern) : pattern }),
    ...rest,
    ...(isRecord(patternProperties) ? valuesByName(patternProperties) : {}),
  }
}

const mapped = (record: Json, each: (value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, each(value)]))

/** Converts `anyOf` of a scalar and null into `type: [scalar, null]`. */
function nullable(schema: Json): Json {
  const { anyOf, ...rest } = schema
  const [scalar, none, ...more] = Array.isArray(anyOf) ? anyOf : []
  if (!isRecord(scalar) || !isScalar(scalar) || none?.type !== 'null' || more.length > 0) return schema
  return { ...scalar, ...rest, type: [scalar.type, 'null'] }
}

/** Tells whether a schema is a scalar without a list of values and without keywords of our own. */
const isScalar = (schema: Json): boolean =>
  ['string', 'integer', 'number', 'boolean'].includes(String(schema.type)) &&
  Object.keys(schema).every(keyword => scalarKeywords.has(keyword) || keyword.startsWith('~'))
const scalarKeywords = new Set('type description format pattern minLength maxLength minimum maximum'.split(' '))

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** Converts a TypeBox record, which has one pattern for names. */
function valuesByName(patternProperties: Json): Json {
  const [[names, value] = ['', {}]] = Object.entries(patternProperties)
  const isAnyName = names === '^.*$'
  return { ...(isAnyName ? {} : { propertyNames: { pattern: portable(names) } }), additionalProperties: value }
}

/**
 * Replaces the class `\p{C}` by the control characters, because Python has no Unicode classes. The published pattern
 * therefore accepts slightly more.
 */
const portable = (pattern: string): string => pattern.replaceAll('\\p{C}', '\\x00-\\x1f\\x7f-\\x9f')

/** Returns a schema with everything it refers to as a JSON Schema document (draft 2020-12). */
export function jsonSchema(schema: object, title: string): Json {
  const $defs: Json = {}
  const root = openapiSchema(schema, $defs, '#/$defs/') as Json
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...root, $defs }
}
