// The Dockerfile.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'

/** The Dockerfile's instructions, one a line. */
const instructions = readFileSync('Dockerfile', 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')
  .filter(Boolean)
const ignored = readFileSync('.dockerignore', 'utf8').split('\n')

const all = (name: string) =>
  instructions.filter(line => line.startsWith(`${name} `)).map(line => line.slice(name.length + 1))

test('every stage stands on a slim Debian: the native core of Temporal knows no musl', () => {
  const stages = all('FROM')
  expect(stages).toHaveLength(2)
  for (const stage of stages) expect(stage).toMatch(/^\$\{BASE\}( AS \w+)?$/)
  // A release gives its digest.
  expect(all('ARG')).toEqual(['BASE=node:24-bookworm-slim'])
})

test('every file that the Dockerfile copies exists and is not ignored', () => {
  const sources = all('COPY')
    .filter(copy => !copy.startsWith('--from'))
    .flatMap(copy => copy.split(' ').slice(0, -1))
  expect(sources).toContain('package-lock.json')
  for (const source of sources) {
    expect(existsSync(source), source).toBe(true)
    expect(ignored).not.toContain(source)
  }
})

test('what the build needs reaches it, and what is secret or bulky does not', () => {
  for (const path of ['runtime', 'server', 'workflows', 'activities', 'db', 'scripts', 'tsconfig.json']) {
    expect(ignored).not.toContain(path)
  }
  expect(ignored).toEqual(expect.arrayContaining(['.env', '.data', '.git', 'node_modules', 'dist']))
})

test('the process is the API, gets signals itself, and is not root', () => {
  expect(all('USER')).toEqual(['node'])
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(all('CMD').map(command => JSON.parse(command).join(' '))).toEqual([scripts.api])
  expect(existsSync('server/main.ts')).toBe(true)
  expect(all('HEALTHCHECK')[0]).toContain('CMD ["node", "docker/healthcheck.mjs", "/health/live"]')
})

test.each([
  [200, 0],
  [503, 1],
])('the health check of a process that answers %i ends with %i', async (status, code) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  expect(await healthCheck(port)).toBe(code)
  expect(asked).toEqual(['/health/ready'])
})

test('the health check of a process that does not listen ends with 1', async () => {
  expect(await healthCheck(1)).toBe(1)
})

async function healthCheck(port: number): Promise<unknown> {
  const env = { ...process.env, PORT: String(port) }
  const check = spawn(process.execPath, ['docker/healthcheck.mjs', '/health/ready'], { env, stdio: 'ignore' })
  const [code] = await once(check, 'exit')
  return code
}
