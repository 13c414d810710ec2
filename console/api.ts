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
    request.headers.set('authorization', `Bearer ${session.get()?.token}`)
  },
  onResponse({ response }) {
    if (response.status === 401) signOut()
  },
}

/** Below which address everything of this installation is. */
export const baseUrl = new URL('..', document.baseURI).href.replace(/\/$/, '')
export const api = createClient<paths>({ baseUrl })
api.use(withToken)

/** Returns the problem of an answer that is none of the expected ones. */
export const problemOf = (error: unknown): Problem =>
  typeof error === 'object' && error !== null && 'title' in error
    ? (error as Problem)
    : { title: 'The API cannot be reached', detail: 'Check the network; the page tries again by itself.' }

/** What a page shows: what was read last, why the last try failed, and how to read it again at once. */
export interface Reading<T> {
  data: T | undefined
  problem: Problem | undefined
  again(): void
}

/**
 * Reads something when a component is shown and again in a rhythm, as long as the page can be seen.
 * @param read calls the API.
 * @param about what it depends on: it is read anew when that changes.
 * @param everyMs the rhythm, in ms, by what was read last; 0: only once.
 */
export function useReading<T>(
  read: () => Promise<{ data?: T | undefined; error?: unknown }>,
  about: readonly unknown[],
  everyMs: (data: T | undefined) => number,
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
        // What was read last stays while a later reading fails.
        setLast(before =>
          data === undefined
            ? { key, data: before.key === key ? before.data : undefined, problem: problemOf(error) }
            : { key, data },
        )
        const pause = everyMs(data)
        if (pause > 0) timer = setTimeout(next, pause)
      } else timer = setTimeout(next, 1_000)
    }
    void next()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [key, round])
  // What was read about something else is not shown.
  const { data, problem } = last.key === key ? last : {}
  return { data, problem, again: () => setRound(round + 1) }
}
