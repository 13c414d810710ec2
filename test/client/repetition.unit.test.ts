// Repetition, tokens and errors of armature/client, against a server of the test's own that fails on demand.
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import {
  ApiProblem,
  type ClientOptions,
  createClient,
  JobFailed,
  multipart,
  NoAnswer,
  TokenRefused,
  type Wait,
} from '../../client/index.js'
import { loopbackServer } from '../support/http.js'

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

interface Seen {
  call: string
  key: string | undefined
  commit: string | undefined
  token: string | undefined
  type: string | undefined
  body: string
}

/** A server that answers each call but those for tokens with the next of these, the last again and again. */
async function serverOf(...answers: Answer[]) {
  const seen: Seen[] = []
  let tokens = 0
  const giveToken: Answer = (request, response) =>
    give(200, { access_token: `t${++tokens}`, token_type: 'Bearer', expires_in: 3600, scope: 'FrameApi' })(
      request,
      response,
    )
  const server = await loopbackServer(async (request, response) => {
    if (request.url === '/identity/connect/token') {
      giveToken(request, response)
      return
    }
    const { authorization, 'idempotency-key': key, 'content-type': type } = request.headers
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    const body = await text(request).catch(() => '(cut off)')
    seen.push({
      call: `${request.method} ${request.url}`,
      key: [key].flat()[0],
      commit: [request.headers['commit-token']].flat()[0],
      token: authorization?.slice(7),
      type,
      body,
    })
    answer?.(request, response)
  })
  onTestFinished(server.stop)
  return { ...server, seen, tokens: () => tokens }
}

const give =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, {
      'content-type': status < 400 ? 'application/json' : 'application/problem+json',
      ...headers,
    })
    response.end(JSON.stringify(body))
  }
const busy = (status: number, headers: Record<string, string> = { 'retry-after': '0' }) =>
  give(
    status,
    { type: '/problems/busy', title: 'Busy', status, detail: 'Later.', instance: '', traceId: 'trace-1' },
    headers,
  )
const cut: Answer = request => request.socket.destroy()
/** Begins an answer and breaks it off. */
const half: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  response.write('{"Key":', () => response.destroy())
}

const clientOf = (url: string, more: Partial<ClientOptions> = {}) =>
  createClient({ url, clientId: 'c', clientSecret: 's', scope: 'FrameApi', ...more })

const transfer = {
  params: { path: { destinationStructuralEntityKey: 'a' } },
  body: { SourceStructuralEntityKey: 'b', TransferMode: 'Move' },
} as const
const transferPath = '/api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer'
const userGroups = '/api/v1/users/{userId}/groups'
const grouping = { params: { path: { userId: 'u' } }, body: ['g'] }

test('429 and 503 are repeated after Retry-After, with the Idempotency-Key of the first attempt', async () => {
  const { url, seen } = await serverOf(busy(429), busy(503), give(202, { jobId: 'j' }))
  const waits: Wait[] = []
  const { data, response } = await clientOf(url, { onWait: wait => waits.push(wait) }).post(transferPath, transfer)
  expect([response.status, data.jobId]).toEqual([202, 'j'])
  expect(waits).toEqual([
    { status: 429, waitMs: 0 },
    { status: 503, waitMs: 0 },
  ])
  expect(seen.map(({ call, body }) => [call, body])).toEqual(
    Array(3).fill(['POST /api/v1/structuralEntity/a/subjects/transfer', JSON.stringify(transfer.body)]),
  )
  expect(new Set(seen.map(({ key }) => key)).size).toBe(1)
  expect(seen[0]?.key).toMatch(/^[\da-f-]{36}$/)
})

test('the latest Commit-Token of an answer, that of a refusal too, is sent with later calls', async () => {
  const told = (status: number, token: string) => give(status, {}, { 'commit-token': token })
  const { url, seen } = await serverOf(
    give(200, []),
    told(200, '1700'),
    told(409, '1800'),
    told(200, '1750'),
    give(200, []),
  )
  const client = clientOf(url)
  await client.get('/api/v1/users')
  await client.post(userGroups, grouping)
  await expect(client.post(userGroups, grouping)).rejects.toThrow(ApiProblem)
  for (let n = 0; n < 2; n++) await client.get('/api/v1/users')
  await client.get('/api/v1/users', { headers: { 'commit-token': '5' } })
  expect(seen.map(({ commit }) => commit)).toEqual([undefined, undefined, '1700', '1800', '1800', '5'])
})

