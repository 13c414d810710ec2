// Connects the command line to the API.
import { ApiProblem, type Client, createClient, NoAnswer, TokenRefused } from '../../../client/index.js'
import { startedHere } from '../../../runtime/settings/started-here.js'
import type { AuthorFile } from './author-file.js'
import { CommandFailed } from './command-failed.js'

interface Connection {
  scope: string
  tenantKey?: string | undefined
  /** How long a call waits for an API that is unavailable, in ms. */
  retryTimeoutMs?: number
}

/** Long enough for the restart of an API, since somebody is waiting for the command. */
const shortRetryTimeoutMs = 2_000

/** A client whose failures become lines for the person at the shell. */
export interface Connected {
  client: Client
  /**
   * Waits for a call and returns its answer.
   * @throws CommandFailed with every fault, and with its line if the body came from a file.
   */
  said<Result>(call: Promise<Result>, file?: AuthorFile): Promise<Result>
}

/**
 * Connects to the API that the environment names.
 * @throws CommandFailed when a setting is missing.
 */
export function connectApi(
  env: NodeJS.ProcessEnv,
  { scope, tenantKey = env.ARMATURE_TENANT ?? 'demo', retryTimeoutMs = shortRetryTimeoutMs }: Connection,
): Connected {
  const { ARMATURE_CLIENT_ID: clientId, ARMATURE_CLIENT_SECRET: clientSecret } = env
  if (!clientId || !clientSecret) throw new CommandFailed(['Set ARMATURE_CLIENT_ID and ARMATURE_CLIENT_SECRET.'], 2)
  const { ARMATURE_URL: url = startedHere(env).url, ARMATURE_TOKEN_URL: tokenUrl } = env
  const options = { url, clientId, clientSecret, tenantKey, scope, retryTimeoutMs }
  const client = createClient(tokenUrl ? { ...options, tokenUrl } : options)
  return {
    client,
    said: (call, file) =>
      call.catch((error: unknown) => {
        if (error instanceof ApiProblem) throw new CommandFailed(explain(error, url, file))
        if (error instanceof TokenRefused) {
          throw new CommandFailed([`No token for ${clientId} of ${tenantKey}: ${error.code}: ${error.description}`])
        }
        if (error instanceof NoAnswer) throw new CommandFailed([`${error.url} cannot be reached: ${error.reason}`])
        throw error
      }),
  }
}

/**
 * Connects to the administration API.
 * @throws CommandFailed as {@link connectApi}.
 */
export const connectPlatform = (env: NodeJS.ProcessEnv): Connected => connectApi(env, { scope: 'PlatformAdmin' })

function explain({ code, status, title, detail, errors }: ApiProblem, url: string, file: AuthorFile | undefined) {
  if (code === 'not-json') return [`${url} answered ${status}, but not with JSON; is ARMATURE_URL right?`]
  const faults = errors.map(fault => `${file?.place(fault.pointer) ?? ''}${fault.pointer}: ${fault.detail}`)
  return [`${title}${faults.length > 0 ? '' : `: ${detail}`}`, ...faults]
}
