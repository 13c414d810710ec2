// Validates single controls of a form template.
import { checkValue } from '../../../forms/check.js'
import { checks } from '../../../forms/data-types.js'
import { patternFault } from '../../../forms/patterns.js'
import { pictureSize } from '../../../forms/picture.js'
import type { Control, DataType } from '../../../forms/template.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import { duplicateKeys } from '../../schema/duplicate-keys.js'
import { bareControl } from './template-shape.js'

const isOneOf =
  (...types: DataType[]) =>
  ({ dataType }: Control): boolean =>
    types.includes(dataType)
/** True if people can type a value, possibly besides options. */
const isTyped = ({ options, allowOther }: Control): boolean => !options || allowOther
const isRanged = isOneOf('integer', 'decimal', 'date', 'time', 'datetime')
const isText = isOneOf('string', 'html', 'translatable-text-value', 'annotated-image')
const isLine = isOneOf('string', 'translatable-text-value')
const isScalar = isOneOf('integer', 'decimal', 'string', 'boolean', 'date', 'time', 'datetime', 'url')
const isPicture = isOneOf('annotated-image')
const isFile = isOneOf('data-url')
const hasOptions = ({ options }: Control): boolean => options !== undefined

type Member = Exclude<keyof Control, 'id' | 'label' | 'hint' | 'dataType' | 'couldHaveValue' | 'text' | 'relevant'>

/** The controls that each member makes sense for, as a test and in words for the fault. */
const rules: Record<Member, [fits: (control: Control) => boolean, what: string]> = {
  required: [() => true, ''],
  calculate: [isScalar, 'controls whose value is one text'],
  initial: [
    control => !isPicture(control) && !isFile(control) && control.dataType !== 'geolocation' && !control.calculate,
    'what is typed or chosen, and not calculated',
  ],
  options: [control => isScalar(control) && !control.partial, 'scalars (and dates that are not partial)'],
  couldHaveMultipleValues: [control => hasOptions(control) && !control.calculate, 'controls with options'],
  allowOther: [control => hasOptions(control) && !control.calculate, 'controls with options'],
  min: [control => isRanged(control) && isTyped(control), 'numbers, dates, times and datetimes that are typed'],
  max: [control => isRanged(control) && isTyped(control), 'numbers, dates, times and datetimes that are typed'],
  minLength: [control => isText(control) && isTyped(control), 'texts that are typed'],
  maxLength: [control => isText(control) && isTyped(control), 'texts that are typed'],
  pattern: [control => isLine(control) && isTyped(control), 'texts that are typed'],
  multiline: [control => isLine(control) && !hasOptions(control), 'texts that are typed'],
  unit: [isOneOf('integer', 'decimal'), 'numbers'],
  partial: [isOneOf('date'), 'dates'],
  image: [isPicture, 'an annotated-image'],
  imageDescription: [isPicture, 'an annotated-image'],
  mediaTypes: [isFile, 'a data-url'],
  maxBytes: [isFile, 'a data-url'],
  targetLanguage: [isOneOf('translatable-text-value'), 'a translatable-text-value'],
}
const members = Object.keys(rules) as Member[]
const isGiven = (control: Control, member: Member) => control[member] !== undefined && control[member] !== false

/** Finds the faults of a control that do not depend on other controls. @param language of the form. */
export function controlFaults(control: Control, language: string, at: string): Fault[] {
  if (!control.couldHaveValue) return readOnlyFaults(control, at)
  const { dataType, text, image, pattern } = control
  const kind = `${dataType}${control.options ? ' with options' : ''}${control.calculate ? ', calculated' : ''}`
  const senseless = members.filter(member => isGiven(control, member) && !rules[member][0](control))
  const makesSense = (member: Member) => isGiven(control, member) && !senseless.includes(member)
  const dangerous = pattern === undefined ? undefined : patternFault(pattern)
  return [
    ...senseless.map(member =>
      fault(`${at}/${member}`, 'not-for-data-type', `${member} is only for ${rules[member][1]}; this is ${kind}.`),
    ),
    ...(text === undefined
      ? []
      : [fault(`${at}/text`, 'not-for-values', 'Only a control with couldHaveValue false has a text.')]),
    ...(dangerous && makesSense('pattern') ? [fault(`${at}/pattern`, 'pattern', dangerous.replace(/\.?$/, '.'))] : []),
    ...(isPicture(control) && image === undefined
      ? [fault(`${at}/image`, 'required', 'An annotated-image needs its picture.')]
      : []),
    ...(image !== undefined && makesSense('image') ? pictureFaults(image, `${at}/image`) : []),
    ...(makesSense('min') || makesSense('max') ? rangeFaults(control, at) : []),
    ...(makesSense('options') ? optionFaults(control, at) : []),
    ...(makesSense('initial') ? initialFaults(checkable(control), language, at) : []),
    ...((control.minLength ?? 0) > (control.maxLength ?? Infinity)
      ? [fault(`${at}/minLength`, 'crossed', 'minLength is more than maxLength.')]
      : []),
  ]
}

