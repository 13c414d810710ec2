import type { Knex } from 'knex'
import { createGlueReader, type GlueReader, type OpenedGlue } from '../../db/glue/settings.js'
import type { Config } from '../../runtime/config.js'
import type { Log } from '../../runtime/log.js'
import { createOutbound } from '../../runtime/outbound.js'
import { unauthenticated } from '../../runtime/problem.js'
import { processName } from '../../runtime/process-name.js'
import type { Seal } from '../../runtime/seal.js'
import type { EndpointRun } from '../../workflows/glue/contracts.js'
import { createUserTokens, type UserTokens } from '../auth/user-tokens.js'
import type { TokenValidator } from '../auth/validate-token.js'
import { TokenRefused } from '../auth/verify-token.js'
import { createCircuits } from './circuits.js'
import { createProviderCalls } from './provider-calls.js'
import { createRunSteps, type RunSteps } from './run-steps.js'

/** What runs endpoints in a process: one way out, one memory of settings, tokens and circuits. */
export interface Glue {
  glue: GlueReader
  runSteps: RunSteps
  userTokens: UserTokens
  /** Validates a user's token again, as the endpoint's own methods say. @throws Problem 401 when it is valid no more. */
  recheck(userToken: string, run: EndpointRun, glue: OpenedGlue): Promise<void>
}

export function createGlue(options: { config: Config; db: Knex; log: Log; seal: Seal; tokens: TokenValidator }): Glue {
  const { config, db, log, seal, tokens } = options
  const outbound = createOutbound({ allow: config.outboundAllow })
  const circuits = createCircuits({ db, log, process: processName })
  const userTokens = createUserTokens({ platform: tokens, fetch: outbound.fetch, log })
  return {
    glue: createGlueReader({ db, seal }),
    runSteps: createRunSteps({ calls: createProviderCalls({ outbound, circuits }) }),
    userTokens,
    async recheck(userToken, { tenantKey, endpointKey }, { settings, variables }) {
      const endpoint = settings.endpoints.find(({ key }) => key === endpointKey)
      for (const { openIdConnect } of endpoint?.authentication ?? []) {
        if (openIdConnect) await userTokens.validate(userToken, openIdConnect, { tenantKey, variables }).catch(refused)
      }
    },
  }
}

function refused(error: unknown): never {
  if (!(error instanceof TokenRefused)) throw error
  throw unauthenticated("The user's token is valid no more.", 'invalid_token')
}
