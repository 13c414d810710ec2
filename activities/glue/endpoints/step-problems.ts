// The problems of pipeline steps, as callers see them.
import type { Provider } from '../../../db/glue/endpoints/settings.js'
import { NotEvaluated } from '../../../runtime/expressions/parsed-texts.js'
import { badRequest, fault, forbidden, invalid, Problem, pointerPart } from '../../../runtime/problems/problem.js'

/** A provider's answer that the step does not accept. */
export const providerFailed = (step: string, why: string, cause?: unknown): Problem =>
  new Problem('provider-failed', `The step '${step}' failed: ${why}.`, [], {}, { cause })

interface Tries {
  attempt: number
  /** Calls made in the last attempt. */
  calls?: number
  spentMs: number
  givenMs: number
}

/** Says, as a sentence for a problem, how often a call was attempted and how much of its time it used. */
export const tries = ({ attempt, calls = 1, spentMs, givenMs }: Tries): string => {
  const times = calls === 1 ? '' : ` with ${calls} calls`
  return ` It was attempt ${attempt}${times}, after ${(spentMs / 1000).toFixed(1)} of ${givenMs / 1000} s.`
}

/**
 * The provider answered bytes that cannot be decoded as text without loss.
 * @param why what is wrong with the bytes.
 */
export function answeredNoText(step: string, status: number, contentType: string | undefined, why: string): Problem {
  const [type = 'no content type'] = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(contentType ?? '') ?? []
  return new Problem(
    'provider-answer-no-text',
    `The step '${step}' failed: the provider answered ${status} with ${type}, but ${why}. Steps take JSON and other texts only: ` +
      'have the provider send one, in the charset that its content type names.',
  )
}

/**
 * The provider's answer does not have the rows that the endpoint's author has declared.
 * @param pointer of the member that is missing or wrong, from the outputs of all steps.
 */
export function answeredNoRows(step: string, code: 'required' | 'wrong-type', pointer: string, why: string): Problem {
  const detail = `The step '${step}' failed: the provider's answer has no rows, because ${why}.`
  return new Problem('provider-answer-no-rows', detail, [fault(pointer, code, `The rows cannot be read: ${why}.`)])
}

/**
 * The endpoint's settings are at fault, so the caller cannot help. The caller learns which step it is; the reason goes
 * to the log.
 */
export const endpointFailed = (step: string, why: string): Problem =>
  new Problem(
    'endpoint-failed',
    `The step '${step}' cannot be carried out. Please report the trace id.`,
    [],
    {},
    { cause: new Error(`The step '${step}': ${why}`) },
  )

/** A value of the request contains characters that a header of the step must not contain, such as a line break. */
export const headerRefused = (step: string, header: string): Problem =>
  badRequest(
    'header-value',
    `The step '${step}' builds its header '${header}' from the request. The value contains a character that no header may contain, such as a line break.`,
  )

/** A value of the request would lead an address of the step out of its path, by `..`, a slash or a line break. */
export const addressRefused = (step: string): Problem =>
  badRequest(
    'address-value',
    `The step '${step}' builds its address from the request. The value would lead to another path or host, by '..', a slash, a line break or a host of its own.`,
  )

/**
 * A link of the provider leads to a host, or a path, that is not the provider's.
 * @param origin scheme, host and port of the link.
 */
export const nextElsewhere = (step: string, origin: string, provider: Provider | undefined): Problem =>
  new Problem(
    'next-elsewhere',
    `The step '${step}' failed: a link of the provider '${provider?.key}' leads to ${origin}, and not below ${provider?.url}. If that is ` +
      'the same server, add its address to alsoKnownAs of the provider.',
  )

/** An expression has ended the run with `$error` or `$assert`, and a text of its author. */
const saidByAuthor = (step: string, said: string): Problem =>
  new Problem('step-error', `The step '${step}' failed: ${said.slice(0, longestSaid)}`)

const longestSaid = 1_000

/** An output or answer larger than a run can carry. */
export const tooLarge = (step: string, bytes: number, max: number): Problem =>
  new Problem(
    'output-too-large',
    `The output of the step '${step}' has ${bytes.toLocaleString('en')} bytes; at most ${max.toLocaleString('en')} can be kept.`,
  )

/** A template or an expression exceeded its limits and was stopped. The pointer is that of the text in the manifest. */
const ended = (step: string, pointer: string, { message, lacked }: NotEvaluated): Problem => {
  const detail = `The step '${step}' was ended: a text of it ${lacked === 'time' ? 'takes too long' : 'needs too much memory'} with these values. It is not tried again.`
  const faults = [fault(pointer, lacked === 'time' ? 'too-slow' : 'too-much-memory', detail)]
  const cause = new Error(`The step '${step}': ${message}`)
  return new Problem('evaluation-ended', detail, faults, {}, { cause })
}

/**
 * Turns the failure of a step's template or expression into a problem. If the request lacks a value, that is the
 * caller's fault; anything else is the endpoint's.
 * @param at pointer of the text in the manifest.
 */
export function notEvaluated(step: string, at: string, error: unknown): unknown {
  if (!(error instanceof NotEvaluated)) return error
  if (error.lacked) return ended(step, at, error)
  if (error.said !== undefined) return saidByAuthor(step, error.said)
  const [, claim] = /^request\.user\.(.+)$/.exec(error.missing ?? '') ?? []
  if (claim !== undefined) return forbidden(`This endpoint needs the claim '${claim}', which your token does not have.`)
  const [, place, path] = /^request\.(body|query)(?:\.(.+))?$/.exec(error.missing ?? '') ?? []
  if (place === undefined) return endpointFailed(step, error.message)
  const within = (path ?? '').split('.').filter(Boolean).map(pointerPart).join('/')
  const pointer = `${place === 'query' ? '/query' : ''}${within && `/${within}`}`
  const detail = place === 'query' ? 'The parameter is required.' : 'It is required.'
  return invalid([{ pointer, code: 'required', detail }])
}
