// Validates a form template beyond its schema.
import type { FormTemplate, Repeat } from '../../../forms/template.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import { duplicateKeys } from '../../schema/duplicate-keys.js'
import { calculationFaults, conditionFaults, type Known } from './condition-faults.js'
import { controlFaults } from './control-faults.js'
import { type ControlPath, pathsOf } from './control-paths.js'
import { initialSize, largestPage } from './page-size.js'

/** Highest number of controls in a form. */
const maxControls = 2_000
/** Largest template, in MB. It is limited because published templates are kept in memory. */
const maxMegabytes = 8

/**
 * Ids that controls cannot have: other fields of the page, and members of every object or of a browser's forms that
 * scripts use.
 */
const reservedIds = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  ...['action', 'etag', 'ticket', 'token', 'form-template'],
  ...[
    'addEventListener',
    'dataset',
    'elements',
    'method',
    'querySelector',
    'querySelectorAll',
    'requestSubmit',
    'submit',
  ],
])

/** Finds the faults of a template that its schema cannot find. */
export function templateFaults(template: FormTemplate): Fault[] {
  const places = pathsOf(template)
  const controls = places.filter(({ kind }) => kind === 'control')
  if (controls.length > maxControls) {
    const detail = `A form has at most ${maxControls} controls; this has ${controls.length}.`
    return [fault('/buildingBlocks', 'too-many', detail)]
  }
  const size = Buffer.byteLength(JSON.stringify(template))
  if (size > maxMegabytes * 2 ** 20) {
    return [fault('', 'too-large', `A template has at most ${maxMegabytes} MB; this has ${size} bytes.`)]
  }
  if (initialSize(template) > largestPage) {
    const detail = 'The form has more controls, options and minimum iterations than fit on a page.'
    return [fault('/buildingBlocks', 'too-many', detail)]
  }
  const known: Known = new Map(controls.map(place => [place.id, place] as const).reverse())
  return [
    ...keyFaults(template),
    ...idFaults(template, places),
    ...places.flatMap(place => placeFaults(place, template.language, known)),
  ]
}

const keyFaults = ({ key }: FormTemplate): Fault[] =>
  key.toLowerCase() === 'availableforms'
    ? [fault('/key', 'reserved-key', `The list of forms has the address that '${key}' would have.`)]
    : []

/** Finds duplicate and reserved ids. Ids are names of XML elements, of fields of the page, and of members in requests. */
function idFaults({ buildingBlocks }: FormTemplate, places: readonly ControlPath[]): Fault[] {
  const inForm = places.filter(({ kind }) => kind !== 'section')
  return [
    ...duplicateKeys(idsOf(buildingBlocks, 'key'), n => `/buildingBlocks/${n}/key`, 'building block'),
    ...buildingBlocks.flatMap(({ key }, n) =>
      key === 'context' || key === 'preamble'
        ? [fault(`/buildingBlocks/${n}/key`, 'reserved-id', `In the XML another element is called ${key}.`)]
        : [],
    ),
    ...buildingBlocks.flatMap(({ sections }, b) =>
      duplicateKeys(idsOf(sections, 'id'), n => `/buildingBlocks/${b}/sections/${n}/id`, 'section'),
    ),
    ...duplicateKeys(idsOf(inForm, 'id'), n => `${inForm[n]?.at}/id`, 'id'),
    ...inForm
      .filter(({ id }) => reservedIds.has(id))
      .map(({ at, id }) => fault(`${at}/id`, 'reserved-id', `'${id}' means something else on the page of a form.`)),
  ]
}

const idsOf = <Name extends string>(all: readonly Record<Name, string>[], name: Name): string[] =>
  all.map(each => each[name])

const placeFaults = (place: ControlPath, language: string, known: Known): Fault[] => [
  ...(place.relevant ? conditionFaults(place.relevant, `${place.at}/relevant`, place, known) : []),
  ...(place.repeat ? repeatFaults(place.repeat, place.at) : []),
  ...(place.control ? controlFaults(place.control, language, place.at) : []),
  ...(place.control?.calculate && place.control.couldHaveValue
    ? calculationFaults(place.control, place, known, language)
    : []),
]

const repeatFaults = ({ minIterations, maxIterations, controls, repeats }: Repeat, at: string): Fault[] => [
  ...(maxIterations !== null && minIterations > maxIterations
    ? [fault(`${at}/minIterations`, 'crossed', 'minIterations is more than maxIterations.')]
    : []),
  ...(controls.length + repeats.length === 0
    ? [fault(`${at}/controls`, 'required', 'A repeat has a control, or a repeat in it.')]
    : []),
]
