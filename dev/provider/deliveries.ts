// Receives forms at the demo provider.
import { DOMParser, onErrorStopParsing } from '@xmldom/xmldom'
import type { Context } from 'koa'
import rawBody from 'raw-body'

/** A form that was received. */
export interface Delivery {
  idempotencyKey: string
  /** ISO 8601. */
  receivedAt: string
  xml: string
}

/** Receives forms. The last hundred are stored, in memory. */
export interface Deliveries {
  /** Handles `POST`: 201 for a new form, 200 for a known one, 422 if its Idempotency-Key belongs to another form. */
  receive(ctx: Context): Promise<void>
  /** Handles `GET`: the stored forms, the oldest first. */
  list(ctx: Context): void
  all(): Delivery[]
}

const maxKept = 100
/** Largest body. Forms can contain photos. */
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

/** Returns what is wrong with a text that should be an XML document, or undefined. */
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
