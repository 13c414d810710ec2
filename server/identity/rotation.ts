// Reloads the identity service when the signing keys change.
import type { JWK } from 'jose'
import type { Middleware } from 'koa'
import type { Log } from '../../runtime/observe/log.js'

export interface RotatingOptions {
  /** Reads the current keys. The first one signs. */
  readKeys(): Promise<JWK[]>
  /**
   * Creates a service with these keys, which takes a few milliseconds. The library cannot change the keys of an
   * existing one.
   */
  serviceWith(keys: JWK[]): Middleware
  log: Log
  everyMs?: number
}

/**
 * Creates an identity service that adopts changed signing keys within `everyMs` (default 5 s). While the keys cannot be read, it
 * continues with those it has.
 */
export async function rotatingIdentity({ readKeys, serviceWith, log, everyMs = 5_000 }: RotatingOptions) {
  const first = await readKeys()
  let service = serviceWith(first)
  let used = namesOf(first)

  async function reload(): Promise<void> {
    const keys = await readKeys()
    if (namesOf(keys) === used) return
    service = serviceWith(keys)
    used = namesOf(keys)
    log.info({ signing: keys[0]?.kid, published: keys.length }, 'signing keys changed')
  }

  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(() => {
      reload()
        .catch((err: unknown) => log.warn({ err }, 'the signing keys could not be read'))
        .finally(next)
    }, everyMs).unref()
  }
  next()
  const identity: Middleware = (ctx, next) => service(ctx, next)
  return { identity, stop: () => clearTimeout(timer) }
}

const namesOf = (keys: readonly JWK[]): string => keys.map(({ kid }) => kid).join()