test('each call that takes an Idempotency-Key gets a new one unless the caller gives one', async () => {
  const { url, seen } = await serverOf(give(200, {}))
  const client = clientOf(url)
  await client.post(transferPath, transfer)
  await client.post(transferPath, transfer)
  await client.post(transferPath, {
    ...transfer,
    params: { ...transfer.params, header: { 'Idempotency-Key': 'mine' } },
  })
  await client.get('/api/v1/users')
  const [first, second, third, fourth] = seen.map(({ key }) => key)
  expect(first).not.toBe(second)
  expect([third, fourth]).toEqual(['mine', undefined])
})

test('a broken connection and a broken answer are repeated where the call has the same effect', async () => {
  const { url, seen } = await serverOf(cut, half, busy(502), give(200, { Key: 'a' }))
  const { data } = await clientOf(url).get('/api/v1/group/{groupKey}', { params: { path: { groupKey: 'a' } } })
  expect(data).toEqual({ Key: 'a' })
  expect(seen).toHaveLength(4)
})

test('a broken connection is not repeated where the call could have another effect, unless the caller says so', async () => {
  const { url, seen } = await serverOf(cut, cut, give(204, undefined))
  const client = clientOf(url)
  await expect(client.post(userGroups, grouping)).rejects.toThrow(NoAnswer)
  expect(seen).toHaveLength(1)
  await client.post(userGroups, { ...grouping, isRepeatable: true })
  expect(seen).toHaveLength(3)
})

test('repetition ends: the last refusal is thrown with its code, trace id and Retry-After', async () => {
  const { url, seen } = await serverOf(busy(503, { 'retry-after': '120' }))
  const refused = await clientOf(url, { retryTimeoutMs: 60_000 })
    .get('/api/v1/users')
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(ApiProblem)
  expect(refused).toMatchObject({
    call: 'GET /api/v1/users',
    status: 503,
    code: 'busy',
    traceId: 'trace-1',
    retryAfter: 120,
    errors: [],
  })
  expect(seen).toHaveLength(1)
})

test('without a retry timeout nothing is repeated', async () => {
  const { url, seen } = await serverOf(busy(503))
  await expect(clientOf(url, { retryTimeoutMs: 0 }).get('/api/v1/users')).rejects.toThrow('503')
  expect(seen).toHaveLength(1)
})

test('a signal ends a wait at once, and its reason is thrown', async () => {
  const { url } = await serverOf(busy(503, { 'retry-after': '50' }))
  const stop = new AbortController()
  const asked = clientOf(url, { onWait: () => stop.abort(new Error('enough')) }).get('/api/v1/users', {
    signal: stop.signal,
  })
  await expect(asked).rejects.toThrow('enough')
})

test('a signal ends a call that is not answered', async () => {
  const stop = new AbortController()
  const { url } = await serverOf(() => stop.abort(new Error('enough')))
  await expect(clientOf(url).get('/api/v1/users', { signal: stop.signal })).rejects.toThrow('enough')
})

test('calls at the same time share one token, and it is kept', async () => {
  const { url, seen, tokens } = await serverOf(give(200, []))
  const client = clientOf(url)
  await Promise.all([client.get('/api/v1/users'), client.get('/api/v1/users')])
  await client.get('/api/v1/users')
  expect(tokens()).toBe(1)
  expect(seen.map(({ token }) => token)).toEqual(['t1', 't1', 't1'])
})

test('a token that the API refuses is renewed once', async () => {
  const { url, seen, tokens } = await serverOf(give(401, {}), give(200, []), give(401, {}))
  const client = clientOf(url)
  await client.get('/api/v1/users')
  expect(seen.map(({ token }) => token)).toEqual(['t1', 't2'])
  await expect(client.get('/api/v1/users')).rejects.toMatchObject({ status: 401 })
  expect(tokens()).toBe(3)
})

