// Connects the demo to the API, and explains errors of the API to people.
import {
  ApiProblem,
  type Client,
  createClient,
  type Fault,
  JobFailed,
  NoAnswer,
  TokenRefused,
} from '../../client/index.js'

/** An error to be shown to the person at the terminal: a headline, details, and what to do next. */
export class DemoError extends Error {
  constructor(
    headline: string,
    readonly details: string[],
    readonly nextStep: string,
  ) {
    super(headline)
  }
}

/** Creates a client for a tenant. Calls wait while the API is down, because `npm start` restarts it within seconds. */
export const connect = (url: string, { id, secret, tenantKey }: DemoClient, scope: string): Client =>
  createClient({ url, clientId: id, clientSecret: secret, tenantKey, scope })

/** The credentials of a client of the demo. */
export interface DemoClient {
  id: string
  secret: string
  tenantKey: string
}

/** Converts errors of the client to a {@link DemoError}. Other errors are returned unchanged. */
export function explained(error: unknown): unknown {
  if (error instanceof NoAnswer) {
    const nextStep = 'Is `npm start` running? Another address: ARMATURE_URL=… npm run demo'
    return new DemoError(`Nothing answers at ${new URL(error.url).origin}.`, [error.reason], nextStep)
  }
  if (error instanceof TokenRefused) {
    return new DemoError(error.message, [], 'The demo tenant and its clients exist under `npm start` only.')
  }
  if (error instanceof ApiProblem) {
    const { call, status, title, detail, errors, traceId } = error
    const headline = `${call} was refused: ${status} ${title}`
    return new DemoError(headline, [detail, ...problemLines(errors, traceId)], nextStep(error))
  }
  return error instanceof JobFailed ? jobError(error) : error
}

function jobError({ job: { status, problem, links } }: JobFailed): DemoError {
  const { detail, errors, traceId } = Object(problem)
  const details = [...(detail ? [detail] : []), ...problemLines(errors ?? [], traceId), `Items: ${links.items}`]
  return new DemoError(`The job ended as ${status}.`, details, `See ${links.temporalUi ?? links.self}`)
}

const shownErrors = 20

/** Lists the first faults of a problem with their pointers, and its trace id. */
function problemLines(errors: readonly Fault[], traceId: string | undefined): string[] {
  return [
    ...errors.slice(0, shownErrors).map(({ pointer, detail }) => `${pointer}  ${detail}`),
    ...(errors.length > shownErrors ? [`… and ${errors.length - shownErrors} more`] : []),
    ...(traceId === undefined ? [] : [`Trace id ${traceId}`]),
  ]
}

function nextStep({ status, code, retryAfter }: ApiProblem): string {
  if (code === 'not-json') return 'Is this Armature?'
  if (status === 503) return `Try again in ${retryAfter ?? 'a few'} seconds; /health/status says what is missing.`
  if (status >= 500) return 'The log of `npm start` has the cause; look for the trace id.'
  if (status === 401 || status === 403)
    return 'Has the demo tenant been changed? Restart `npm start` to apply it again.'
  return 'This is a mistake in the demo, or the API no longer accepts what it sends.'
}
