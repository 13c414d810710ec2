// Records the examples of the API description from calls of tests.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'

/** The first request of an operation with a JSON body, and its first answer with each status. */
interface Example {
  request?: unknown
  answers: Record<string, unknown>
}

/** How many entries of a list an example has. */
const maxEntries = 2

/** Replaces 32 random bytes in base64, such as a secret that is shown only once. */
const secret = 'x'.repeat(43)

/** Shortens lists, and replaces values that differ in each run of the tests. */
function cleaned(value: unknown, tenantKey: string): unknown {
  const text = JSON.stringify(value, (_, each) => (Array.isArray(each) ? each.slice(0, maxEntries) : each))
  return JSON.parse(
    text
      .replaceAll(tenantKey, 'demo')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://armature.example')
      .replaceAll(/(?<=[_"=])[\w-]{43}(?=")/g, secret),
  )
}

/** Creates a recorder of the examples in `server/examples/{name}.json`, which the description includes. */
export function exampleRecorder(name: string) {
  const examples: Record<string, Example> = {}
  const namesIn = (all: Record<string, Example>) =>
    Object.entries(all).flatMap(([id, { request, answers }]) => [
      ...(request === undefined ? [] : [`${id} request`]),
      ...Object.keys(answers).map(status => `${id} ${status}`),
    ])
  return {
    /** @param request undefined if it is not JSON. */
    add(operationId: string, status: number, { request, answer }: { request?: unknown; answer?: unknown }): void {
      examples[operationId] ??= { answers: {} }
      const example = examples[operationId]
      if (request !== undefined) example.request ??= request
      if (answer !== undefined) example.answers[status] ??= answer
    },
    /**
     * Asserts that the file has examples for exactly the recorded operations and statuses. Their content is not compared, because ids
     * and times differ in each run; another test checks the examples against their schemas. If RECORD_EXAMPLES is set, the file is
     * written first.
     */
    async finish(tenantKey: string): Promise<void> {
      const file = join(projectRoot, 'server', 'examples', `${name}.json`)
      if (process.env.RECORD_EXAMPLES) {
        const lines = Object.entries(examples)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([id, example]) => `${JSON.stringify(id)}: ${JSON.stringify(cleaned(example, tenantKey))}`)
        await writeFile(file, `{\n${lines.join(',\n')}\n}\n`)
      }
      const recorded: Record<string, Example> = JSON.parse(await readFile(file, 'utf8'))
      expect(namesIn(recorded).sort(), 'RECORD_EXAMPLES=1 records them anew').toEqual(namesIn(examples).sort())
    },
  }
}
