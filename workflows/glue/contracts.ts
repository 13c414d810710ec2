/** A call of an endpoint. Because it may contain personal data and tokens, it is always encrypted in Temporal. */
export interface GlueRequest {
  method: string
  /** A parameter that occurs several times becomes a list. */
  query: Record<string, string | string[]>
  /** The parsed JSON, or the fields of a form; undefined without a body. */
  body?: unknown
  /** The body as JSON text. It replaces `body` if a number has more digits than JSON.parse keeps. */
  exactBody?: string
  /** The end user's validated access token, if the endpoint requires one. */
  userToken?: string | undefined
  /** The program that calls. Absent when a data set is refreshed, because nobody calls then. */
  caller?: GlueCaller | undefined
}

/** The program that calls an endpoint, as far as the methods of authentication tell. */
export interface GlueCaller {
  /** The tenant's client whose platform token was accepted. */
  clientId?: string | undefined
  /** Id of the API key that was accepted. */
  apiKeyId?: string | undefined
}

/** A run of an endpoint's pipeline. */
export interface EndpointRun {
  tenantKey: string
  endpointKey: string
  request: GlueRequest
  /** Trace id of the caller's request, by which operators find the log lines. */
  traceId: string
  /**
   * Identifies the run to providers, so that they can recognize a repeated call. Absent when a data set is refreshed,
   * because such calls only read.
   */
  runId?: string | undefined
}

/** A run that a caller waits for. */
export interface CalledRun extends EndpointRun {
  runId: string
}

/** The next call of a provider in a run. */
export interface NextCall {
  step: string
  isIdempotent: boolean
}

/** The input of an endpoint run's workflow. */
export interface EndpointInput {
  run: CalledRun
  /** The task queue of the first steps, if they call a provider with limits. */
  queue: string | undefined
  /** The first call of the pipeline, if there is one. */
  call?: NextCall | undefined
  /**
   * Latest start, in ms since 1970 by Temporal's clock. A run that Temporal starts later does nothing, because its caller has already been
   * told that it failed.
   */
  startBy: number
}

/** Asks whether a user's token is still valid before later steps use it. */
export interface TokenCheck extends Pick<EndpointRun, 'tenantKey' | 'endpointKey' | 'traceId'> {
  userToken: string
  /** When the whole run must have ended, in ms since 1970 by Temporal's clock. */
  deadline: number
}

/** The input of an activity that runs steps. */
export interface EndpointSteps {
  run: EndpointRun
  state: RunState
  /** When the whole run must have ended, in ms since 1970 by Temporal's clock. */
  deadline: number
}

/** How long a caller waits for a run, in ms. */
export const runBudgetMs = 25_000

/** Pauses between attempts, in ms. The first are short because a caller waits. */
export const attempts = { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 5_000 } as const

/** How far a run is: the index of its next step, and the outputs of earlier steps by name. */
export interface RunState {
  next: number
  outputs: Record<string, unknown>
  /** The outputs as JSON text. It replaces `outputs` if a number has more digits than JSON.parse keeps. */
  exactOutputs?: string
  /** The last address asked, without its query, by provider. Links in later steps are relative to it. */
  asked?: Record<string, string>
  /** Set when the first steps run again, so that the user's token is validated before them. */
  isRepeated?: true
}

/** The answer of an endpoint. */
export interface GlueAnswer {
  status: number
  headers: Record<string, string>
  /**
   * `text` is sent as it is: the result of a template, or JSON text if a number has more digits than JSON.parse keeps.
   */
  body: { text: string } | { json: unknown }
}

/** Why a run has no answer, as the caller sees it. It contains nothing of the request. */
export interface RunProblem {
  status: number
  code: string
  title: string
  detail: string
  faults: { pointer: string; code: string; detail: string }[]
  headers: Record<string, string>
}

export type EndpointOutcome = { answer: GlueAnswer } | { problem: RunProblem }

/** What the workflow must know about the next steps. */
export interface NextSteps {
  state: RunState
  queue: string | undefined
  call?: NextCall | undefined
  /** Set if the user's token is used by the steps before the call after next. */
  usesToken?: true
}

/** The outcome of some steps: either the answer, or what comes next. */
export type StepsDone = { answer: GlueAnswer } | NextSteps

/** Returns the task queue of a provider with limits. The worker of that queue enforces them. */
export const providerQueue = (tenantKey: string, providerKey: string): string =>
  `provider/${tenantKey}/${encodeURIComponent(providerKey)}`

/** The input of the workflow that a data set's schedule starts. */
export interface ScheduledRefresh {
  tenantKey: string
  dataExtractKey: string
}

/** Returns the id of a data extract's schedule. */
export const refreshScheduleId = ({ tenantKey, dataExtractKey }: ScheduledRefresh): string =>
  `${tenantKey}/scheduledRefresh/${encodeURIComponent(dataExtractKey)}`

/** The signal that gives another job to the run of a subject's changes. */
export const changedSignal = 'changed'

/** Names a webhook of a tenant; the input of its workflow. */
export interface WebhookRef {
  tenantKey: string
  webhookKey: string
}

/** What one activity of a webhook's run has done. */
export interface Delivered {
  /** How many events have arrived. */
  sent: number
  /** Set if nothing is sent any more, because the webhook is stopped or removed. A replay starts another run. */
  isOver: boolean
  /** In how many ms something may be sent. Absent if nothing is left. */
  waitMs?: number | undefined
  /** Why events did not arrive. */
  reason?: string | undefined
}

/** The signal that tells the run of a webhook that there is something to send. */
export const eventsSignal = 'events'

/** Returns the workflow id of a webhook's run. */
export const webhookRunId = ({ tenantKey, webhookKey }: WebhookRef): string =>
  `${tenantKey}/webhook/${encodeURIComponent(webhookKey)}`

/** Returns the workflow id of a run, in a form that operators can read in the Temporal UI. */
export const endpointRunId = ({ tenantKey, endpointKey, runId }: CalledRun): string =>
  `${tenantKey}/glueEndpoint/${endpointKey}/${runId}`
