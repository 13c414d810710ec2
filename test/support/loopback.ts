// HTTP servers on 127.0.0.1.
import { createServer, type RequestListener } from 'node:http'

export interface LoopbackServer {
  url: string
  /** host:port, as OUTBOUND_ALLOW names it. */
  host: string
  /** `METHOD path` of every request, in their order. */
  asked: string[]
  stop(): Promise<void>
}

/** A web server of the test's own, on a free port of 127.0.0.1. */
export async function loopbackServer(answer: RequestListener): Promise<LoopbackServer> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: `http://${host}`,
    host,
    asked,
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
