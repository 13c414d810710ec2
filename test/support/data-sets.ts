// A scripted provider with a data set, and its paths.
import { json } from 'node:stream/consumers'
import type { Tenant } from './api.js'
import type { Point } from './factories.js'
import { type Page, readAll } from './frame.js'
import { allowedServer } from './provider.js'

/** What a data source asks its provider for. */
export interface Question {
  /** As the provider names the subject; absent where a page of all is asked for. */
  subjectIdentifier?: string
  cursor?: string | null
  pageSize?: number
  options: unknown
}

/** An answer with status 200; of another status, or a text or bytes that are sent as they are. */
type Says = object | Buffer | { status: number; body?: unknown } | string

/** A data provider that says what a test tells it to. */
export interface ScriptedProvider {
  url: string
  /** What it was asked, the first first. */
  questions: Question[]
  /** Says this from now on. */
  says(answer: (question: Question) => Says | Promise<Says>): void
  stop(): Promise<void>
}

/** A provider of data points that are in the platform's own shape, in this process. */
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
        response.writeHead(status, { 'content-type': String(body).startsWith('<') ? 'text/html' : 'application/json' })
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
  /** Of the provider's POST, which only reads. */
  idempotent?: boolean
  /** Options of data extracts by their keys; all are of the one source. */
  extracts?: Record<string, object>
}

/** Glue with one provider, one data source and these data extracts; the provider's answers are taken as they are. */
export const scriptedGlue = (
  url: string,
  { by = ['page'], pageSize = 2, provider = {}, idempotent = true, extracts = { register: {} } }: Shape = {},
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
        { name: 'answer', respond: { expression: 'steps.ask.body' } },
      ],
    },
  ],
  dataSources: [{ key: 'register', pageSize, ...Object.fromEntries(by.map(each => [`${each}Endpoint`, 'points'])) }],
  dataExtracts: Object.entries(extracts).map(([key, options]) => ({ key, source: 'register', options })),
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
}

/** Rows of a data set as the provider writes them, in the order of their ids. */
export async function points(tenant: Tenant, key = 'register'): Promise<Point[]> {
  const rows = await readAll<Point & { SubjectId: string }>(tenant, rowsPath(key))
  return rows.map(({ SubjectId, ...each }) => each).sort((a, b) => (a.Id < b.Id ? -1 : 1))
}

/** Refreshes and insists. */
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

/** A gate that a scripted provider waits at. */
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
