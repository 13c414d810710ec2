// Defines the Nexus service `armature`, whose operations are jobs that an integrator's workflow waits for. Workflows
// import this
// file, so it must be able to run in their sandbox.
import { operation, service } from 'nexus-rpc'
import type { Job, paths } from '../client/index.js'

/** The JSON body of a call. */
type BodyOf<P extends keyof paths, M extends keyof paths[P]> = paths[P][M] extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Body
  : never

/** A file as text. Temporal payloads are limited to 2 MB. Upload larger files by HTTP, and then use `waitForJob`. */
export interface Rows {
  type: 'text/csv' | 'application/x-ndjson'
  rows: string
}

/** The inputs of the operations. An operation that is a single API call has the name of that call. */
export interface Inputs {
  upsertStructuralEntities: { items: BodyOf<'/api/v1/structuralEntity/bulk', 'put'> }
  importStructuralEntities: Rows
  importSubjects: Rows
  transferSubjects: { to: string } & BodyOf<
    '/api/v1/structuralEntity/{destinationStructuralEntityKey}/subjects/transfer',
    'post'
  >
  refreshDataSet: { dataExtractKey: string }
  /** Read the result by HTTP from `/api/v1/jobs/{jobId}/result`. */
  runExtract: BodyOf<'/api/v2.0/extract', 'post'>
  /** A job that was started in another way. */
  waitForJob: Pick<Job, 'jobId'>
}

/**
 * The service. Operations return the completed job, or fail with an ApplicationFailure whose type is the code of the
 * problem.
 */
export const armature = service('armature', {
  upsertStructuralEntities: operation<Inputs['upsertStructuralEntities'], Job>(),
  importStructuralEntities: operation<Inputs['importStructuralEntities'], Job>(),
  importSubjects: operation<Inputs['importSubjects'], Job>(),
  transferSubjects: operation<Inputs['transferSubjects'], Job>(),
  refreshDataSet: operation<Inputs['refreshDataSet'], Job>(),
  runExtract: operation<Inputs['runExtract'], Job>(),
  waitForJob: operation<Inputs['waitForJob'], Job>(),
})
