// Runs the API inside the process of a test.

import Router from '@koa/router'
import pino from 'pino'
import { createGrants } from '../../activities/auth/grants.js'
import { createTokenValidator } from '../../activities/auth/validate-token.js'
import { createGlue } from '../../activities/glue/endpoints/glue.js'
import { createRateCounts } from '../../db/admin/rate-counts.js'
import { connect } from '../../db/connect.js'
import { createPublishedForms } from '../../db/forms/templates/published-forms.js'
import { accountFinder } from '../../db/identity/accounts.js'
import { clientStore } from '../../db/identity/clients.js'
import { startReads } from '../../db/replica-heartbeats.js'
import { createStorages } from '../../db/storage/storage.js'
import { unavailable } from '../../runtime/problems/problem.js'
import { createSeal } from '../../runtime/secrets/seal.js'
import { createSecretHasher, minHashCost } from '../../runtime/secrets/secrets.js'
import { readConfig } from '../../runtime/settings/config.js'
import { createOutcomes } from '../../runtime/temporal/outcomes.js'
import { createApp } from '../../server/app.js'
import { basePathOf } from '../../server/base-path.js'
import { httpServer } from '../../server/http-server.js'
import { createJobs } from '../../server/jobs/start.js'
import { createRateLimits } from '../../server/rate-limits.js'
import { expressionProcess } from './expressions.js'
import { audience, startIssuer } from './issuer.js'
import { refuseUndeclared } from './undeclared.js'

/**
 * Starts the API in this process, and collects its log. It trusts an issuer whose keys the test has, so that a test can also sign tokens
 * that the platform would never issue. There is no Temporal, so calls that start a job answer 503.
 */
export async function startOwnApp(databaseUrl: string, env: NodeJS.ProcessEnv = {}) {
  const issuer = await startIssuer()
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: line => lines.push(line) })
  const db = connect(databaseUrl, { poolSize: 4 })
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    IDENTITY_AUTHORITY: issuer.issuer,
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    ...env,
  })
  const reads = startReads({ primary: db, databaseUrl, replicas: config.replicas, options: { poolSize: 4 }, log })
  const temporal = () => {
    throw unavailable('The workflow service')
  }
  const seal = createSeal(config.encryptionKey)
  const tokens = createTokenValidator({ authority: issuer.issuer, audience, log })
  const grants = createGrants({ clients: clientStore(db), accounts: accountFinder(db) })
  const app = createApp({
    forms: createPublishedForms({ db, ttlMs: 0 }),
    ...createGlue({ config, db, log, seal, tokens, grants, expressionProcess }),
    config,
    db,
    reads,
    log,
    worker: { current: temporal, isRunning: () => false, failingMs: () => 0, stop: async () => undefined },
    polling: { states: () => ({}), isLive: async () => true },
    jobs: createJobs({
      db,
      temporal,
      log,
      jobEnds: createOutcomes(),
      closing: new AbortController().signal,
      waitTimeoutMs: 1000,
      uiUrl: '',
      namespace: '',
      publicUrl: config.publicUrl,
    }),
    storages: createStorages(db, config),
    grants,
    tokens,
    seal,
    hasher: createSecretHasher(minHashCost),
    rateLimits: createRateLimits({ counts: createRateCounts(db), log }),
    identity: undefined,
  })
  const server = httpServer(app, basePathOf(config.publicUrl))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    baseUrl: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    issuer,
    lines,
    /** All routes of the API and of its pages. Parameters in the paths are written as `:name`. */
    routes: app.middleware.flatMap(middleware => routesOf(middleware)),
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await issuer.stop()
      await reads.stop()
      await db.destroy()
      refuseUndeclared(lines.join(''))
    },
  }
}

/** Returns the routes of a router's middleware, or none for other middleware. */
const routesOf = (middleware: object): { method: string; path: string }[] =>
  'router' in middleware && middleware.router instanceof Router
    ? middleware.router.stack.flatMap(({ methods, path }) => methods.map(method => ({ method, path: String(path) })))
    : []
