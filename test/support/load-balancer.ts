// A load balancer that asks each backend for /health/ready.
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Time between two questions to a backend, in ms. */
const intervalMs = 200

/** After this many failures in a row, a backend counts as not ready. The readiness probe of the Helm chart has the same number. */
const failureThreshold = 2

interface Backend {
  isReady: boolean
  failures: number
  /** Its last answer. */
  said: string
}

/** Forwards each request to the next ready backend. If none is ready, answers 503 with the last answer of each. */
export async function startLoadBalancer(port: number) {
  const backends = new Map<number, Backend>()
  const stopping = new AbortController()
  let turn = 0

  async function look(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.all(
        [...backends].map(async ([port, backend]) => {
          const { ok, said } = await readiness(port)
          backend.said = said
          backend.failures = ok ? 0 : backend.failures + 1
          if (ok || backend.failures >= failureThreshold) backend.isReady = ok
        }),
      )
      await sleep(intervalMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  async function forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const ready = [...backends].filter(([, { isReady }]) => isReady).map(([backend]) => backend)
    // A copy, because other requests advance `turn` while this one connects.
    const first = turn++
    for (let n = 0; n < ready.length; n++) {
      const socket = await connected(ready[(first + n) % ready.length] ?? 0)
      if (!socket) continue
      const { method, url, headers } = incoming
      const upstream = request({
        createConnection: () => socket,
        method,
        path: url,
        headers: { ...headers, connection: 'close' },
      })
      upstream.once('response', answer => {
        outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, connection: 'keep-alive' })
        answer.pipe(outgoing)
        answer.once('error', error => outgoing.destroy(error))
      })
      upstream.once('error', error =>
        outgoing.headersSent ? outgoing.destroy(error) : outgoing.writeHead(502).end(error.message),
      )
      incoming.pipe(upstream)
      return
    }
    const said = [...backends].map(([backend, { said }]) => `${backend}: ${said}`)
    outgoing.writeHead(503).end(`No API is ready. ${said.join('; ')}`)
  }

  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const looking = look()
  return {
    add: (backend: number) => void backends.set(backend, { isReady: false, failures: 0, said: 'nothing' }),
    remove: (backend: number) => void backends.delete(backend),
    isReady: (backend: number) => backends.get(backend)?.isReady === true,
    async stop(): Promise<void> {
      stopping.abort()
      await looking
      server.closeAllConnections()
      server.close()
    },
  }
}

async function readiness(port: number): Promise<{ ok: boolean; said: string }> {
  const from = Date.now()
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`)
    return { ok: answer.ok, said: `${answer.status} ${await answer.text()} after ${Date.now() - from} ms` }
  } catch (error) {
    return { ok: false, said: String(error instanceof Error ? (error.cause ?? error) : error) }
  }
}

/** Connects to a port of this machine. Returns undefined if nothing listens there. */
async function connected(port: number): Promise<Socket | undefined> {
  const socket = connect(port, '127.0.0.1')
  return once(socket, 'connect').then(
    () => socket,
    () => undefined,
  )
}
