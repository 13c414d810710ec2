// Limits how much memory the pages of lists take in this process, all tenants together.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'

/** What every page may have, in bytes, however many others are being made. */
export const smallPage = 1024 * 1024
/** What a page may have while there is room for it. Its objects and texts take about ten times as much memory. */
const largePage = 4 * smallPage
/** How many large pages of one tenant, and of all tenants, may be in memory at once. */
const [ofTenant, ofAll] = [2, 6]

interface Request {
  response: ServerResponse
  tenant: number
  hasRoom?: boolean
}

const requests = new AsyncLocalStorage<Request>()
/** The tenants of the large pages that are in memory. */
const large: number[] = []

/** Answers a request whose pages count for a tenant until the response is sent. */
export const withPageBudget = <T>(tenant: number, response: ServerResponse, work: () => Promise<T>): Promise<T> =>
  requests.run({ tenant, response }, work)

/**
 * Returns how many bytes the page of this request may have. It asks for the room of a large page, so call it only once
 * a page is larger than {@link smallPage}. A page that gets no room is not refused and does not wait: it ends earlier.
 */
export function pageBudget(): number {
  const request = requests.getStore()
  if (!request) return smallPage
  request.hasRoom ??= reserve(request)
  return request.hasRoom ? largePage : smallPage
}

function reserve({ tenant, response }: Request): boolean {
  if (response.closed || large.length >= ofAll || large.filter(each => each === tenant).length >= ofTenant) return false
  large.push(tenant)
  response.once('close', () => large.splice(large.indexOf(tenant), 1))
  return true
}