/** Returns a control that values can be checked against. An invalid pattern is left out; it is reported elsewhere. */
export const checkable = (control: Control): Control =>
  control.pattern !== undefined && patternFault(control.pattern) ? { ...control, pattern: undefined } : control

/** Finds the faults of a read-only control, which needs a text and none of the members that are for values. */
const readOnlyFaults = (control: Control, at: string): Fault[] => [
  ...(control.text === undefined
    ? [fault(`${at}/text`, 'required', 'It has no value, so say in text what stands there.')]
    : []),
  ...(control.dataType === 'string'
    ? []
    : [fault(`${at}/dataType`, 'not-for-texts', 'It has no value, so it has no data type.')]),
  ...members
    .filter(member => isGiven(control, member))
    .map(member =>
      fault(`${at}/${member}`, 'not-for-texts', `It has no value (couldHaveValue false), so ${member} says nothing.`),
    ),
]

function rangeFaults({ dataType, min, max }: Control, at: string): Fault[] {
  const bare = bareControl(dataType)
  const ofAnother = (['min', 'max'] as const).flatMap(member => {
    const bound = { min, max }[member]
    const checked = bound === undefined ? undefined : checks[dataType](bare, bound, 'en')
    return checked && 'code' in checked ? [fault(`${at}/${member}`, checked.code, checked.detail)] : []
  })
  if (ofAnother.length > 0 || min === undefined || max === undefined) return ofAnother
  const isCrossed = 'code' in checks[dataType]({ ...bare, max }, min, 'en')
  return isCrossed ? [fault(`${at}/min`, 'crossed', `min (${min}) is more than max (${max}).`)] : []
}

/** The option by which a page offers an answer of one's own. */
const other = '{other}'

function optionFaults({ dataType, options = [] }: Control, at: string): Fault[] {
  const values = options.map(({ value }) => value)
  return [
    ...duplicateKeys(values, n => `${at}/options/${n}/value`, 'option'),
    ...values.flatMap((value, n) => {
      const pointer = `${at}/options/${n}/value`
      if (value.trim() === '' || value === other)
        return [fault(pointer, 'reserved', `An option is not empty, and not ${other}.`)]
      const checked = checks[dataType](bareControl(dataType), value, 'en')
      if (!('content' in checked)) return [fault(pointer, checked.code, checked.detail)]
      return value === value.trim() ? [] : [fault(pointer, 'blanks', 'An option has no blanks at its ends.')]
    }),
  ]
}

function initialFaults(control: Control, language: string, at: string): Fault[] {
  const { value, context } = control.initial ?? {}
  if ((value === undefined) === (context === undefined)) {
    return [fault(`${at}/initial`, 'one-of', 'Give either value or context.')]
  }
  const checked = value === undefined ? undefined : checkValue(control, value, language)
  return checked && 'code' in checked ? [fault(`${at}/initial/value`, checked.code, checked.detail)] : []
}

/** Largest picture in a template, in bytes. */
const maxPictureBytes = 2 ** 20
const mediaTypes = ['image/svg+xml', 'image/png', 'image/jpeg', 'image/gif']

function pictureFaults(image: string, pointer: string): Fault[] {
  const control = { ...bareControl('data-url'), maxBytes: maxPictureBytes, mediaTypes }
  const checked = checks['data-url'](control, image, 'en')
  if ('code' in checked) return [fault(pointer, checked.code, checked.detail)]
  if (pictureSize(image)) return []
  return [fault(pointer, 'no-picture', 'Its content is no picture whose width and height can be read.')]
}
