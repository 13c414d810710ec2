import type { TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Fault, invalid, pointerPart } from '../../runtime/problem.js'
import { faultsOf } from './faults.js'

interface Parameter {
  type?: string
  enum?: string[]
}

/**
 * Reads query parameters by a schema: names in any letter case, numbers and booleans from their texts, arrays by repetition.
 * @throws Problem 400 with every fault; an unknown parameter is one, because a filter is never silently ignored.
 */
export function readQuery(schema: TObject | undefined): (given: URLSearchParams) => Record<string, unknown> {
  const properties = (schema?.properties ?? {}) as Record<string, Parameter>
  const names = new Map(Object.keys(properties).map(name => [name.toLowerCase(), name]))
  const validator = schema && Compile(schema)
  return given => {
    const faults: Fault[] = []
    const values: Record<string, unknown> = {}
    for (const [written, text] of given) {
      const name = names.get(written.toLowerCase())
      const parameter = name === undefined ? undefined : properties[name]
      if (name === undefined || !parameter) {
        faults.push({
          pointer: `/query/${pointerPart(written)}`,
          code: 'unknown-parameter',
          detail: `The parameter ${written} is not known here.`,
        })
      } else if (parameter.type === 'array') {
        values[name] = [...((values[name] as unknown[] | undefined) ?? []), text]
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
      faults.push(
        ...faultsOf(validator.Errors(values), values).map(fault => ({ ...fault, pointer: `/query${fault.pointer}` })),
      )
    }
    if (faults.length > 0) throw invalid(faults)
    return values
  }
}

/** A text that is none of the type stays a text, and the check names it. Enum values are found in any letter case. */
function fromText({ type, enum: allowed }: Parameter, text: string): unknown {
  if (type === 'integer' || type === 'number') return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text
  if (type === 'boolean') return { true: true, false: false }[text.toLowerCase()] ?? text
  if (allowed) return allowed.find(value => value.toLowerCase() === text.toLowerCase()) ?? text
  return text
}
