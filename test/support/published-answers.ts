// Compares answers with the published description.
import { Compile } from 'typebox/schema'
import { expect } from 'vitest'
import type { Api, Reply } from './api.js'
import type { exampleRecorder } from './recorded-examples.js'

type ExampleRecorder = ReturnType<typeof exampleRecorder>

interface Described {
  paths: Record<
    string,
    Record<string, { operationId: string; tags: string[]; responses: Record<string, Answer | Reference> }>
  >
  components: { schemas: Record<string, object>; responses: Record<string, Answer> }
}
interface Reference {
  $ref: string
}
interface Answer {
  headers?: Record<string, { required?: boolean }>
  content?: Record<string, { schema: object }>
}

/** Returns the values that the schema of a media type describes: each line of NDJSON, otherwise the whole body. */
const bodiesOf = (mediaType: string, body: unknown): unknown[] =>
  mediaType === 'application/x-ndjson'
    ? String(body)
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line))
    : [body]

/**
 * Reads the API description.
 * @param isMeant selects operations by their tag.
 * @param recorder records the calls as examples for the description.
 * @returns `call` makes a call and compares its answer with the published schema. `untouched` has the described answers below 400 that no
 *   call has had yet, each as `operationId status`. `requests` has the operation of each request by its id, in `written` of those that
 *   should have changed something, and in `others` of the rest.
 */
export async function publishedAnswers(client: Api, isMeant: (tag: string) => boolean, recorder?: ExampleRecorder) {
  const { paths, components } = (await client.get<Described>('/openapi.json')).body
  const referred = ({ $ref }: Reference) => components.responses[$ref.replace('#/components/responses/', '')] ?? {}
  const answers = new Map<string, Answer>(
    Object.values(paths)
      .flatMap(methods => Object.values(methods))
      .filter(({ tags }) => tags.some(isMeant))
      .flatMap(({ operationId, responses }) =>
        Object.entries(responses).map(
          ([status, answer]) => [`${operationId} ${status}`, '$ref' in answer ? referred(answer) : answer] as const,
        ),
      ),
  )
  const requests = { written: new Map<string, string>(), others: new Map<string, string>() }
  const untouched = new Set([...answers.keys()].filter(name => !/ ([45]\d\d|default)$/.test(name)))

  /** Finds the faults of a body according to a published schema. */
  function faults(schema: object, body: unknown): unknown[] {
    const whole = JSON.stringify({ ...schema, $defs: components.schemas })
    // The description allows values and kinds that a later release may add. This release must not answer with them.
    const ofThisRelease = whole
      .replaceAll('"x-extensible-enum":', '"enum":')
      .replaceAll('{"$ref":"#/components/schemas/UnknownKind"}', '{"not":{}}')
      .replaceAll('#/components/schemas/', '#/$defs/')
    const [valid, errors] = Compile(JSON.parse(ofThisRelease)).Errors(body)
    return valid ? [] : errors
  }

  async function call<Body>(
    caller: Api,
    operationId: string,
    status: number,
    ...[method, path, body, headers]: Parameters<Api['send']>
  ): Promise<Reply<Body>> {
    const reply = await caller.send<Body>(method, path, body, headers)
    const name = `${operationId} ${status}`
    expect(reply.status, `${name}: ${JSON.stringify(reply.body)}`).toBe(status)
    const answer = answers.get(name)
    expect(answer, `${name} is described`).toBeDefined()
    const { content, headers: described = {} } = answer ?? {}
    for (const [header, { required }] of Object.entries(described))
      if (required) expect(reply.headers.get(header), `${name}: ${header}`).not.toBeNull()
    if (content) {
      const mediaType = reply.headers.get('content-type')?.split(';')[0] ?? ''
      const { schema } = content[mediaType] ?? {}
      expect(schema, `${name} as ${mediaType} is described`).toBeDefined()
      if (schema) for (const each of bodiesOf(mediaType, reply.body)) expect(faults(schema, each), name).toEqual([])
    } else expect(reply.body).toBe('')
    untouched.delete(name)
    const isWritten = method !== 'GET' && status < 400
    requests[isWritten ? 'written' : 'others'].set(reply.headers.get('x-request-id') ?? '', operationId)
    if (status < 400) {
      const isJson = reply.headers.get('content-type')?.startsWith('application/json')
      recorder?.add(operationId, status, {
        request: typeof body === 'object' ? body : undefined,
        answer: isJson ? reply.body : undefined,
      })
    }
    return reply
  }
  return { call, untouched, requests }
}
