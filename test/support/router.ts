// The router in the test's process, before cells of the test's own.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { onTestFinished } from 'vitest'
import type { DirectoryEntry, Presence } from '../../db/cells/directory.js'
import { trustedProxies } from '../../runtime/caller-address.js'
import { httpServer } from '../../server/http-server.js'
import { createRouterApp } from '../../server/router/app.js'
import { cellCalls } from '../../server/router/cell-calls.js'
import { keepDirectory } from '../../server/router/directory.js'
import { type LoopbackServer, loopbackServer } from './loopback.js'

/** Tenants of a cell by key, each with a client of the same name and `-client`. */
export type CellTenants = Record<string, Presence>

export const entriesOf = (tenants: CellTenants): DirectoryEntry[] =>
  Object.entries(tenants).map(([tenantKey, presence]) => ({ tenantKey, clientId: `${tenantKey}-client`, presence }))

export interface RoutedCell {
  address: string
  /** @throws an error while its database is away. */
  read(): Promise<DirectoryEntry[]>
}

type AtEnd = (end: () => Promise<void>) => void

/** Starts a router before some cells. @param trusted proxies of the router. @param atEnd when it ends: with the test. */
export async function startRouter(
  routed: Record<string, RoutedCell>,
  { trusted = [], atEnd = onTestFinished }: { trusted?: string[]; atEnd?: AtEnd } = {},
) {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: line => lines.push(line) })
  const cells = Object.entries(routed).map(([name, { address }]) => cellCalls(name, address))
  const readers = new Map(Object.entries(routed).map(([name, { read }]) => [name, read]))
  const directory = await keepDirectory(readers, log)
  const server = httpServer(createRouterApp({ cells, directory, isProxy: trustedProxies(trusted), log }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
    await directory.stop()
    await Promise.all(cells.map(cell => cell.close()))
  })
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    lines,
    /** Sends bytes as they are, and resolves with all that comes until the router closes the connection. */
    async raw(request: string | Buffer): Promise<string> {
      const socket = connect(port, '127.0.0.1')
      socket.write(request)
      return text(socket)
    },
  }
}

/** A cell of the test's own. @param tenants may be changed by the test. @param atEnd when it ends: with the test. */
export async function fakeCell(
  answer: RequestListener,
  tenants: CellTenants = {},
  atEnd: AtEnd = onTestFinished,
): Promise<RoutedCell & LoopbackServer & { tenants: CellTenants; isAway: boolean }> {
  const server = await loopbackServer(answer)
  atEnd(() => server.stop())
  const cell = {
    ...server,
    tenants,
    isAway: false,
    address: server.url,
    async read() {
      if (cell.isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
      return entriesOf(cell.tenants)
    },
  }
  return cell
}

/** A token that nobody signed. */
export function unsignedToken(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'RS256', typ: 'at+jwt' })}.${part(claims)}.c2lnbmF0dXJl`
}
