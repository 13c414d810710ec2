// Reads query parameters by a schema.
import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Fault, invalid, pointerPart } from '../../runtime/problems/problem.js'
import { faultsOf } from '../../runtime/schema/faults.js'
import { storedKey } from '../../runtime/schema/key.js'
import { memberOf } from '../../runtime/schema/member-of.js'

interface Parameter {
  type?: string
  enum?: string[]
  lowerCase?: boolean
  nfc?: boolean
  items?: Parameter
}

/**
 * Creates a function that reads query parameters by a schema: names in any letter case, numbers and booleans from text,
 * arrays by repetition, objects of arrays from `name[key]`.
 * @throws Problem 400 with every fault. Unknown parameters are faults, so that no filter is silently ignored.
 */
export function readQuery(schema: TObject | undefined): (given: URLSearchParams) => Record<string, unknown> {
  const properties = (schema?.properties ?? {}) as Record<string, Parameter>
  const names = new Map(Object.keys(properties).map(name => [name.toLowerCase(), name]))
  const validator = schema && Compile(schema)
  return given => {
    const faults: Fault[] = []
    const values: Record<string, unknown> = {}
    for (const [written, text] of given) {
      // In `name[key]`, the key is taken literally, in NFC as all keys.
      const [, base = written, key] = /^([^[\]]+)\[(.*)\]$/s.exec(written) ?? []
      const name = names.get(base.toLowerCase())
      const parameter = name === undefined ? undefined : properties[name]
      if (name === undefined || !parameter || (parameter.type === 'object') !== (key !== undefined)) {
        faults.push({
          pointer: `/query/${pointerPart(written)}`,
          code: 'unknown-parameter',
          detail: `The parameter ${written} is not known here.`,
        })
      } else if (key !== undefined) {
        const held = (values[name] ?? Object.create(null)) as Record<string, string[]>
        const field = storedKey(key)
        values[name] = { ...held, [field]: [...(Object.hasOwn(held, field) ? (held[field] ?? []) : []), text] }
      } else if (parameter.type === 'array') {
        values[name] = [...((values[name] as unknown[] | undefined) ?? []), fromText(parameter.items ?? {}, text)]
      } else if (name in values) {
        faults.push({
          pointer: `/query/${name}`,
          code: 'duplicate-parameter',
          detail: `The parameter ${name} is given twice.`,
        })
      } else {
        values[name] = fromText(parameter, text)
      }
    }
    if (validator && !validator.Check(values)) {
      for (const fault of faultsOf(validator.Errors(values), { value: values, original: pointer => pointer }, schema)) {
        const hasBlank = fault.code === 'wrong-format' && String(valueAt(values, fault.pointer)).includes(' ')
        const detail = hasBlank ? `${fault.detail} ${plusHint}` : fault.detail
        faults.push({ ...fault, detail, pointer: `/query${fault.pointer}` })
      }
    }
    if (faults.length > 0) throw invalid(faults)
    return values
  }
}

const plusHint = 'A bare + in an address means a blank: write + as %2B.'

/** Returns the value at a pointer into the parameters, such as `/UpdatedFrom` or `/Ids/0`. */
const valueAt = (values: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((value, part) => memberOf(value, part), values)

/**
 * Converts a text to a parameter's type. A text of another type is returned unchanged, so that the validation reports
 * it. Enum values and guids match in any letter case, and keys are put into NFC.
 */
function fromText({ type, enum: allowed, lowerCase, nfc }: Parameter, text: string): unknown {
  if (type === 'integer' || type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return { true: true, false: false }[text.toLowerCase()] ?? text
  if (allowed) return allowed.find(value => value.toLowerCase() === text.toLowerCase()) ?? text
  if (nfc) return storedKey(text)
  return lowerCase ? text.toLowerCase() : text
}
