// Creates what all endpoint runs of a process share.
import type { Knex } from 'knex'
import { createGlueReader, type GlueReader } from '../../../db/glue/endpoints/settings.js'
import { createEvaluator, type Evaluator } from '../../../runtime/expressions/expressions.js'
import type { Log } from '../../../runtime/observe/log.js'
import { createOutbound, type Outbound } from '../../../runtime/outbound/outbound.js'
import { unauthenticated } from '../../../runtime/problems/problem.js'
import { processName } from '../../../runtime/process/process-name.js'
import type { Seal } from '../../../runtime/secrets/seal.js'
import type { Config } from '../../../runtime/settings/config.js'
import { createOutcomes, type Outcomes } from '../../../runtime/temporal/outcomes.js'
import type { EndpointOutcome } from '../../../workflows/glue/contracts.js'
import { AuthorityUnavailable } from '../../auth/authority.js'
import type { Grants } from '../../auth/grants.js'
import { createUserTokens, UnusableMethod, type UserTokens } from '../../auth/user-tokens.js'
import type { TokenValidator } from '../../auth/validate-token.js'
import { TokenRefused } from '../../auth/verify-token.js'
import { createCircuits } from '../../providers/circuits.js'
import { createProviderCalls, type ProviderCalls } from '../../providers/provider-calls.js'
import { type AnswerDirectly, createDirectCalls } from './direct-calls.js'
import { createRunSteps, type RunSteps } from './run-steps.js'
import { createStepRunner, type StepRunner, type StepRunnerDependencies } from './step-runner.js'

/** What a process needs to run endpoints. The parts share outbound calls, settings, tokens and circuit breakers. */
export interface Glue {
  evaluator: Evaluator
  glue: GlueReader
  outbound: Outbound
  calls: ProviderCalls
  runSteps: RunSteps
  userTokens: UserTokens
  stepRunner: StepRunner
  /** Runs endpoints that only read, for callers of this process. */
  answerDirectly: AnswerDirectly
  /** The outcomes of runs that this process has finished, by workflow id. */
  outcomes: Outcomes<EndpointOutcome>
}

interface GlueOptions {
  config: Config
  db: Knex
  log: Log
  seal: Seal
  tokens: TokenValidator
  grants: Grants
  /** Script of the processes that evaluate expressions, if this process does not run from `dist`. */
  expressionProcess?: string
}

export function createGlue({ config, db, log, seal, tokens, grants, expressionProcess }: GlueOptions): Glue {
  const outbound = createOutbound({ allow: config.outboundAllow })
  const circuits = createCircuits({ db, log, process: processName })
  const evaluator = createEvaluator(expressionProcess)
  const userTokens = createUserTokens({ platform: tokens, grants, evaluator, fetch: outbound.fetch, log })
  const glue = createGlueReader({ db, seal })
  const calls = createProviderCalls({ outbound, circuits, evaluator })
  const runSteps = createRunSteps({ calls, evaluator })
  const outcomes = createOutcomes<EndpointOutcome>()
  const stepRunner = createStepRunner({ db, log, glue, runSteps, recheck: recheckBy(userTokens) })
  const answerDirectly = createDirectCalls(stepRunner)
  return { evaluator, glue, outbound, calls, runSteps, userTokens, stepRunner, answerDirectly, outcomes }
}

/** Checks that all of an endpoint's methods for users still accept the token. */
const recheckBy =
  (userTokens: UserTokens): StepRunnerDependencies['recheck'] =>
  async (userToken, { endpointKey, ...tenant }, { settings: { endpoints, variables } }) => {
    const endpoint = endpoints.find(({ key }) => key === endpointKey)
    for (const { openIdConnect } of endpoint?.authentication ?? []) {
      if (openIdConnect) await userTokens.validate(userToken, openIdConnect, { ...tenant, variables }).catch(refused)
    }
  }

function refused(error: unknown): never {
  const isRefusal = [TokenRefused, UnusableMethod, AuthorityUnavailable].some(each => error instanceof each)
  if (!isRefusal) throw error
  throw unauthenticated("The user's token is no longer valid.", 'invalid_token')
}
