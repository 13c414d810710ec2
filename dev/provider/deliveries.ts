// Forms that arrived at the demo provider.
import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom'
import type { Context } from 'koa'
import rawBody from 'raw-body'

/** A form as it arrived. */
export interface Delivery {
  idempotencyKey: string
  /** ISO 8601. */
  receivedAt: string
  xml: string
}

/** Takes in forms and keeps the last ones, in memory. */
export interface Deliveries {
  /** `POST`: takes one in, with 201; with 200, and nothing new, where its Idempotency-Key is known. */
  receive(ctx: Context): Promise<void>
  /** `GET`: those that it has, the first first. */
  list(ctx: Context): void
  all(): Delivery[]
}

const maxKept = 100
/** Forms carry photos. */
const largest = '64mb'

export function createDeliveries(): Deliveries {
  const kept = new Map<string, Delivery>()

  return {
    async receive(ctx) {
      const xml = await rawBody(ctx.req, { encoding: 'utf8', limit: largest })
      const idempotencyKey = ctx.get('idempotency-key')
      const fault = !ctx.is('xml', '+xml')
        ? 'a Content-Type of XML'
        : idempotencyKey === ''
          ? 'an Idempotency-Key'
          : xmlFault(xml)
      if (fault !== undefined) return answer(ctx, 400, { error: 'invalid_request', expected: fault })
      const before = kept.get(idempotencyKey)
      if (before && before.xml !== xml) return answer(ctx, 422, { error: 'another_form_under_this_key' })
      if (before) return answer(ctx, 200, { received: 'before' })
      kept.set(idempotencyKey, { idempotencyKey, receivedAt: new Date().toISOString(), xml })
      const [oldest] = kept.keys()
      if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
      answer(ctx, 201, { received: 'now' })
    },
    list: ctx => answer(ctx, 200, { deliveries: [...kept.values()] }),
    all: () => [...kept.values()],
  }
}

/** The fault of a text that should be an XML document; undefined where there is none. */
function xmlFault(text: string): string | undefined {
  try {
    new DOMParser({ onError: onErrorStopParsing }).parseFromString(text, 'text/xml')
    return undefined
  } catch (error) {
    return `XML: ${error instanceof Error ? error.message : error}`
  }
}

function answer(ctx: Context, status: number, body: object): void {
  ctx.status = status
  ctx.body = body
}
