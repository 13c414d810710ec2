// Calls the API over HTTP, and creates tenants for tests.
import { randomBytes } from 'node:crypto'

/** A response whose body has been read. */
export interface Reply<Body = unknown> {
  status: number
  headers: Headers
  body: Body
}

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  traceId: string
  errors?: { pointer: string; code: string; detail: string; index?: number }[]
}

/** A client of the API with a token, as an integration would be. */
export interface Api {
  token: string
  send<Body = unknown>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply<Body>>
  get<Body = unknown>(path: string, headers?: Record<string, string>): Promise<Reply<Body>>
  put<Body = unknown>(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply<Body>>
  post<Body = unknown>(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply<Body>>
  delete<Body = unknown>(path: string): Promise<Reply<Body>>
}

/** Creates a client that sends this token, or none if it is empty. Text bodies are sent as they are, others as JSON. */
export function api(baseUrl: string, token: string): Api {
  const send: Api['send'] = async (method, path, body, headers = {}) => {
    const answer = await fetch(new URL(path, baseUrl), {
      method,
      headers: {
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        // Packing and unpacking would take more of the machine than it saves; tests of it ask for it.
        'accept-encoding': 'identity',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    // NDJSON is left as text.
    const json = /[/+]json\b/.test(answer.headers.get('content-type') ?? '')
    return { status: answer.status, headers: answer.headers, body: json ? JSON.parse(text) : text }
  }
  return {
    token,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    delete: path => send('DELETE', path),
  }
}

/** Requests an access token for a client, with the token request of the specification. */
export async function tokenOf(
  baseUrl: string,
  client: { id: string; secret: string; tenantKey: string; scope: string },
): Promise<string> {
  const answer = await fetch(`${baseUrl}/identity/connect/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.id,
      client_secret: client.secret,
      tenant_key: client.tenantKey,
      scope: client.scope,
    }),
  })
  const body: unknown = await answer.json()
  if (!answer.ok) throw new Error(`No token for ${client.id}: ${JSON.stringify(body)}`)
  return (body as { access_token: string }).access_token
}

const administrators = new Map<string, { api: Promise<Api>; until: number }>()

/** Returns a client that may write manifests. Its token, valid for an hour, is shared within a process for half of that. */
export function admin(baseUrl: string): Promise<Api> {
  const client = { id: 'platform-admin', secret: 'platform-admin-secret', tenantKey: 'demo', scope: 'PlatformAdmin' }
  const held = administrators.get(baseUrl)
  if (held && Date.now() < held.until) return held.api
  const asked = tokenOf(baseUrl, client).then(token => api(baseUrl, token))
  asked.catch(() => administrators.delete(baseUrl))
  administrators.set(baseUrl, { api: asked, until: Date.now() + 1_800_000 })
  return asked
}

/** A client with its credentials. */
interface Known extends Api {
  clientId: string
  clientSecret: string
}

export interface Tenant extends Known {
  tenantKey: string
  /** Adds a client with only these permissions. @param asked scopes to request for its token, by default all of its scopes. */
  client(permissions: string[], scopes?: string[], asked?: string[]): Promise<Known>
  /** Adds several clients in one change of the manifest. That is faster, as each change hashes the secrets of all clients. */
  clients(permissions: string[][], scopes?: string[]): Promise<Api[]>
  /** Replaces sections of the manifest, such as `subjects`, `users` or `limits`. */
  change(sections: object): Promise<void>
}

/**
 * Creates a tenant that no other test uses, with a client that may do everything.
 * @param sections `subjects` and `users` of its manifest.
 */
export async function newTenant(baseUrl: string, limits: object = {}, sections: object = {}): Promise<Tenant> {
  const tenantKey = `t-${randomBytes(6).toString('hex')}`
  const platform = await admin(baseUrl)
  const clients: object[] = []
  let rest: object = { name: tenantKey, limits, ...sections }
  let last: Promise<unknown> = Promise.resolve()
  /** Applies the manifest. Calls run one after the other, since otherwise an older list of clients could be applied last. */
  const apply = async () => {
    const applying = last.then(() => platform.put(`/admin/v1/tenants/${tenantKey}`, { ...rest, clients }))
    last = applying.catch(() => undefined)
    const applied = await applying
    if (applied.status !== 200) throw new Error(JSON.stringify(applied.body))
  }
  const add = async (scopes: string[], asked: string[], ...granted: string[][]) => {
    const added = granted.map((permissions, n) => {
      const id = `${tenantKey}-${clients.length + n}`
      return { id, secret: randomBytes(16).toString('hex'), scopes, permissions }
    })
    clients.push(...added)
    await apply()
    const scope = asked.join(' ')
    return Promise.all(
      added.map(async ({ id, secret }): Promise<Known> => {
        const token = await tokenOf(baseUrl, { id, secret, tenantKey, scope })
        return { ...api(baseUrl, token), clientId: id, clientSecret: secret }
      }),
    )
  }
  const one = async (permissions: string[], scopes: string[], asked = scopes): Promise<Known> => {
    const [client] = await add(scopes, asked, permissions)
    if (!client) throw new Error(`No client of ${tenantKey}`)
    return client
  }
  const everything = await one(['*'], ['FrameApi'])
  return {
    ...everything,
    tenantKey,
    client: (permissions, scopes = ['FrameApi'], asked = scopes) => one(permissions, scopes, asked),
    clients: (permissions, scopes = ['FrameApi']) => add(scopes, scopes, ...permissions),
    async change(sections) {
      rest = { ...rest, ...sections }
      await apply()
    },
  }
}

/** Returns a key that no other test has. */
export const aKey = (prefix = 'm') => `${prefix}-${randomBytes(6).toString('hex')}`
