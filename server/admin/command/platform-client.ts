// HTTP client of the API for the command line.
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { Fault } from '../../../runtime/problem.js'
import type { AuthorFile } from './author-file.js'
import { CommandFailed } from './command-failed.js'

interface ProblemBody {
  title?: string
  detail?: string
  errors?: Fault[]
}

/** The parts of a request besides its token. */
interface Sent {
  headers?: Record<string, string>
  body?: RequestInit['body']
  /** Tells the places of faults. */
  file?: AuthorFile
}

export type ApiClient = Awaited<ReturnType<typeof connectApi>>

/**
 * The API, called with a token of the client that the environment names.
 * @throws CommandFailed when a setting is missing, no token is given, or the API cannot be reached.
 */
export async function connectApi(
  env: NodeJS.ProcessEnv,
  { scope, tenantKey = env.ARMATURE_TENANT ?? 'demo' }: { scope: string; tenantKey?: string | undefined },
) {
  const { ARMATURE_CLIENT_ID: clientId, ARMATURE_CLIENT_SECRET: secret } = env
  if (!clientId || !secret) throw new CommandFailed(['Set ARMATURE_CLIENT_ID and ARMATURE_CLIENT_SECRET.'], 2)
  const url = (env.ARMATURE_URL ?? 'http://127.0.0.1:3000').replace(/\/$/, '')

  async function newToken(): Promise<string> {
    const form = { grant_type: 'client_credentials', tenant_key: tenantKey, scope }
    const body = new URLSearchParams({ ...form, client_id: clientId ?? '', client_secret: secret ?? '' })
    const answer = await call(env.ARMATURE_TOKEN_URL ?? `${url}/identity/connect/token`, { method: 'POST', body })
    const { access_token, error, error_description: why } = await json(answer)
    if (!answer.ok) throw new CommandFailed([`No token for ${clientId} of ${tenantKey}: ${error}: ${why}`])
    return access_token
  }
  let token = await newToken()

  async function answerTo(method: string, path: string, { headers, body }: Sent): Promise<Response> {
    const request = () =>
      call(`${url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(body === undefined ? {} : { body, duplex: 'half' }),
      })
    const answer = await request()
    // The token of a command that takes long has expired. A stream cannot be sent again.
    if (answer.status !== 401 || body instanceof ReadableStream) return answer
    token = await newToken()
    return request()
  }

  return {
    /** @returns the body of a good answer. @throws CommandFailed with every fault, and its line where the body is a file's. */
    async send(method: string, path: string, sent: Sent = {}) {
      const answer = await answerTo(method, path, sent)
      const body = await json(answer)
      if (!answer.ok) throw new CommandFailed(explained(body, sent.file))
      return body
    },

    /** The body of a good answer, as it comes. @throws CommandFailed */
    async download(path: string): Promise<NodeJS.ReadableStream> {
      const answer = await answerTo('GET', path, {})
      if (!answer.ok || !answer.body) throw new CommandFailed(explained(await json(answer), undefined))
      return Readable.fromWeb(answer.body as WebStream)
    },
  }
}

/** The administration API. @throws CommandFailed as {@link connectApi}. */
export async function connectPlatform(env: NodeJS.ProcessEnv) {
  const api = await connectApi(env, { scope: 'PlatformAdmin' })
  return {
    /** Sends what a file says, or nothing. @returns the body of a good answer. @throws CommandFailed with every fault and its line. */
    send: (method: string, path: string, file?: AuthorFile) =>
      api.send(method, path, {
        headers: { 'content-type': 'application/json' },
        ...(file && { body: file.json, file }),
      }),
  }
}

function explained({ title, detail, errors = [] }: ProblemBody, file: AuthorFile | undefined): string[] {
  const faults = errors.map(fault => `${file?.place(fault.pointer) ?? ''}${fault.pointer}: ${fault.detail}`)
  return [`${title}${faults.length > 0 ? '' : `: ${detail}`}`, ...faults]
}

const call = (address: string, request: RequestInit): Promise<Response> =>
  fetch(address, request).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message
    throw new CommandFailed([`${address} cannot be reached: ${cause}`])
  })

async function json(answer: Response) {
  const text = await answer.text()
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandFailed([`${answer.url} answered ${answer.status} and no JSON; is ARMATURE_URL right?`])
  }
}
