// Times calls of an API by several concurrent clients.
import { Pool } from 'undici'

export interface Call {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  body?: string
}

export interface Calls {
  perSecond: number
  /** Duration of each call, in ms. */
  times: number[]
}

/**
 * Times requests to an API.
 * @param clients number of concurrent clients; each makes one call after another.
 * @throws Error if an answer is not a success.
 */
export async function timeCalls(
  baseUrl: string,
  { work, calls, clients, token }: { work: (n: number) => Call; calls: number; clients: number; token: string },
): Promise<Calls> {
  const pool = new Pool(baseUrl, { connections: clients })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const figures = await rate({ calls, clients }, async n => {
    const { statusCode, body } = await pool.request({ ...work(n), headers })
    const text = await body.text()
    if (statusCode >= 300) throw new Error(`${statusCode}: ${text.slice(0, 500)}`)
  })
  await pool.close()
  return figures
}

/** Times any call, made by several clients at the same time. */
export async function rate(
  { calls, clients }: { calls: number; clients: number },
  call: (n: number) => Promise<void>,
): Promise<Calls> {
  const times: number[] = []
  let left = calls
  const started = performance.now()
  const client = async () => {
    while (left-- > 0) {
      const sent = performance.now()
      await call(left)
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return { perSecond: (calls * 1_000) / (performance.now() - started), times }
}
