/** A call of an endpoint. It may hold people's data and tokens: in Temporal it is only ever sealed. */
export interface GlueRequest {
  method: string
  /** A parameter that is given several times is a list. */
  query: Record<string, string | string[]>
  /** Parsed JSON, or the fields of a form; undefined where there is none. */
  body?: unknown
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
}

/** How far a run is: the index of its next step and the outputs of those before, by name. */
export interface RunState {
  next: number
  outputs: Record<string, unknown>
}

/** What an endpoint answers. */
export interface GlueAnswer {
  status: number
  headers: Record<string, string>
  /** A text as the template made it, or JSON. */
  body: { text: string } | { json: unknown }
}

/** Outcome of some steps of a run: what comes next, or the answer. */
export type StepsDone = { answer: GlueAnswer } | { state: RunState; queue: string | undefined }

/** The task queue of a provider with limits: its worker keeps them. */
export const providerQueue = (tenantKey: string, providerKey: string): string =>
  `provider/${tenantKey}/${encodeURIComponent(providerKey)}`

/** Readable in the Temporal UI's list. */
export const endpointRunId = ({ tenantKey, endpointKey }: EndpointRun, id: string): string =>
  `${tenantKey}/glueEndpoint/${endpointKey}/${id}`
