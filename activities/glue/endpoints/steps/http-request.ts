// The pipeline step `httpRequest`, which calls a provider.
import { hash } from 'node:crypto'
import { knownHost } from '../../../../db/glue/endpoints/secret-hosts.js'
import { expectsJson, type HttpRequestStep, type Provider } from '../../../../db/glue/endpoints/settings.js'
import { placeOfBody } from '../../../../runtime/expressions/escaped-output.js'
import { halfPair, parseJsonAsWritten } from '../../../../runtime/json/exact-json.js'
import type { OutboundAnswer } from '../../../../runtime/outbound/outbound.js'
import type { Problem } from '../../../../runtime/problems/problem.js'
import { decodeText, NotText } from '../../../../runtime/rows/decoded-text.js'
import { CredentialsNotEvaluated } from '../../../providers/provider-calls.js'
import { callAddress, LinkElsewhere, NoRequest } from '../../../providers/provider-request.js'
import {
  addressRefused,
  answeredNoText,
  endpointFailed,
  nextElsewhere,
  notEvaluated,
  providerFailed,
} from '../step-problems.js'
import { carriedOut, headers, isJson, kindOf, type StepContext, sendingTo, text, texts } from './step.js'

export interface HttpOutput {
  status: number
  headers: Record<string, string>
  /** Parsed if it is JSON, with numbers that a double would write otherwise as ExactNumber. Otherwise a text; null if empty. */
  body: unknown
}

/**
 * Calls a provider.
 * @throws ProviderFailed when it does not answer; Problem 502 when it answers a status that the step does not accept,
 * bytes that are no text, or no JSON where JSON is expected; Problem 500 when the provider's credentials cannot be
 * evaluated.
 */
export async function httpRequest(context: StepContext, step: HttpRequestStep): Promise<HttpOutput> {
  const { name, run, glue, calls, signal } = context
  const provider = glue.settings.providers.find(({ key }) => key === step.provider)
  // An address whose host is known only once it is evaluated reads no secrets.
  const known = knownHost(step.url, provider)
  const url = await address(known === undefined ? context : sendingTo(context, known), step, provider)
  const sending = sendingTo(context, url.host)
  const place = placeOfBody(step.headers, 'application/json')
  const body = step.body === undefined ? undefined : await text(sending, 'body', step.body, place)
  const request = {
    provider,
    method: step.method,
    idempotent: step.idempotent,
    url: url.href,
    headers: { ...defaults(context, step, body), ...(await headers(sending, step.headers)) },
    body,
    kind: kindOf(context),
    run: run.jobId ?? run.runId,
    signal,
  }
  if (body !== undefined && isJson(request.headers['content-type'])) {
    parsed(body, why => endpointFailed(name, `it would send ${why}`))
  }
  const answer = await calls.call({ id: run.tenantId, key: run.tenantKey }, glue, request).catch((error: unknown) => {
    throw error instanceof CredentialsNotEvaluated ? notEvaluated(name, error.pointer, error) : error
  })
  const isSuccess = answer.status >= 200 && answer.status < 300
  if (!isSuccess && !step.accept.includes(answer.status))
    throw providerFailed(name, `the provider answered ${answer.status}`)
  const mustBeJson = isSuccess && expectsJson({ name, httpRequest: step }, context.later)
  return { status: answer.status, headers: answer.headers, body: bodyOf(answer, name, mustBeJson) }
}

/** Builds the address with its query. A step that names a provider cannot call another host. */
async function address(context: StepContext, step: HttpRequestStep, provider: Provider | undefined): Promise<URL> {
  const rendered = await text(context, 'url', step.url, 'address')
  const { asked, name: stepName } = context
  const answered = isOfAnswer.test(step.url) ? asked.byProvider[step.provider ?? ''] : undefined
  const url = carriedOut(context, () => {
    try {
      return callAddress(step.url, rendered, provider, answered)
    } catch (error) {
      if (!(error instanceof NoRequest)) throw error
      if (error instanceof LinkElsewhere && isCursor.test(step.url))
        throw nextElsewhere(stepName, error.origin, provider)
      if (step.url.includes('request.')) throw addressRefused(stepName)
      throw error instanceof LinkElsewhere ? nextElsewhere(stepName, error.origin, provider) : error
    }
  })
  for (const [name, value] of await texts(context, 'query', step.query)) {
    if (value !== '') url.searchParams.append(name, value)
  }
  const withoutQuery = url.origin + url.pathname
  if (step.provider !== undefined) asked.byProvider[step.provider] = withoutQuery
  if (isCursor.test(step.url)) asked.byCursor = { url: withoutQuery, provider }
  return url
}

/** Matches templates of addresses that begin with a value of an answer. */
const isOfAnswer = /^\s*\{\{-?\s*steps\./

/** Matches templates of addresses that begin with the cursor of a page, which is a link then. */
const isCursor = /^\s*\{\{-?\s*request\.body\.cursor\b/

/**
 * Sends JSON by default. A call that may be repeated carries the same idempotency key each time, so that the provider
 * can recognize the repetition.
 */
function defaults({ run, name }: StepContext, { method }: HttpRequestStep, body: string | undefined) {
  const repeatable = run.runId === undefined || method === 'GET'
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(repeatable ? {} : { 'idempotency-key': hash('sha256', `${run.runId}\0${name}`, 'hex').slice(0, 32) }),
  }
}

/**
 * Parses a body that says it is JSON, or that must be, whatever its content type says. A maintenance page with the status
 * 200 thus fails the step. A 204 or 205 has no body by definition.
 */
function bodyOf({ status, headers, body }: OutboundAnswer, step: string, mustBeJson: boolean): unknown {
  const failed = (why: string) => providerFailed(step, `the provider answered ${status} with ${why}`)
  if (body.length === 0 && mustBeJson && ![204, 205].includes(status)) throw failed('an empty body instead of JSON')
  if (body.length === 0) return null
  const contentType = headers['content-type']
  const content = textOf(body, contentType, why => answeredNoText(step, status, contentType, why))
  return isJson(contentType) || mustBeJson ? parsed(content, failed) : content
}

function textOf(body: Buffer, contentType: string | undefined, failed: (why: string) => Problem): string {
  try {
    return decodeText(body, contentType)
  } catch (error) {
    throw error instanceof NotText ? failed(error.message) : error
  }
}

/**
 * Parses JSON.
 * @param failed makes the error to throw from what is wrong with the JSON.
 */
function parsed(content: string, failed: (why: string) => Problem): unknown {
  if (halfPair.test(content)) throw failed('JSON with an escape of half a surrogate pair')
  try {
    return parseJsonAsWritten(content)
  } catch (error) {
    throw failed(error instanceof RangeError ? 'a number too large to store' : 'a body that is not valid JSON')
  }
}
