// Calls of an API by some clients at a time.
import { Pool } from 'undici'

export interface Call {
  method: 'GET' | 'PUT'
  path: string
  body?: string
}

export interface Calls {
  perSecond: number
  /** Of each call, in ms. */
  times: number[]
}

/** @param clients that call at the same time, each one call after the other. @throws Error where an answer is no success. */
export async function timeCalls(
  baseUrl: string,
  { work, calls, clients, token }: { work: (n: number) => Call; calls: number; clients: number; token: string },
): Promise<Calls> {
  const pool = new Pool(baseUrl, { connections: clients })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const times: number[] = []
  let left = calls
  const started = performance.now()
  const client = async () => {
    while (left-- > 0) {
      const sent = performance.now()
      const { statusCode, body } = await pool.request({ ...work(left), headers })
      const text = await body.text()
      if (statusCode >= 300) throw new Error(`${statusCode}: ${text.slice(0, 500)}`)
      times.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  const perSecond = (calls * 1_000) / (performance.now() - started)
  await pool.close()
  return { perSecond, times }
}
