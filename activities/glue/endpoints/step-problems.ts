// The problems of pipeline steps, as callers get them.
import { NotEvaluated } from '../../../runtime/author-text.js'
import { badRequest, fault, invalid, Problem, pointerPart } from '../../../runtime/problem.js'

/** The provider answered what the step does not take. */
export const providerFailed = (step: string, why: string, cause?: unknown): Problem =>
  new Problem('provider-failed', `The step '${step}' failed: ${why}.`, [], {}, { cause })

interface Tries {
  attempt: number
  /** Of the last attempt. */
  calls?: number
  spentMs: number
  givenMs: number
}

/** How often a call was tried within its time, as problems say it. */
export const tries = ({ attempt, calls = 1, spentMs, givenMs }: Tries): string => {
  const times = calls === 1 ? '' : ` with ${calls} calls`
  return ` It was attempt ${attempt}${times}, after ${(spentMs / 1000).toFixed(1)} of ${givenMs / 1000} s.`
}

/** The provider answered bytes of which no text can be made without changing them. @param why says which they are. */
export function answeredNoText(step: string, status: number, contentType: string | undefined, why: string): Problem {
  const [type = 'no content type'] = /^[\w.+-]{1,60}\/[\w.+-]{1,60}/.exec(contentType ?? '') ?? []
  return new Problem(
    'provider-answer-no-text',
    `The step '${step}' failed: the provider answered ${status} with ${type}, but ${why}. Steps take JSON and other texts only: ` +
      'have the provider send one, in the charset that its content type names.',
  )
}

/** The endpoint's own settings cannot do what they say. The caller reads which step it is, the log has the reason. */
export const endpointFailed = (step: string, why: string): Problem =>
  new Problem(
    'endpoint-failed',
    `The step '${step}' cannot be carried out. Please report the trace id.`,
    [],
    {},
    { cause: new Error(`The step '${step}': ${why}`) },
  )

/** A value of the request cannot stand in a header of a step, such as one with a line break. */
export const headerRefused = (step: string, header: string): Problem =>
  badRequest(
    'header-value',
    `The step '${step}' makes its header '${header}' of the request. The value has a character that no header may have, such as a line break.`,
  )

/** More than a run can keep between two of its steps, or answer. */
export const tooLarge = (step: string, bytes: number, most: number): Problem =>
  new Problem(
    'output-too-large',
    `What the step '${step}' gives has ${bytes.toLocaleString('en')} bytes; ${most.toLocaleString('en')} can be kept.`,
  )

/** A template or an expression was ended at its limits. The pointer is that of its text in the manifest. */
const ended = (step: string, pointer: string, { message, lacked }: NotEvaluated): Problem => {
  const detail = `The step '${step}' was ended: a text of it ${lacked === 'time' ? 'takes too long' : 'needs too much memory'} with these values. It is not tried again.`
  const faults = [fault(pointer, lacked === 'time' ? 'too-slow' : 'too-much-memory', detail)]
  const cause = new Error(`The step '${step}': ${message}`)
  return new Problem('evaluation-ended', detail, faults, {}, { cause })
}

/**
 * A text of a step that could not be worked out. A value that the request lacks is the caller's to mend.
 * @param at pointer of the text in the manifest.
 */
export function notEvaluated(step: string, at: string, error: unknown): unknown {
  if (!(error instanceof NotEvaluated)) return error
  if (error.lacked) return ended(step, at, error)
  const [, place, path] = /^request\.(body|query)(?:\.(.+))?$/.exec(error.missing ?? '') ?? []
  if (place === undefined) return endpointFailed(step, error.message)
  const within = (path ?? '').split('.').filter(Boolean).map(pointerPart).join('/')
  const pointer = `${place === 'query' ? '/query' : ''}${within && `/${within}`}`
  const detail = place === 'query' ? 'The parameter is required.' : 'It is required.'
  return invalid([{ pointer, code: 'required', detail }])
}