test('a token is renewed before it expires', async () => {
  let tokens = 0
  const server = await loopbackServer((request, response) =>
    request.url === '/token'
      ? give(200, { access_token: `t${++tokens}`, token_type: 'Bearer', expires_in: tokens === 1 ? 0 : 3600 })(
          request,
          response,
        )
      : give(200, [])(request, response),
  )
  onTestFinished(server.stop)
  const client = clientOf(server.url, { tokenUrl: `${server.url}/token` })
  for (const _ of [1, 2, 3]) await client.get('/api/v1/users')
  expect(tokens).toBe(2)
})

test('the request for a token has the credentials and the tenant, and is repeated while the service is away', async () => {
  const forms: string[] = []
  const server = await loopbackServer(async (request, response) => {
    if (request.url !== '/identity/connect/token') return give(200, [])(request, response)
    forms.push(await text(request))
    if (forms.length === 1) return cut(request, response)
    if (forms.length === 2) return busy(503)(request, response)
    return give(200, { access_token: 't', token_type: 'Bearer', expires_in: 3600 })(request, response)
  })
  onTestFinished(server.stop)
  await clientOf(server.url, { tenantKey: 'demo' }).get('/api/v1/users')
  expect(forms.map(form => Object.fromEntries(new URLSearchParams(form)))).toEqual(
    Array(3).fill({
      grant_type: 'client_credentials',
      client_id: 'c',
      client_secret: 's',
      scope: 'FrameApi',
      tenant_key: 'demo',
    }),
  )
})

test('a refused token says why, with the code of OAuth', async () => {
  const refusal = give(
    401,
    { error: 'invalid_client', error_description: 'The secret is wrong.' },
    { 'content-type': 'application/json' },
  )
  const server = await loopbackServer(refusal)
  onTestFinished(server.stop)
  const refused = await clientOf(server.url)
    .get('/api/v1/users')
    .catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(TokenRefused)
  expect(refused).toMatchObject({
    code: 'invalid_client',
    status: 401,
    message: expect.stringContaining('The secret is wrong.'),
  })
})

test('where nothing listens at the address, the error names the address and the reason', async () => {
  const { url, stop } = await loopbackServer(() => undefined)
  await stop()
  await expect(clientOf(url, { retryTimeoutMs: 0 }).get('/api/v1/users')).rejects.toThrow(
    /^http:\S+ does not answer: .*ECONNREFUSED/,
  )
})

test("an answer that is not JSON, such as a proxy's page, is a problem too", async () => {
  const { url } = await serverOf((_, response) =>
    response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>No</h1>'),
  )
  await expect(clientOf(url).get('/api/v1/users')).rejects.toMatchObject({ status: 403, code: 'not-json' })
})

test('a stream is sent only once, but a function that makes streams allows repeated attempts', async () => {
  const { url, seen } = await serverOf(busy(503), busy(503), give(202, { jobId: 'j' }))
  const client = clientOf(url)
  const headers = { 'content-type': 'text/csv' }
  const stream = () => new Blob(['a,b\n1,2\n']).stream()
  await expect(client.post('/api/v2/subject/import', { body: stream(), headers })).rejects.toThrow('503')
  await client.post('/api/v2/subject/import', { body: stream, headers })
  expect(seen.map(({ body, type }) => [body, type])).toEqual(Array(3).fill(['a,b\n1,2\n', 'text/csv']))
})

test('a document is sent as a form, also again', async () => {
  const { url, seen } = await serverOf(busy(503), give(200, { id: 'f' }))
  const body = { title: 'Letter', effectiveDate: '2026-11-01', file: new Blob(['%PDF-'], { type: 'application/pdf' }) }
  const path = '/api/v1/subjects/{subjectId}/file/upload'
  await clientOf(url).post(path, { params: { path: { subjectId: 's' } }, body, bodySerializer: multipart })
  const [first, second] = seen
  expect(first?.type).toMatch(/^multipart\/form-data; boundary=/)
  expect(first?.body).toContain('name="title"\r\n\r\nLetter')
  expect(second?.body).toBe(first?.body)
})

