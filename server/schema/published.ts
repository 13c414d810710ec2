// Converts internal schemas into published JSON Schema.

type Json = Record<string, unknown>

/** Keywords with data, in which nothing is a schema. */
const isData = (keyword: string) => ['examples', 'default', 'enum', 'const'].includes(keyword)

/**
 * Converts a schema for publication. Schemas with a name (`$id`) move to `definitions` and are referenced below
 * `place`. Our own keywords (`publish`, `exact`, `lowerCase`, `fromRead`) are resolved. What generators of clients do not
 * read is written in the way that they read.
 */
export function published(schema: unknown, definitions: Json, place: string): unknown {
  if (Array.isArray(schema)) return schema.map(each => published(each, definitions, place))
  if (typeof schema !== 'object' || schema === null) return schema
  const {
    $id,
    publish,
    exact: _,
    lowerCase: __,
    fromRead: ___,
    ...rest
  } = schema as Json & { $id?: string; publish?: object }
  const members = Object.entries(forGenerators({ ...rest, ...publish })).filter(([name]) => !name.startsWith('~'))
  const each = (value: unknown) => published(value, definitions, place)
  const plain = () =>
    Object.fromEntries(
      members.map(([keyword, value]) => {
        if (isData(keyword)) return [keyword, value]
        // The names below are no keywords.
        if (keyword === 'properties' && isRecord(value)) return [keyword, mapped(value, each)]
        return [keyword, each(value)]
      }),
    )
  if ($id === undefined) return plain()
  definitions[$id] ??= plain()
  return { $ref: `${place}${$id}` }
}

/**
 * The same schema as generators read it: a list of texts has its type, values by name are `additionalProperties`, and a
 * scalar or null is one type.
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

/** `anyOf` a scalar and null as `type: [scalar, null]`. */
function nullable(schema: Json): Json {
  const { anyOf, ...rest } = schema
  const [scalar, none, ...more] = Array.isArray(anyOf) ? anyOf : []
  if (!isRecord(scalar) || !isScalar(scalar) || none?.type !== 'null' || more.length > 0) return schema
  return { ...scalar, ...rest, type: [scalar.type, 'null'] }
}

/** Without a list of values, and without keywords of ours. */
const isScalar = (schema: Json): boolean =>
  ['string', 'integer', 'number', 'boolean'].includes(String(schema.type)) &&
  Object.keys(schema).every(keyword => scalarKeywords.has(keyword) || keyword.startsWith('~'))
const scalarKeywords = new Set('type description format pattern minLength maxLength minimum maximum'.split(' '))

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null

/** A record of TypeBox, which has one pattern of names. */
function valuesByName(patternProperties: Json): Json {
  const [[names, value] = ['', {}]] = Object.entries(patternProperties)
  const isAnyName = names === '^.*$'
  return { ...(isAnyName ? {} : { propertyNames: { pattern: portable(names) } }), additionalProperties: value }
}

/** Of the class `\p{C}` the control characters: Python knows no classes of Unicode. The published pattern takes a bit more. */
const portable = (pattern: string): string => pattern.replaceAll('\\p{C}', '\\x00-\\x1f\\x7f-\\x9f')

/** A schema with all it refers to, as a JSON Schema document of its own (draft 2020-12). */
export function jsonSchema(schema: object, title: string): Json {
  const $defs: Json = {}
  const root = published(schema, $defs, '#/$defs/') as Json
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...root, $defs }
}
