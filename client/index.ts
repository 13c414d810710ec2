// The package `armature/client`.
export type { Binary, components, operations, paths } from './api.js'
export { multipart } from './bodies.js'
export { type Client, type ClientOptions, createClient } from './client.js'
export type { WaitOptions } from './jobs.js'
export {
  ApiProblem,
  type Fault,
  type Job,
  JobFailed,
  NoAnswer,
  type ProblemDocument,
  TokenRefused,
} from './problems.js'
export type { Wait } from './repetition.js'
export type { Answer, CallOptions } from './types.js'
