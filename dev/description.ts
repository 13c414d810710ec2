// Builds the API description without a running API, database or Temporal server.
import pino from 'pino'
import { connect } from '../db/connect.js'
import { createPublishedForms } from '../db/forms/templates/published-forms.js'
import { noReplicas } from '../db/replicas.js'
import { createStorages } from '../db/storage/storage.js'
import { unavailable } from '../runtime/problems/problem.js'
import { createSeal } from '../runtime/secrets/seal.js'
import { createSecretHasher, minHashCost } from '../runtime/secrets/secrets.js'
import { readConfig } from '../runtime/settings/config.js'
import { createOutcomes } from '../runtime/temporal/outcomes.js'
import { endpointsOf, otherRoutes } from '../server/app.js'
import { createJobs } from '../server/jobs/start.js'
import { openApi } from '../server/openapi.js'

/** Builds the OpenAPI description from the source, with the default settings. */
export async function describedApi(): Promise<object> {
  const config = readConfig({
    DATABASE_URL: 'mysql://127.0.0.1:1/none',
    ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
  })
  const db = connect(config.databaseUrl, { poolSize: 1 })
  const temporal = () => {
    throw unavailable('The workflow service')
  }
  const jobs = createJobs({
    db,
    temporal,
    jobEnds: createOutcomes(),
    log: pino({ level: 'silent' }),
    closing: new AbortController().signal,
    waitTimeoutMs: config.jobWaitTimeoutMs,
    uiUrl: '',
    publicUrl: config.publicUrl,
    namespace: '',
  })
  const endpoints = endpointsOf({
    config,
    db,
    jobs,
    reads: noReplicas(db),
    forms: createPublishedForms({ db, ttlMs: 0 }),
    hasher: createSecretHasher(minHashCost),
    identity: undefined,
    seal: createSeal(config.encryptionKey),
    storages: createStorages(db, config),
  })
  await db.destroy()
  const { publicUrl, identity } = config
  return openApi(endpoints, otherRoutes, { publicUrl, tokenUrl: `${identity.authority}/connect/token` })
}
