// Reloads the identity service when the signing keys change.
import type { JWK } from 'jose'
import type { Middleware } from 'koa'
import type { Log } from '../../runtime/log.js'

export interface RotatingOptions {
  /** The keys as they are to be used now, the one that signs first. */
  readKeys(): Promise<JWK[]>
  /** Makes the service. The library takes its keys when it is made, and to make one takes a few milliseconds. */
  serviceWith(keys: JWK[]): Middleware
  log: Log
  everyMs?: number
}

/** An identity service that takes up new signing keys, and leaves out old ones, within some seconds. While they cannot be read it goes on. */
export async function rotatingIdentity({ readKeys, serviceWith, log, everyMs = 5_000 }: RotatingOptions) {
  const first = await readKeys()
  let service = serviceWith(first)
  let used = namesOf(first)

  async function look(): Promise<void> {
    const keys = await readKeys()
    if (namesOf(keys) === used) return
    service = serviceWith(keys)
    used = namesOf(keys)
    log.info({ signing: keys[0]?.kid, published: keys.length }, 'signing keys changed')
  }

  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(() => {
      look()
        .catch((err: unknown) => log.warn({ err }, 'signing keys could not be read'))
        .finally(next)
    }, everyMs).unref()
  }
  next()
  const identity: Middleware = (ctx, next) => service(ctx, next)
  return { identity, stop: () => clearTimeout(timer) }
}

const namesOf = (keys: readonly JWK[]): string => keys.map(({ kid }) => kid).join()
