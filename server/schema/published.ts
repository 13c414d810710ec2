// Converts internal schemas into published JSON Schema.

type Json = Record<string, unknown>

/**
 * A published pattern for a text without blanks at its ends. Python and Rust refuse `\p{C}`, `[^]` and look-ahead, so it
 * stands for the exact pattern, which also refuses control characters.
 */
export const plainEnds = '^\\S([\\s\\S]*\\S)?$'

/**
 * Converts a schema for publication. Schemas with a name (`$id`) move to `definitions` and are referenced below
 * `place`. Our own keywords (`publish`, `exact`, `lowerCase`, `fromRead`) are resolved.
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
  const members = Object.entries({ ...asMap(rest), ...typeOfEnum(rest), ...publish })
    // Members of TypeBox.
    .filter(([name]) => !name.startsWith('~'))
  const plain = () => Object.fromEntries(members.map(([name, value]) => [name, published(value, definitions, place)]))
  if ($id === undefined) return plain()
  definitions[$id] ??= plain()
  return { $ref: `${place}${$id}` }
}

/** A map as generators of clients know it: they read `additionalProperties`, and skip the `patternProperties` of TypeBox. */
function asMap({ patternProperties, ...rest }: Json): Json {
  const [[pattern, value] = []] = Object.entries(Object(patternProperties))
  if (pattern === undefined) return rest
  return { ...rest, additionalProperties: value, ...(pattern === anyName ? {} : { propertyNames: { pattern } }) }
}

/** The pattern of a map whose names are not restricted. */
const anyName = '^.*$'

/** Generators make a type of text of an enumeration that says so. */
const typeOfEnum = ({ enum: values }: Json): Json =>
  Array.isArray(values) && values.every(value => typeof value === 'string') ? { type: 'string' } : {}

/** A schema with all it refers to, as a JSON Schema document of its own (draft 2020-12). */
export function jsonSchema(schema: object, title: string): Json {
  const $defs: Json = {}
  const root = published(schema, $defs, '#/$defs/') as Json
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...root, $defs }
}
