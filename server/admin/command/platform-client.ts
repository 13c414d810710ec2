// HTTP client of the administration API for the command line.
import type { Fault } from '../../../runtime/problem.js'
import type { AuthorFile } from './author-file.js'
import { CommandFailed } from './command-failed.js'

interface ProblemBody {
  title?: string
  detail?: string
  errors?: Fault[]
}

/**
 * The administration API, called with a token of the client that the environment names.
 * @throws CommandFailed when a setting is missing, no token is given, or the API cannot be reached.
 */
export async function connectPlatform(env: NodeJS.ProcessEnv) {
  const { ARMATURE_CLIENT_ID: clientId, ARMATURE_CLIENT_SECRET: secret, ARMATURE_TENANT: tenantKey = 'demo' } = env
  if (!clientId || !secret) throw new CommandFailed(['Set ARMATURE_CLIENT_ID and ARMATURE_CLIENT_SECRET.'], 2)
  const url = (env.ARMATURE_URL ?? 'http://127.0.0.1:3000').replace(/\/$/, '')
  const form = { grant_type: 'client_credentials', tenant_key: tenantKey, scope: 'PlatformAdmin' }
  const credentials = { client_id: clientId, client_secret: secret }
  const body = new URLSearchParams({ ...form, ...credentials })
  const answer = await call(env.ARMATURE_TOKEN_URL ?? `${url}/identity/connect/token`, { method: 'POST', body })
  const { access_token: token, error, error_description: why } = await json(answer)
  if (!answer.ok) throw new CommandFailed([`No token for ${clientId} of ${tenantKey}: ${error}: ${why}`])

  return {
    /** Sends what a file says, or nothing. @returns the body of a good answer. @throws CommandFailed with every fault and its line. */
    async send(method: string, path: string, file?: AuthorFile) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await call(`${url}${path}`, {
        method,
        headers,
        ...(file && { body: file.json }),
      })
      const body = await json(answer)
      if (!answer.ok) throw new CommandFailed(explained(body, file))
      return body
    },
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
