// Converts internal schemas into published JSON Schema.

type Json = Record<string, unknown>

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
  const members = Object.entries({ ...rest, ...publish }).filter(([name]) => !name.startsWith('~'))
  const plain = () => Object.fromEntries(members.map(([name, value]) => [name, published(value, definitions, place)]))
  if ($id === undefined) return plain()
  definitions[$id] ??= plain()
  return { $ref: `${place}${$id}` }
}

/** A schema with all it refers to, as a JSON Schema document of its own (draft 2020-12). */
export function jsonSchema(schema: object, title: string): Json {
  const $defs: Json = {}
  const root = published(schema, $defs, '#/$defs/') as Json
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title, ...root, $defs }
}
