// The Nexus service `armature`: jobs that a workflow of an integrator waits for. It runs in the sandbox of workflows.
import { operation, service } from 'nexus-rpc'
import type { Job, paths } from '../client/index.js'

/** The JSON that a call takes. */
type BodyOf<P extends keyof paths, M extends keyof paths[P]> = paths[P][M] extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Body
  : never

/** A file as text. Payloads of Temporal have 2 MB at most; a larger file is sent by HTTP, and its job waited for. */
export interface Rows {
  type: 'text/csv' | 'application/x-ndjson'
  rows: string
}

/** Inputs of the operations, which are named as those of the API where they are one call of it. */
export interface Inputs {
  upsertStructuralEntities: { items: BodyOf<'/api/v1/structuralEntity/bulk', 'put'> }
  importStructuralEntities: Rows
  importSubjects: Rows
  transferSubjects: { to: string } & BodyOf<
    '/api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer',
    'post'
  >
  refreshDataSet: { dataExtractKey: string }
  /** The result is read by HTTP: `/api/v1/jobs/{jobId}/result`. */
  runExtract: BodyOf<'/api/v2.0/extract', 'post'>
  /** A job that another call has begun. */
  waitForJob: Pick<Job, 'jobId'>
}

/** Each operation ends with the completed job. A failed one is an ApplicationFailure, whose type is the code of the problem. */
export const armature = service('armature', {
  upsertStructuralEntities: operation<Inputs['upsertStructuralEntities'], Job>(),
  importStructuralEntities: operation<Inputs['importStructuralEntities'], Job>(),
  importSubjects: operation<Inputs['importSubjects'], Job>(),
  transferSubjects: operation<Inputs['transferSubjects'], Job>(),
  refreshDataSet: operation<Inputs['refreshDataSet'], Job>(),
  runExtract: operation<Inputs['runExtract'], Job>(),
  waitForJob: operation<Inputs['waitForJob'], Job>(),
})
