import { hash } from 'node:crypto'
import type { HttpRequestStep, Provider } from '../../../db/glue/settings.js'
import { callAddress } from '../../provider-request.js'
import { endpointFailed, providerFailed } from '../step-problems.js'
import { carriedOut, headers, isJson, type StepContext, text } from './step.js'

export interface HttpOutput {
  status: number
  headers: Record<string, string>
  /** Parsed where it is JSON, otherwise a text; null where there is none. */
  body: unknown
}

/**
 * Calls a provider.
 * @throws ProviderFailed when it does not answer; Problem 502 when it answers with a status that the step does not take, or no
 *   JSON although it says so.
 */
export async function httpRequest(context: StepContext, step: HttpRequestStep): Promise<HttpOutput> {
  const { name, run, glue, calls, signal } = context
  const provider = glue.settings.providers.find(({ key }) => key === step.provider)
  const body = step.body === undefined ? undefined : text(context, step.body)
  const request = {
    provider,
    method: step.method,
    idempotent: step.idempotent,
    url: address(context, step, provider),
    headers: { ...defaults(context, step, body), ...headers(context, step.headers) },
    body,
    signal,
  }
  if (body !== undefined && isJson(request.headers['content-type']) && parsed(body) === undefined) {
    throw endpointFailed(name, 'its body is said to be JSON and is none')
  }
  const answer = await calls.call({ id: run.tenantId, key: run.tenantKey }, glue, request)
  const isFine = (answer.status >= 200 && answer.status < 300) || step.accept.includes(answer.status)
  if (!isFine) throw providerFailed(name, `the provider answered ${answer.status}`)
  return { status: answer.status, headers: answer.headers, body: bodyOf(answer, name) }
}

/** The URL with the query; a provider's step stays at its provider. */
function address(context: StepContext, step: HttpRequestStep, provider: Provider | undefined): string {
  const given = text(context, step.url)
  const url = carriedOut(context, () => callAddress(given, provider?.url))
  for (const [name, template] of Object.entries(step.query)) {
    const value = text(context, template)
    if (value !== '') url.searchParams.append(name, value)
  }
  return url.href
}

/** A call that may be repeated carries the same key each time, so that a provider can tell. */
function defaults({ run, name }: StepContext, { method }: HttpRequestStep, body: string | undefined) {
  const repeatable = run.runId === undefined || method === 'GET'
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(repeatable ? {} : { 'idempotency-key': hash('sha256', `${run.runId}\0${name}`, 'hex').slice(0, 32) }),
  }
}

function bodyOf(answer: { headers: Record<string, string>; body: Buffer }, step: string): unknown {
  if (answer.body.length === 0) return null
  const content = answer.body.toString()
  if (!isJson(answer.headers['content-type'])) return content
  const json = parsed(content)
  if (json === undefined) throw providerFailed(step, 'the provider answered what is no JSON, although it says so')
  return json
}

/** Undefined for what is no JSON. */
function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}
