// Runs a scripted provider for data sets, and has the paths of these.
import { json } from 'node:stream/consumers'
import type { Tenant } from './api.js'
import type { Point } from './factories.js'
import { type Page, readAll } from './frame.js'
import { allowedServer } from './provider.js'

/** What a data source asks its provider for. */
export interface Question {
  /** The subject, as the provider identifies it. Absent if a page of all rows is requested. */
  subjectIdentifier?: string
  cursor?: string | null
  pageSize?: number
  options: unknown
}

/**
 * An answer: an object to send as JSON, or text or bytes to send as they are, with status 200 unless one is given. A text
 * that begins with `<` is sent as HTML, one that begins with a space as plain text.
 */
export type Says = object | Buffer | { status: number; body?: unknown; headers?: Record<string, string> } | string

/** A data provider whose answers a test chooses. */
export interface ScriptedProvider {
  url: string
  /** All requests that it received, the oldest first. */
  questions: Question[]
  /** Sets the answer from now on. */
  says(answer: (question: Question) => Says | Promise<Says>): void
  stop(): Promise<void>
}

/** Starts a provider in this process. Its answers must have the platform's own format for data points. */
export async function scriptedProvider(ports?: readonly number[]): Promise<ScriptedProvider> {
  const { url, answer, stop } = await allowedServer(ports)
  const questions: Question[] = []
  return {
    url,
    questions,
    stop,
    says(say) {
      answer(async (request, response) => {
        const question = (await json(request)) as Question
        questions.push(question)
        const said = await say(question)
        const status = typeof said === 'object' && 'status' in said ? said.status : 200
        const body = typeof said === 'object' && 'status' in said ? said.body : said
        const [first] = String(body)
        const type = first === '<' ? 'text/html' : first === ' ' ? 'text/plain' : 'application/json'
        const headers = typeof said === 'object' && 'headers' in said ? said.headers : {}
        response.writeHead(status, { 'content-type': type, ...headers })
        response.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body ?? {}))
      })
    },
  }
}

interface Shape {
  /** Endpoints of the source. */
  by?: ('page' | 'subject')[]
  pageSize?: number
  /** Members of the provider in the manifest. */
  provider?: object
  /** Marks the POST to the provider as safe to repeat, which it is because it only reads. */
  idempotent?: boolean
  /** How many per cent of its rows a data set may lose; all of them by default, because most tests change them all. */
  mostVanished?: number
  /** Options of the data extracts, keyed by extract. All have the same source. */
  extracts?: Record<string, object>
}

/** Builds glue with one provider, one data source and these data extracts, which passes on the answers unchanged. */
export const scriptedGlue = (
  url: string,
  {
    by = ['page'],
    pageSize = 2,
    provider = {},
    idempotent = true,
    mostVanished = 100,
    extracts = { register: {} },
  }: Shape = {},
) => ({
  providers: [{ key: 'register', url, retrySeconds: 0, ...provider }],
  endpoints: [
    {
      key: 'points',
      capability: 'structuredData',
      authentication: [{ clientCredentials: {} }],
      steps: [
        {
          name: 'ask',
          httpRequest: {
            provider: 'register',
            method: 'POST',
            idempotent,
            url: '/',
            body: '{{ request.body | json }}',
          },
        },
        { name: 'answer', respond: { rows: 'steps.ask.body.dataPoints', next: 'steps.ask.body.next' } },
      ],
    },
  ],
  dataSources: [{ key: 'register', pageSize, ...Object.fromEntries(by.map(each => [`${each}Endpoint`, 'points'])) }],
  dataExtracts: Object.entries(extracts).map(([key, options]) => ({ key, source: 'register', options, mostVanished })),
})

export const refreshPath = (key = 'register') => `/api/v1/dataSet/${key}/refresh`
export const rowsPath = (key = 'register') => `/api/v1/dataSet/${key}/rows`
export const changePaths = {
  created: '/glue-dataprovider/api/v1/dataChange/creationOrUpdate',
  removed: '/glue-dataprovider/api/v1/dataChange/removal',
} as const

export interface RowsBody extends Page<Point & { SubjectId: string }> {
  AsOf: string | null
  Generation: number
  FailedGenerations: { SubjectId: string; First: number; Last: number; JobId?: string }[]
}

/** Reads the rows of a data set in the format of the provider, ordered by id. */
export async function points(tenant: Tenant, key = 'register'): Promise<Point[]> {
  const rows = await readAll<Point & { SubjectId: string }>(tenant, rowsPath(key))
  return rows.map(({ SubjectId, ...each }) => each).sort((a, b) => (a.Id < b.Id ? -1 : 1))
}

/** Refreshes a data set. @throws Error unless that succeeds. */
export async function refreshed(tenant: Tenant, key = 'register'): Promise<void> {
  const { status, body } = await tenant.post(refreshPath(key))
  if (status !== 200) throw new Error(JSON.stringify(body))
}

export interface ChangeAnswer {
  JobId: string | null
  Status: string
  MatchedDataExtracts: string[]
  AffectedDataPoints: number
  Generations: Record<string, number>
  Explanation?: {
    DataExtract: string
    Matches: boolean
    Entries: { Path: string; Matches: boolean; Found?: unknown }[]
  }[]
}

/** Creates a gate: the provider calls `arrive` and awaits `passed`; the test awaits `reached` and calls `open`. */
export function gate(): { passed: Promise<void>; open(): void; reached: Promise<void>; arrive(): void } {
  let open = () => {}
  let arrive = () => {}
  const passed = new Promise<void>(resolve => {
    open = resolve
  })
  const reached = new Promise<void>(resolve => {
    arrive = resolve
  })
  return { passed, open, reached, arrive }
}
