/** A call of an endpoint. It may hold people's data and tokens: in Temporal it is only ever sealed. */
export interface GlueRequest {
  method: string
  /** A parameter that is given several times is a list. */
  query: Record<string, string | string[]>
  /** Parsed JSON, or the fields of a form; undefined where there is none. */
  body?: unknown
  /** The body as a JSON text, in place of `body`, where it has a number of more digits than JSON.parse keeps. */
  exactBody?: string
  /** The validated access token of the end user, where the endpoint asks for one. */
  userToken?: string | undefined
}

/** A run of an endpoint's pipeline. */
export interface EndpointRun {
  tenantKey: string
  endpointKey: string
  request: GlueRequest
  /** Of the caller's request; operators find the log lines by it. */
  traceId: string
  /** Names the run to providers, which can tell a repeated call by it. Absent where nothing that writes is repeated. */
  runId?: string | undefined
}

/** The next call of a provider in a run. */
export interface NextCall {
  step: string
  isIdempotent: boolean
}

/** Input of the workflow of an endpoint run. */
export interface EndpointInput {
  run: EndpointRun
  /** Task queue of the first steps, where that is a provider's. */
  queue: string | undefined
  /** Absent where the pipeline calls nobody. */
  call?: NextCall | undefined
  /** A run that Temporal takes later than this, in ms since 1970, does nothing: its caller has been told so. */
  startBy: number
}

/** A user's token that later steps of a run use. */
export interface TokenCheck extends Pick<EndpointRun, 'tenantKey' | 'endpointKey' | 'traceId'> {
  userToken: string
  /** When the whole run must be over, in ms since 1970. */
  deadline: number
}

/** Input of an activity of an endpoint run. */
export interface EndpointSteps {
  run: EndpointRun
  state: RunState
  /** When the whole run must be over, in ms since 1970. */
  deadline: number
}

/** How long a caller waits for a run, in ms. */
export const runBudgetMs = 25_000

/** Pauses between attempts, in ms. A caller waits: the first ones come soon after each other. */
export const attempts = { initialInterval: 100, backoffCoefficient: 2, maximumInterval: 5_000 } as const

/** How far a run is: the index of its next step and the outputs of those before, by name. */
export interface RunState {
  next: number
  outputs: Record<string, unknown>
  /** The outputs as a JSON text, in place of `outputs`, where one has a number of more digits than JSON.parse keeps. */
  exactOutputs?: string
  /** Of first steps that are repeated: the run validates the user's token before them. */
  isRepeated?: true
}

/** The answer of an endpoint. */
export interface GlueAnswer {
  status: number
  headers: Record<string, string>
  /** A text, as a template made it or of JSON with a number of more digits than JSON.parse keeps; otherwise JSON. */
  body: { text: string } | { json: unknown }
}

/** Why a run has no answer, as the caller reads it. It holds nothing of the request. */
export interface RunProblem {
  status: number
  code: string
  title: string
  detail: string
  faults: { pointer: string; code: string; detail: string }[]
  headers: Record<string, string>
}

export type EndpointOutcome = { answer: GlueAnswer } | { problem: RunProblem }

/** The next steps of a run. */
export interface NextSteps {
  state: RunState
  queue: string | undefined
  call?: NextCall | undefined
  /** The steps up to the call after that use the user's token. */
  usesToken?: true
}

/** Outcome of some steps of a run: what comes next, or the answer. */
export type StepsDone = { answer: GlueAnswer } | NextSteps

/** The task queue of a provider with limits: its worker keeps them. */
export const providerQueue = (tenantKey: string, providerKey: string): string =>
  `provider/${tenantKey}/${encodeURIComponent(providerKey)}`

/** Input of the workflow that a data set's schedule starts. */
export interface ScheduledRefresh {
  tenantKey: string
  dataExtractKey: string
}

/** One schedule a data extract. */
export const refreshScheduleId = ({ tenantKey, dataExtractKey }: ScheduledRefresh): string =>
  `${tenantKey}/scheduledRefresh/${encodeURIComponent(dataExtractKey)}`

/** Says to the run of a subject's changes that there is another job. */
export const changedSignal = 'changed'

/** Readable in the Temporal UI's list. */
export const endpointRunId = ({ tenantKey, endpointKey }: EndpointRun, id: string): string =>
  `${tenantKey}/glueEndpoint/${endpointKey}/${id}`
