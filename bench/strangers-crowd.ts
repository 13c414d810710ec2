// Ten strangers in a process of their own, so that what they take of the machine is theirs. It sends what its parent gives it.
import { Client } from 'undici'

/** A request with its bytes, made before the time counts. */
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
  /** Requests answered, and failed, in all. */
  answered: number
  failed: number
  /** Share of a processor that the crowd itself took. */
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

/** Sends one request after the other on a connection, each as if from another address. */
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
      // The server may close a connection behind a refusal; the client opens another one.
      count.failed++
    }
  }
  await client.destroy()
  return count
}
