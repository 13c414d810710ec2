// Bodies and paths of extracts.
import type { Api, Reply } from './api.js'

/** A value as extracts show it. */
export interface ExtractedValue {
  type: string
  repeatIterationIndex: number | null
  [member: string]: unknown
}

export interface ControlResult {
  id: string
  label: string
  dataType: string
  values: ExtractedValue[]
}

/** A result: of a form with `buildingBlocks`, of a building block with `controls`. */
export interface ExtractResult {
  instanceGuid: string
  subjectIdentifier: string
  submittedByUserIdentifier: string
  submissionDateTime: string
  correlationId: string | null
  buildingBlocks?: { key: string; controls: ControlResult[] }[]
  controls?: ControlResult[]
}

export interface ExtractBody {
  results: { identifier: string; type: 'form' | 'building-block'; results: ExtractResult[] }[]
}

export const extractPath = '/api/v2.0/extract'

/** Of the extract of one instance of a subject. */
export const instanceExtractPath = (subject: string, guid: string) =>
  `${extractPath}/subject/${subject}/instance/${guid}`

/** Runs an extract, waiting for it. */
export const extract = (client: Api, body: object, headers: Record<string, string> = {}): Promise<Reply<ExtractBody>> =>
  client.post<ExtractBody>(extractPath, body, headers)

/** Runs an extract and insists. @returns the instances of each definition, in their order. */
export async function extractedIds(client: Api, body: object): Promise<string[][]> {
  const { status, body: answer } = await extract(client, body)
  if (status !== 200) throw new Error(JSON.stringify(answer))
  return answer.results.map(({ results }) => results.map(({ instanceGuid }) => instanceGuid))
}

/** The texts of each control of each building block. */
export const textsIn = ({ buildingBlocks = [] }: ExtractResult) =>
  Object.fromEntries(
    buildingBlocks.map(({ key, controls }) => [
      key,
      Object.fromEntries(controls.map(({ id, values }) => [id, values.map(({ value }) => value)])),
    ]),
  )
