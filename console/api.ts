// Calls of the public API, by the types of its description, with the token of the session.
import createClient, { type Middleware } from 'openapi-fetch'
import { useEffect, useState } from 'preact/hooks'
import type { components, paths } from '../client/api.js'
import { session, signOut } from './session.js'

type Schemas = components['schemas']
export type Job = Schemas['Job']
type KindOf<Path extends '/api/v1/jobs' | '/api/v1/attention'> = NonNullable<
  NonNullable<paths[Path]['get']['parameters']['query']>['Kind']
>[number]
/** Kinds of jobs, and of what waits for a human, in this release. A later one may answer others. */
export type JobKind = KindOf<'/api/v1/jobs'>
export type AttentionKind = KindOf<'/api/v1/attention'>
export type DataSet = Schemas['DataSet']
export type Attention = Schemas['Attention']
/** Tells whether a job has not ended. */
export const isOpen = ({ status }: Pick<Job, 'status'>): boolean => status === 'Accepted' || status === 'Running'

/** A job of a list. One of the list of all tenants names its tenant. */
export type ListedJob = Schemas['Job'] | Schemas['PlatformJob']

/** Why the API refused a call, and what to do, as RFC 9457 has it. */
export interface Problem {
  title: string
  detail?: string
  errors?: { pointer: string; code: string; detail: string }[]
}

const withToken: Middleware = {
  onRequest({ request }) {
    request.headers.set('authorization', `Bearer ${session?.token}`)
  },
  onResponse({ response }) {
    if (response.status === 401) signOut()
  },
}

export const api = createClient<paths>({ baseUrl: new URL('..', document.baseURI).href.replace(/\/$/, '') })
api.use(withToken)

/** Returns the problem that an answer has in place of data. Without an answer the API was not reached. */
export const problemOf = (error: unknown): Problem =>
  typeof error === 'object' && error !== null && 'title' in error
    ? (error as Problem)
    : { title: 'The API cannot be reached', detail: 'Check the network, and try again.' }

/** What a component has read. */
export interface Reading<T> {
  /** Undefined until it has been read once. */
  data: T | undefined
  /** Why the latest attempt to read it failed, if it did. */
  problem: Problem | undefined
  /** Reads it once more, now. */
  again(): void
}

/** How long after a failure it is read once more, in ms. */
const failedPauseMs = 5_000

/**
 * Reads something when a component is shown, and again and again while the page can be seen.
 * @param read calls the API.
 * @param about what the answer depends on. When that changes it is read anew, and what was read before is no longer shown.
 * @param pauseMs after how many ms it is read again, by what was read; 0 if it is read only once.
 */
export function useReading<T>(
  read: () => Promise<{ data?: T | undefined; error?: unknown }>,
  about: readonly unknown[],
  pauseMs: (data: T) => number,
): Reading<T> {
  const key = JSON.stringify(about)
  const [last, setLast] = useState<{ key: string; data?: T | undefined; problem?: Problem | undefined }>({ key })
  const [round, setRound] = useState(0)
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const next = async () => {
      if (!document.hidden) {
        const { data, error } = await read().catch(() => ({ data: undefined, error: undefined }))
        if (isOver) return
        // A failure takes nothing away from the page.
        setLast(before =>
          data === undefined
            ? { key, data: before.key === key ? before.data : undefined, problem: problemOf(error) }
            : { key, data },
        )
        const pause = data === undefined ? failedPauseMs : pauseMs(data)
        if (pause > 0) timer = setTimeout(next, pause)
      } else timer = setTimeout(next, 1_000)
    }
    void next()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [key, round])
  const { data, problem } = last.key === key ? last : {}
  return { data, problem, again: () => setRound(round + 1) }
}
