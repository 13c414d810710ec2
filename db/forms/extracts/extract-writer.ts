// Writes the results of extracts as JSON.
import { controlResults } from '../../../forms/extracted.js'
import type { BuildingBlock, FormTemplate } from '../../../forms/template.js'
import type { BlockSelection } from './extracts.js'

/** The part of a submission that every result contains. */
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
  /** Stored documents by the key of their building block. */
  documents: ReadonlyMap<string, string>
}

/** Writes a result as JSON text. */
export type ResultWriter = (submission: Submission) => string

/**
 * Creates the writer of form extract results (spec forms "Extract result records"). Building blocks are in the order of the form.
 * @param selected limits the results to these building blocks and controls.
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
 * Creates the writer of building block extract results (spec forms "Extract result records").
 * @param controlIds limits the results to these controls.
 */
export function blockResults(block: BuildingBlock, controlIds?: readonly string[]): ResultWriter {
  const controls = controlResults(block, controlIds)
  return ({ head, documents }) => `${headOf(head)},"controls":${controls(documents.get(block.key) ?? '{}')}}`
}

/** Writes the members that all results begin with, without the closing brace. */
const headOf = (head: SubmissionHead): string =>
  JSON.stringify({
    instanceGuid: head.instance_id,
    subjectIdentifier: head.subject_id,
    submittedByUserIdentifier: head.submitted_by,
    submissionDateTime: head.submitted_at,
    correlationId: head.correlation_id ?? undefined,
  }).slice(0, -1)
