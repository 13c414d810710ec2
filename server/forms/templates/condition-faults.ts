// Validates the conditions and calculations of a form template.
import { checkValue } from '../../../forms/check.js'
import { textsOf } from '../../../forms/conditions.js'
import { scaled } from '../../../forms/decimal.js'
import type { Calculation, Condition, Control, DataType } from '../../../forms/template.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import { checkable } from './control-faults.js'
import type { ControlPath } from './control-paths.js'

/** The controls of a form by id. If several share an id, it is the first of them. */
export type Known = ReadonlyMap<string, ControlPath>

/**
 * Checks a reference to a control, which must be able to have a value and come earlier, in the same repeat or one
 * around it.
 */
function referenceFault(id: string, pointer: string, from: ControlPath, known: Known): Fault | undefined {
  const named = known.get(id)
  if (!named?.control) return fault(pointer, 'unknown-control', `There is no control '${id}'.`)
  if (!named.control.couldHaveValue) return fault(pointer, 'no-value', `'${id}' is only read and never has a value.`)
  if (named.order >= from.order) return fault(pointer, 'later-control', `'${id}' does not stand before this.`)
  const inner = named.around.find((repeat, n) => repeat !== from.around[n])
  if (!inner) return undefined
  return fault(pointer, 'other-repeat', `'${id}' stands in the repeat '${inner.id}', and this does not.`)
}

const isNumber = (text: string): boolean => scaled(text) !== undefined

/** True for a control whose value, if any, is a single number. */
function isNumeric({ dataType, options, allowOther, couldHaveMultipleValues }: Control): boolean {
  if (couldHaveMultipleValues) return false
  return (
    ['integer', 'decimal'].includes(dataType) ||
    (!allowOther && (options?.every(({ value }) => isNumber(value)) ?? false))
  )
}

const noNumber = (id: string, pointer: string): Fault =>
  fault(pointer, 'not-a-number', `'${id}' is no integer or decimal, nor a choice of one number.`)

const comparisons = ['equals', 'in', 'answered', 'atLeast', 'atMost'] as const
const subjects = ['control', 'context', 'all', 'any', 'not'] as const
const givenOf = <Name extends string>(condition: Partial<Record<Name, unknown>>, names: readonly Name[]): Name[] =>
  names.filter(name => condition[name] !== undefined)

/**
 * Finds every fault of a condition, nested ones included.
 * @param from the part of the form that the condition belongs to.
 */
export function conditionFaults(condition: Condition, at: string, from: ControlPath, known: Known): Fault[] {
  const { control, all, any, not } = condition
  const inner = [
    ...(all ?? []).map((each, n) => [each, `${at}/all/${n}`] as const),
    ...(any ?? []).map((each, n) => [each, `${at}/any/${n}`] as const),
    ...(not ? [[not, `${at}/not`] as const] : []),
  ].flatMap(([each, pointer]) => conditionFaults(each, pointer, from, known))
  const named = givenOf(condition, subjects)
  const compared = givenOf(condition, comparisons)
  if (named.length !== 1) {
    const what = named.length === 0 ? 'none is' : `${named.join(', ')} are`
    return [...inner, fault(at, 'one-of', `A condition says exactly one of ${subjects.join(', ')}; ${what} given.`)]
  }
  const isCompared = control !== undefined || condition.context !== undefined
  if (compared.length !== (isCompared ? 1 : 0)) {
    const max = isCompared ? `exactly one of ${comparisons.join(', ')}` : 'no comparison of its own'
    return [
      ...inner,
      fault(at, 'one-of', `Beside ${named[0]} stands ${max}; ${compared.join(', ') || 'none'} is given.`),
    ]
  }
  if (control === undefined) return inner
  const wrong = referenceFault(control, `${at}/control`, from, known)
  if (wrong) return [wrong]
  const comparedControl = known.get(control)?.control
  return comparedControl ? comparisonFaults(condition, comparedControl, at) : []
}

/** Data types whose values have no text to compare. */
const wordless: readonly DataType[] = ['geolocation', 'annotated-image', 'data-url']

