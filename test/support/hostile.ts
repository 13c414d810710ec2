// Makes random request bodies that try to break the API, from the schemas of its description.

/** A JSON Schema of the description. Has only the members that are needed to make values. */
export interface Schema {
  $ref?: string
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  maxProperties?: number
  items?: Schema
}

/** Texts that have broken programs before. */
// biome-ignore format: a table
const hostileTexts = [
  '', ' ', 'a ', '\t', '\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\ufeff', '\u202e', '😀', '👩‍👩‍👧‍👦'.repeat(40), 'é', 'e\u0301',
  "' OR 1=1 -- ", '"; DROP TABLE jobs; --', '`', '\\', "\\'", '%', '_', '?', '??', ':id', '{{7*7}}', '<script>',
  '../../etc/passwd', '__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'null', 'NaN', '-0', '1e999',
  'a'.repeat(255), 'a'.repeat(256), 'é'.repeat(256), 'a'.repeat(70_000), '2016-12-31T23:59:60Z', '2024-02-30', '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999999-23:59', '275761-01-01T00:00:00Z', '24:00:00', '12:60:60+99:99', 'W10.AAAAAAAAAAAAAAAA',
]

/** Marks JSON that JSON.stringify would never write, such as `1e999`. {@link jsonText} puts it into the text unchanged. */
const raw = (text: string) => `@raw:${text}`

const deep = (levels: number): unknown => (levels === 0 ? [] : [deep(levels - 1)])

// biome-ignore format: a table
const hostileValues: unknown[] = [
  null, true, false, 0, -1, 1.5, -0, 1e308, 5e-324, 2 ** 31, 2 ** 53, -(2 ** 63), raw('1e999'), raw('-1E400'), raw('0.1234567890123456789012345678901234567890'),
  raw('123456789012345678901234567890'), [], [[]], [null], {}, { '': '' }, { length: 2 }, { toString: 'x' }, raw('{"__proto__":{"Key":"x"}}'),
  raw('{"Decimal":1.00000000000000000000001}'), raw('{"Key":1,"key":2}'), deep(200), Object.fromEntries(hostileTexts.slice(0, 40).map(text => [text, text])),
]

/** Serializes a value, including what {@link raw} has marked. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/"@raw:((?:[^"\\]|\\.)*)"/g, (_, text: string) => JSON.parse(`"${text}"`))

/** How deep lists and objects are nested at most. */
const maxDepth = 9

/**
 * Makes random values. Most parts of them fit their schema; some do not.
 * @param random returns numbers from 0 to below 1.
 * @param words texts to use, such as keys that exist.
 */
export function hostileMaker(random: () => number, schemas: Record<string, Schema>, words: readonly string[]) {
  const pick = <T>(from: readonly T[]): T => {
    const found = from[Math.floor(random() * from.length)]
    if (found === undefined) throw new Error('Nothing to pick from')
    return found
  }
  const text = () => (random() < 0.7 ? pick(words) : pick(hostileTexts))

  /** @param depth how deep the value is nested. It ends schemas that refer to themselves. */
  function value(schema: Schema, depth = 0): unknown {
    if (random() < 0.04) return random() < 0.5 ? pick(hostileValues) : pick(hostileTexts)
    if (schema.$ref) return value(schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {}, depth)
    if (schema.enum) return pick(schema.enum)
    if (depth > maxDepth && (schema.properties || schema.items)) return schema.items ? [] : {}
    if (schema.anyOf) return value(pick(schema.anyOf), depth)
    if (schema.allOf) return value(pick(schema.allOf), depth)
    // An input value has exactly one member, named after its data type.
    if (schema.properties && schema.maxProperties === 1 && random() < 0.95) {
      const [name, one] = pick(Object.entries(schema.properties))
      return { [name]: value(one, depth + 1) }
    }
    if (schema.properties) return members(schema.properties, depth + 1)
    if (schema.items)
      return Array.from({ length: Math.floor(random() * 4) }, () => value(schema.items ?? {}, depth + 1))
    if (schema.type === 'boolean') return random() < 0.5
    if (schema.type === 'integer' || schema.type === 'number') return pick([0, 1, 2, 20, -1, 2.5, 2 ** 53])
    return schema.type === 'null' ? null : text()
  }

  const members = (properties: Record<string, Schema>, depth: number) =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(() => random() < 0.9)
        .map(([name, schema]) => [random() < 0.05 ? name.toUpperCase() : name, value(schema, depth)]),
    )

  return { text, value, pick }
}
