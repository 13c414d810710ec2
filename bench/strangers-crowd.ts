// Sends requests as a crowd of strangers. It runs in a process of its own, so that its processor time can be told from
// that of the benchmark. The parent process sends it the requests.
import { Client } from 'undici'

/** A request whose body is prepared before the measurement starts. */
export interface StrangersRequest {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
}

export interface CrowdOrder {
  baseUrl: string
  requests: readonly StrangersRequest[]
  strangers: number
  seconds: number
}

export interface CrowdReport {
  /** Total of requests that were answered, and that failed. */
  answered: number
  failed: number
  /** Share of a processor that the crowd itself used. */
  cpu: number
}

process.once('message', async (order: CrowdOrder) => {
  const before = process.cpuUsage()
  const counts = await Promise.all(Array.from({ length: order.strangers }, (_, number) => stranger(order, number)))
  const { user, system } = process.cpuUsage(before)
  const sum = (what: 'answered' | 'failed') => counts.reduce((all, each) => all + each[what], 0)
  const cpu = (user + system) / 1e6 / order.seconds
  const report: CrowdReport = { answered: sum('answered'), failed: sum('failed'), cpu }
  process.send?.(report, () => process.disconnect())
})
process.send?.('ready')

/** Sends requests one after another on a connection, each as if from a different address. */
async function stranger({ baseUrl, requests, strangers, seconds }: CrowdOrder, number: number) {
  const client = new Client(baseUrl)
  const count = { answered: 0, failed: 0 }
  const until = Date.now() + seconds * 1000
  for (let n = number; Date.now() < until; n += strangers) {
    const request = requests[n % requests.length]
    if (!request) break
    const address = `203.0.${n % 250}.${Math.floor(n / 250) % 250}`
    const headers = { ...request.headers, 'x-forwarded-for': address }
    try {
      const { body } = await client.request({ ...request, headers, method: request.method as 'POST' })
      await body.dump()
      count.answered++
    } catch {
      // The server may close the connection after a refusal; the client then opens a new one.
      count.failed++
    }
  }
  await client.destroy()
  return count
}
