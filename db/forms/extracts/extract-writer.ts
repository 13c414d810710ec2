// Writes one result of an extract as JSON.
import { controlResults } from '../../../forms/extracted.js'
import type { BuildingBlock, FormTemplate } from '../../../forms/template.js'
import type { BlockSelection } from './extracts.js'

/** The part of a submission that stands in every result. */
export interface SubmissionHead {
  instance_id: string
  subject_id: string
  submitted_by: string
  submitted_at: Date
  correlation_id: string | null
}

/** The requested part of a submission. */
export interface Submission {
  head: SubmissionHead
  /** As they are stored, by the key of the building block. */
  documents: ReadonlyMap<string, string>
}

/** Writes a result as JSON text. */
export type ResultWriter = (submission: Submission) => string

/**
 * Makes form extract results (spec forms "Extract result records"), with building blocks in the order of the form.
 * @param selected which blocks and controls; absent: all.
 */
export function formResults(template: FormTemplate, selected?: readonly BlockSelection[]): ResultWriter {
  const chosen = selected && new Map(selected.map(({ key, controlIds }) => [key, controlIds]))
  const blocks = template.buildingBlocks
    .filter(({ key }) => !chosen || chosen.has(key))
    .map(block => {
      const start = `{"key":${JSON.stringify(block.key)},"controls":`
      return { key: block.key, start, controls: controlResults(block, chosen?.get(block.key)) }
    })
  return ({ head, documents }) => {
    const written = blocks.map(({ key, start, controls }) => `${start}${controls(documents.get(key) ?? '{}')}}`)
    return `${headOf(head)},"buildingBlocks":[${written.join(',')}]}`
  }
}

/**
 * Makes building block extract results (spec forms "Extract result records").
 * @param controlIds which; absent: all.
 */
export function blockResults(block: BuildingBlock, controlIds?: readonly string[]): ResultWriter {
  const controls = controlResults(block, controlIds)
  return ({ head, documents }) => `${headOf(head)},"controls":${controls(documents.get(block.key) ?? '{}')}}`
}

/** The common beginning of all results, without the brace at the end. */
const headOf = (head: SubmissionHead): string =>
  JSON.stringify({
    instanceGuid: head.instance_id,
    subjectIdentifier: head.subject_id,
    submittedByUserIdentifier: head.submitted_by,
    submissionDateTime: head.submitted_at,
    correlationId: head.correlation_id,
  }).slice(0, -1)
