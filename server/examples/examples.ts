// Adds examples to the API description. Tests record them from real calls (test/support/recorded-examples.ts).
import { readFileSync } from 'node:fs'

type Json = Record<string, unknown>

interface Example {
  request?: unknown
  /** Bodies by status. */
  answers: Record<string, unknown>
}

const readExamples = (name: string): Record<string, Example> =>
  JSON.parse(readFileSync(new URL(`${name}.json`, import.meta.url), 'utf8'))

/** Adds the examples of an operation to its JSON bodies. */
export function addExamples(operation: Json): void {
  const { request, answers } = examples[String(operation.operationId)] ?? { answers: {} }
  const add = (body: unknown, example: unknown) => {
    const media = Object(Object(body).content)['application/json']
    if (media && example !== undefined) media.example = example
  }
  add(operation.requestBody, request)
  for (const [status, example] of Object.entries(answers)) add(Object(operation.responses)[status], example)
}

const examples = { ...readExamples('frame'), ...readExamples('forms') }