function comparisonFaults({ equals, in: among, atLeast, atMost }: Condition, named: Control, at: string): Fault[] {
  const { id, dataType } = named
  const values = [
    ...(equals === undefined ? [] : [[equals, `${at}/equals`] as const]),
    ...(among ?? []).map((value, n) => [value, `${at}/in/${n}`] as const),
  ]
  if (wordless.includes(dataType) && (values.length > 0 || atLeast !== undefined || atMost !== undefined)) {
    return [fault(at, 'wrong-comparison', `Of '${id}', which is ${dataType}, only answered can be asked.`)]
  }
  if ((atLeast !== undefined || atMost !== undefined) && !isNumeric(named)) return [noNumber(id, `${at}/control`)]
  return values.flatMap(([value, pointer]) => neverEqual(value, named, pointer))
}

/** Reports a value that the control can never have, because it would be refused or is not in the normalized spelling. */
function neverEqual(text: string, control: Control, pointer: string): Fault[] {
  const checked = checkValue({ ...checkable(control), couldHaveMultipleValues: false }, text, 'en')
  if ('code' in checked) {
    return [fault(pointer, 'never-equal', `'${control.id}' never has the value '${text}'. ${checked.detail}`)]
  }
  const [written = ''] = textsOf(checked.content)
  return written === text
    ? []
    : [fault(pointer, 'never-equal', `Write it as the values of '${control.id}' are written: '${written}'.`)]
}

/** Finds every fault of a calculation. @param from the place of the calculated control. */
export function calculationFaults(control: Control, from: ControlPath, known: Known, language: string): Fault[] {
  const { sum, bands }: Calculation = control.calculate ?? {}
  const at = `${from.at}/calculate`
  if ((sum === undefined) === (bands === undefined)) return [fault(at, 'one-of', 'Give either sum or bands.')]
  const faults = (sum ?? []).flatMap((id, n) => summandFaults(id, `${at}/sum/${n}`, control, from, known))
  if (sum && !['integer', 'decimal', 'string'].includes(control.dataType)) {
    faults.push(
      fault(`${from.at}/dataType`, 'not-a-number', `A sum is an integer or decimal, not a ${control.dataType}.`),
    )
  }
  if (!bands) return faults
  const list = bands.bands
  return [
    ...numberFaults(bands.of, `${at}/bands/of`, from, known),
    ...list.flatMap(({ upTo, value }, n) => {
      const here = `${at}/bands/bands/${n}`
      const before = list[n - 1]?.upTo ?? -Infinity
      const checked = checkValue(checkable(control), value, language)
      return [
        ...(upTo === undefined && n < list.length - 1
          ? [fault(`${here}/upTo`, 'required', 'Only the last band has no upTo.')]
          : []),
        ...(upTo !== undefined && upTo <= before
          ? [fault(`${here}/upTo`, 'not-ascending', `It is not more than ${before}, where the band before it ends.`)]
          : []),
        ...('code' in checked ? [fault(`${here}/value`, checked.code, checked.detail)] : []),
      ]
    }),
  ]
}

function numberFaults(id: string, pointer: string, from: ControlPath, known: Known): Fault[] {
  const wrong = referenceFault(id, pointer, from, known)
  if (wrong) return [wrong]
  const named = known.get(id)?.control
  return named && isNumeric(named) ? [] : [noNumber(id, pointer)]
}

function summandFaults(id: string, pointer: string, total: Control, from: ControlPath, known: Known): Fault[] {
  const wrong = numberFaults(id, pointer, from, known)
  if (wrong.length > 0 || total.dataType !== 'integer') return wrong
  const { dataType, options } = known.get(id)?.control ?? total
  const isWhole =
    dataType === 'integer' || (dataType !== 'decimal' && options?.every(({ value }) => /^-?\d+$/.test(value)))
  return isWhole ? [] : [fault(pointer, 'not-whole', `'${id}' may have a fraction, and the sum is an integer.`)]
}
