// HTTP client of the demo, with messages for people.
import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { Value } from 'typebox/value'

/** Something went wrong that the person at the terminal should read: a headline, details, and what to do next. */
export class DemoError extends Error {
  constructor(
    headline: string,
    readonly details: string[],
    readonly nextStep: string,
    readonly status?: number,
  ) {
    super(headline)
  }

  /** Worth asking again: the API was not reached, or says that it cannot answer at the moment. */
  get passing(): boolean {
    return this.status === undefined || this.status === 502 || this.status === 503
  }
}

/** The API as a client sees it. Paths are relative to the base URL; a status of 400 or more throws a DemoError. */
export interface Client {
  get<Body extends Type.TSchema>(path: string, body: Body): Promise<Type.Static<Body>>
  put(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  patch(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Posts a text of CSV as it is. */
  upload(path: string, csv: string): Promise<Answer>
  /** An answer as text of this type. */
  fetched(path: string, type: string): Promise<Answer>
  /** The lines of an answer, as they arrive. */
  lines(path: string, headers: Record<string, string>): AsyncGenerator<string>
  /** The whole address of a path. */
  url(path: string): string
}

export interface Answer {
  url: URL
  status: number
  headers: Headers
  text: string
}

/** Fetches a token by client credentials (valid for the whole demo) and gives a client that sends it. */
export async function signIn(
  baseUrl: string,
  credentials: Record<string, string>,
  tokenPath = '/identity/connect/token',
): Promise<Client> {
  const body = new URLSearchParams({ ...credentials, grant_type: 'client_credentials' })
  const answer = await send(new URL(tokenPath, baseUrl), { method: 'POST', body })
  const { access_token } = parse(answer, Type.Object({ access_token: Type.String() }))
  const authorization = `Bearer ${access_token}`
  const write =
    (method: string): Client['put'] =>
    (path, body, headers = {}) =>
      send(new URL(path, baseUrl), {
        method,
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
  return {
    get: async (path, body) => parse(await send(new URL(path, baseUrl), { headers: { authorization } }), body),
    put: write('PUT'),
    post: write('POST'),
    patch: write('PATCH'),
    delete: write('DELETE'),
    upload: (path, body) =>
      send(new URL(path, baseUrl), { method: 'POST', headers: { authorization, 'content-type': 'text/csv' }, body }),
    fetched: (path, accept) => send(new URL(path, baseUrl), { headers: { authorization, accept } }),
    lines: (path, headers) => lines(new URL(path, baseUrl), { headers: { authorization, ...headers } }),
    url: path => new URL(path, baseUrl).href,
  }
}

/** A killed API comes back within seconds (`npm start` sees to it), and what it has accepted goes on meanwhile. */
const patienceMs = 60_000

/** Does it again while the API is away, for at most a minute: for readings, and for writings that may come twice. */
export async function patiently<Result>(ask: () => Promise<Result>, waiting = () => {}): Promise<Result> {
  for (const deadline = Date.now() + patienceMs; ; await sleep(200)) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof DemoError && error.passing) || Date.now() > deadline) throw error
      waiting()
    }
  }
}

/** A request as it is. A status of 400 or more throws a DemoError. */
export async function send(url: URL, request: RequestInit = {}): Promise<Answer> {
  let answer: Answer
  try {
    const response = await fetch(url, request)
    answer = { url, status: response.status, headers: response.headers, text: await response.text() }
  } catch (error) {
    throw noAnswer(url, error)
  }
  if (answer.status < 400) return answer
  throw refusal(`${request.method ?? 'GET'} ${url.pathname}`, answer)
}

/** @throws DemoError as {@link send}, also where the answer breaks off. */
async function* lines(url: URL, request: RequestInit): AsyncGenerator<string> {
  try {
    const response = await fetch(url, request)
    const { status, headers, body } = response
    if (status >= 400) throw refusal(`GET ${url.pathname}`, { url, status, headers, text: await response.text() })
    let rest = ''
    for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = `${rest}${text}`.split('\n')
      rest = parts.pop() ?? ''
      yield* parts
    }
  } catch (error) {
    throw error instanceof DemoError ? error : noAnswer(url, error)
  }
}

function noAnswer(url: URL, error: unknown): DemoError {
  const nextStep = 'Is `npm start` running? Another address: ARMATURE_URL=… npm run demo'
  return new DemoError(`Nothing answers at ${url.origin}.`, [reason(error)], nextStep)
}

/** The body of an answer. @throws DemoError where it is another. */
export function parse<Body extends Type.TSchema>({ url, status, text }: Answer, schema: Body): Type.Static<Body> {
  const body = json(text)
  if (Value.Check(schema, body)) return body
  const details = Value.Errors(schema, body).map(error => `${error.instancePath || '/'}  ${error.message}`)
  throw new DemoError(
    `${url} answered something unexpected.`,
    [...details, text.slice(0, 500)],
    'Is this Armature?',
    status,
  )
}

/** A problem document (RFC 9457) from the API, or an OAuth error from the identity service. */
export const Problem = Type.Object({
  title: Type.Optional(Type.String()),
  detail: Type.Optional(Type.String()),
  traceId: Type.Optional(Type.String()),
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.Optional(Type.String()), detail: Type.Optional(Type.String()) })),
  ),
  error: Type.Optional(Type.String()),
  error_description: Type.Optional(Type.String()),
})

const shownErrors = 20

/** The lines of a problem for people: the detail, the first errors with their pointers, the trace id. */
export function problemLines(problem: Type.Static<typeof Problem>): string[] {
  const errors = problem.errors ?? []
  return [
    problem.detail ?? problem.error_description,
    ...errors.slice(0, shownErrors).map(error => `${error.pointer ?? ''}  ${error.detail ?? ''}`.trim()),
    errors.length > shownErrors ? `… and ${errors.length - shownErrors} more` : undefined,
    problem.traceId && `Trace id ${problem.traceId}`,
  ].filter((line): line is string => Boolean(line))
}

function refusal(what: string, answer: Answer): DemoError {
  const body = json(answer.text)
  const problem = Value.Check(Problem, body) ? body : { detail: answer.text.slice(0, 500) }
  const headline = `${what} was refused: ${answer.status} ${problem.title ?? problem.error ?? ''}`.trim()
  return new DemoError(headline, problemLines(problem), nextStep(answer), answer.status)
}

function nextStep({ url, status, headers }: Answer): string {
  if (url.pathname.endsWith('/connect/token')) return 'The demo tenant and its clients exist under `npm start` only.'
  if (status === 503) {
    const seconds = headers.get('retry-after') ?? 'a few'
    return `Try again in ${seconds} seconds; ${new URL('/health/status', url)} says what is missing.`
  }
  if (status >= 500) return 'The log of `npm start` has the cause; look for the trace id.'
  if (status === 401 || status === 403)
    return 'Has the demo tenant been changed? Restart `npm start` to apply it again.'
  return 'This is a mistake in the demo, or the API no longer accepts what it sends.'
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// fetch says only "fetch failed"; the cause says why, and for "localhost" it holds one error per address.
function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const first = cause instanceof AggregateError ? cause.errors[0] : cause
  return first instanceof Error ? first.message : String(first)
}