test('the pages of a list follow its cursors, beginning after a given one', async () => {
  const page = (nodes: number[], HasNextPage: boolean) =>
    give(200, { PageInfo: { HasNextPage, EndCursor: `c${nodes.at(-1)}` }, Edges: nodes.map(Node => ({ Node })) })
  const { url, seen } = await serverOf(page([1, 2], true), page([3], false))
  const found: unknown[] = []
  for await (const node of clientOf(url).each('/api/v1/jobs', { params: { query: { First: 2, After: 'c0' } } }))
    found.push(node)
  expect(found).toEqual([1, 2, 3])
  expect(seen.map(({ call }) => call)).toEqual([
    'GET /api/v1/jobs?First=2&After=c0',
    'GET /api/v1/jobs?First=2&After=c2',
  ])
})

test('a search by its body follows the cursor in the body', async () => {
  const page = (HasNextPage: boolean) => give(200, { PageInfo: { HasNextPage, EndCursor: 'c' }, Edges: [{ Node: 1 }] })
  const { url, seen } = await serverOf(page(true), busy(502), page(false))
  const body = { customFieldValueFilter: { values: { nationalId: ['A-1'] } } }
  const found: unknown[] = []
  for await (const node of clientOf(url).query('/api/v2/subject/query', { body })) found.push(node)
  expect(found).toEqual([1, 1])
  expect(seen.map(each => JSON.parse(each.body))).toEqual([
    { First: 200, ...body },
    { First: 200, ...body, After: 'c' },
    { First: 200, ...body, After: 'c' },
  ])
})

test('a list that stops early asks for no further page', async () => {
  const { url, seen } = await serverOf(
    give(200, { pageInfo: { hasNextPage: true, endCursor: 'c' }, edges: [{ node: 1 }, { node: 2 }] }),
  )
  for await (const _ of clientOf(url).each('/api/v1/subject/{subjectId}/subjectAccessUsers', {
    params: { path: { subjectId: 's' } },
  }))
    break
  expect(seen).toHaveLength(1)
})

test('lines are read as they arrive', async () => {
  const more = new AbortController()
  const { url } = await serverOf(async (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    response.write('{"identifier":"é1"}\n{"identi')
    await once(more.signal, 'abort')
    response.end('fier":"2"}')
  })
  const found: string[] = []
  for await (const { identifier } of clientOf(url).lines('/api/v1/jobs/{jobId}/result', {
    params: { path: { jobId: 'j' } },
  })) {
    found.push(identifier)
    more.abort()
  }
  expect(found).toEqual(['é1', '2'])
})

test('a job is waited for over an outage; one that failed is an error with the job', async () => {
  const job = (status: string) => give(200, { jobId: 'j', status, problem: { detail: 'The provider is gone.' } })
  const { url } = await serverOf(job('Accepted'), cut, job('Running'), job('Completed'), job('Failed'))
  const client = clientOf(url)
  const seen: string[] = []
  const ended = await client.waitForJob({ jobId: 'j' }, { onProgress: ({ status }) => seen.push(status), pollMs: 1 })
  expect([ended.status, seen]).toEqual(['Completed', ['Accepted', 'Running', 'Completed']])
  const failed = await client.waitForJob({ jobId: 'j' }).catch((error: unknown) => error)
  expect(failed).toBeInstanceOf(JobFailed)
  expect(failed).toMatchObject({ message: 'The job j ended as Failed: The provider is gone.', job: { jobId: 'j' } })
})

test('a signal ends the wait for a job', async () => {
  const { url } = await serverOf(give(200, { jobId: 'j', status: 'Running' }))
  const stop = new AbortController()
  const waiting = clientOf(url).waitForJob(
    { jobId: 'j' },
    { signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) },
  )
  await expect(waiting).rejects.toThrow('enough')
})

test('the URL of a path is below the base URL, also where that has a path', () => {
  const [clientId, clientSecret, scope] = ['c', 's', 'FrameApi']
  const client = createClient({ url: 'https://a.example/armature', clientId, clientSecret, scope })
  expect(client.url('/api/v1/jobs/1')).toBe('https://a.example/armature/api/v1/jobs/1')
})
