// Reads ports from settings and finds free ones.
import { createServer } from 'node:net'
import { StartProblem } from './programs.js'

/**
 * Reads a port from an environment variable. An unset or empty variable means `otherwise`.
 * @throws StartProblem that names the variable if its value is not a port.
 */
export function portFrom(env: NodeJS.ProcessEnv, name: string, otherwise: number): number {
  const text = env[name]
  if (text === undefined || text === '') return otherwise
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new StartProblem(`${name} must be a port between 1 and 65535, not "${text}".`)
  }
  return port
}

/**
 * Checks that the ports differ and that nothing listens on them, before anything is started.
 * @param ports the ports, keyed by the variable that sets each.
 * @throws StartProblem with a sentence for each conflict.
 */
export async function requireFreePorts(ports: Record<string, { port: number; host?: string }>): Promise<void> {
  const sentences: string[] = []
  const seen = new Map<number, string>()
  for (const [name, { port, host }] of Object.entries(ports)) {
    const other = seen.get(port)
    seen.set(port, name)
    if (other) sentences.push(`${name} and ${other} are both ${port}: give one of them another port.`)
    else if (!(await isFree(port, host))) {
      sentences.push(`Port ${port} is taken: stop what listens there, or set ${name} to a free port.`)
    }
  }
  if (sentences.length > 0) throw new StartProblem(sentences.join('\n'))
}

/** Reports whether nothing listens on the port and we may do so. */
export function isFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false)
      else reject(error)
    })
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
  })
}

const picked = new Set<number>()

/**
 * Picks a free port below the test stacks' ports and below 32768, where the ports of outgoing connections begin. Does not pick a
 * port twice in this process, because whoever got it first may not listen on it yet.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 6_000)
    if (picked.has(port) || !(await isFree(port))) continue
    picked.add(port)
    return port
  }
}
