// Ports from settings, and free ports.
import { createServer } from 'node:net'
import { StartProblem } from './programs.js'

/**
 * A port from an environment variable.
 * @throws StartProblem naming the variable when it is not a port.
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
 * Checks that nothing listens on these ports, before anything is started.
 * @param ports what will listen, by the variable that sets its port.
 * @throws StartProblem with a sentence for every taken port.
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

/** Whether one can listen on the port. */
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

/** A free port below the range (32768 and up) of outgoing connections, and below the ports of the test stacks. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 6_000)
    if (await isFree(port)) return port
  }
}
