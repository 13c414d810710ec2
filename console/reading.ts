// Reads the API for components: once, or again whenever the answer changes.
import { useEffect, useState } from 'preact/hooks'
import { type Problem, problemOf } from './api.js'

/** The answer of the API that a component shows, as far as it has come. */
export interface Reading<T> {
  /** Undefined until it has been read once. */
  data: T | undefined
  /** Why the latest attempt to read it failed, if it did. */
  problem: Problem | undefined
  /** Reads it once more, now. */
  again(): void
}

/** The option of a call that says how its answer is fetched. */
export interface Via {
  fetch(request: Request): Promise<Response>
}

type Read<T> = (via: Via) => Promise<{ data?: T | undefined; error?: unknown }>

/** Pause before something is asked for again, in ms. */
const retryMs = 2_000
const sleep = (ms: number) => new Promise(done => setTimeout(done, ms))

/** Makes one call, as a browser does. */
export const justFetch: Via = { fetch: request => fetch(request) }

/**
 * Reads something when a component is shown, and again as long as it is not available at the moment.
 * @param about what the answer depends on. When that changes it is read anew, and what was read before is no longer shown.
 * @param version when that changes it is read anew, and what was read before is shown meanwhile.
 */
export const useReading = <T>(read: Read<T>, about: readonly unknown[], version?: number): Reading<T> =>
  useAnswers(
    about,
    true,
    async (show, signal) => {
      while (!signal.aborted) {
        const answer: Answer<T> = await read(justFetch).catch(() => ({}))
        if (signal.aborted) return
        show(answer)
        if (answer.data !== undefined || isRefusal(answer)) return
        await sleep(retryMs)
      }
    },
    version,
  )

/**
 * Reads something when a component is shown, and again whenever it changes, as long as the page can be seen.
 * @param read makes one call, of an endpoint that can be watched, with `via` among its options.
 * @param about see {@link useReading}.
 */
export function useLive<T>(read: Read<T>, about: readonly unknown[]): Reading<T> {
  return useAnswers(about, useSeen(), async (show, signal) => {
    for (let isRefused = false; !isRefused && !signal.aborted; ) {
      for await (const answer of answersOf(read, signal)) {
        if (!signal.aborted) show(answer)
        isRefused = isRefusal(answer)
      }
      if (!isRefused) await sleep(retryMs)
    }
  })
}

type Answer<T> = Awaited<ReturnType<Read<T>>>

/**
 * Tells whether a call was refused for good. It is worth asking again if the API was not reached, at whose place a proxy may have answered, or has
 * answered that it cannot at the moment.
 */
function isRefusal({ error }: Answer<unknown>): boolean {
  const { status } = problemOf(error)
  return status !== undefined && status < 500 && status !== 429
}

/** Shows the answers that `follow` passes on while `isOn`. A failure takes nothing away from the page. */
function useAnswers<T>(
  about: readonly unknown[],
  isOn: boolean,
  follow: (show: (answer: Answer<T>) => void, signal: AbortSignal) => Promise<void>,
  version?: number,
): Reading<T> {
  const key = JSON.stringify(about)
  const [last, setLast] = useState<{ key: string; data?: T | undefined; problem?: Problem | undefined }>({ key })
  const [round, setRound] = useState(0)
  useEffect(() => {
    if (!isOn) return undefined
    const end = new AbortController()
    const show = ({ data, error }: Answer<T>) =>
      setLast(before =>
        data === undefined
          ? { key, data: before.key === key ? before.data : undefined, problem: problemOf(error) }
          : { key, data },
      )
    void follow(show, end.signal)
    return () => end.abort()
  }, [key, isOn, round, version])
  const { data, problem } = last.key === key ? last : {}
  return { data, problem, again: () => setRound(round + 1) }
}

/** Tells whether the page can be seen. A tab in the background watches nothing. */
function useSeen(): boolean {
  const [isSeen, setSeen] = useState(!document.hidden)
  useEffect(() => {
    const look = () => setSeen(!document.hidden)
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isSeen
}

/**
 * Yields what a call answers, and again whenever that changes, until its stream ends or breaks. Only `read` can turn a response into an answer. So it
 * is called once for the request, which opens the stream and brings the first event, and once more for each later event, without a request.
 */
async function* answersOf<T>(read: Read<T>, signal: AbortSignal): AsyncGenerator<Answer<T>> {
  let later: AsyncGenerator<Response> | undefined
  const fetchFirst = async (request: Request): Promise<Response> => {
    request.headers.set('accept', 'text/event-stream')
    const response = await fetch(request, { signal })
    if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response
    later = eventsOf(response.body)
    return (await later.next()).value ?? response
  }
  yield await read({ fetch: fetchFirst }).catch(() => ({}))
  try {
    for await (const event of later ?? []) yield await read({ fetch: async () => event })
  } catch {
    // The process that answered is gone. The next stream is opened at another one.
  }
}

/** Yields the events of a stream, each as the answer of a call: the data, or the problem with which it ends. */
async function* eventsOf(body: ReadableStream<BufferSource>): AsyncGenerator<Response> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let { value, done } = await reader.read(); !done; { value, done } = await reader.read()) {
    const blocks = (text + value).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? []
      if (data === undefined) continue
      const status = /^event: problem$/m.test(block) ? JSON.parse(data).status : 200
      yield new Response(data, { status, headers: { 'content-type': 'application/json' } })
    }
  }
}
