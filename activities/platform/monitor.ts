// Serves a worker's `/health/live` and its metrics.
import { createServer, type Server } from 'node:http'
import { metricsText, metricsType } from '../../runtime/observe/metrics.js'

/** Listens until the server is closed. If the port is taken, the process ends. */
export function serveMonitor(port: number, host: string): Server {
  const server = createServer(async ({ url }, response) => {
    const json = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (url === '/health/live') return json(200, { status: 'live' })
    if (url !== '/metrics') return json(404, { detail: 'A worker answers /health/live and /metrics.' })
    return response.writeHead(200, { 'content-type': metricsType }).end(await metricsText())
  })
  return server.listen(port, host)
}
