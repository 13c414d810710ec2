// Assembles the Koa application: middleware, endpoints and pages.
import cors from '@koa/cors'
import type { Knex } from 'knex'
import Koa, { type Context, type Middleware } from 'koa'
import type { Grants } from '../activities/auth/grants.js'
import type { UserTokens } from '../activities/auth/user-tokens.js'
import type { TokenValidator } from '../activities/auth/validate-token.js'
import { TokenRefused } from '../activities/auth/verify-token.js'
import type { AnswerDirectly } from '../activities/glue/endpoints/direct-calls.js'
import { requireActive } from '../db/admin/suspension.js'
import type { PublishedForms } from '../db/forms/templates/published-forms.js'
import type { GlueReader } from '../db/glue/endpoints/settings.js'
import { markQueueUsed } from '../db/glue/providers/provider-queues.js'
import type { Reads } from '../db/replicas.js'
import type { Storages } from '../db/storage/storage.js'
import { createTenantLimits } from '../db/tenant-limits.js'
import type { Log } from '../runtime/observe/log.js'
import type { Seal } from '../runtime/secrets/seal.js'
import type { SecretHasher } from '../runtime/secrets/secrets.js'
import type { Config } from '../runtime/settings/config.js'
import type { Outcomes } from '../runtime/temporal/outcomes.js'
import type { Polling } from '../runtime/temporal/polling.js'
import type { TemporalWorker } from '../runtime/temporal/temporal.js'
import type { EndpointOutcome } from '../workflows/glue/contracts.js'
import { accountRoutes } from './admin/accounts.js'
import { apiKeyRoutes } from './admin/api-keys.js'
import { attentionRoutes } from './admin/attention.js'
import { auditRoutes } from './admin/audit.js'
import { formRoutes } from './admin/forms.js'
import { platformJobRoutes } from './admin/jobs.js'
import { mailRoutes } from './admin/mails.js'
import { Manifest } from './admin/manifest/manifest.js'
import { providerRoutes } from './admin/providers.js'
import { signingKeyRoutes } from './admin/signing-keys.js'
import { suspensionRoutes } from './admin/suspension.js'
import { tenantDeletionRoutes } from './admin/tenant-deletion.js'
import { tenantExportRoutes } from './admin/tenant-export.js'
import { tenantRoutes } from './admin/tenants.js'
import { webhookRoutes } from './admin/webhooks.js'
import { answerAsset, assetOf } from './assets.js'
import { tellBasePath } from './base-path.js'
import { commitToken, createCommitTokens } from './commit-token.js'
import { consolePages } from './console.js'
import { docs } from './docs.js'
import { type Endpoint, routerOf } from './endpoint.js'
import { formDiscoveryRoutes } from './forms/discovery.js'
import { exportRoutes } from './forms/exports.js'
import { extractDefinitionRoutes } from './forms/extracts/extract-definitions.js'
import { extractRoutes } from './forms/extracts/extracts.js'
import { subjectExtractRoutes } from './forms/extracts/subject-extract.js'
import { instanceEditRoutes } from './forms/instances/instance-edits.js'
import { instanceListRoutes } from './forms/instances/instance-lists.js'
import { instanceRoutes } from './forms/instances/instances.js'
import { pageRouter } from './forms/page-routes.js'
import { formAssets } from './forms/pages/assets.js'
import { signedInToken } from './forms/pages/page-cookie.js'
import { pages } from './forms/pages/page-declarations.js'
import { Template } from './forms/templates/template-schema.js'
import { changeFeedRoutes } from './frame/change-feeds.js'
import { groupRoutes } from './frame/groups.js'
import { importKinds } from './frame/import-kinds.js'
import { uploadTypes } from './frame/import-upload.js'
import { createImporter } from './frame/importer.js'
import { importRoutes } from './frame/imports.js'
import { locationRoutes } from './frame/locations.js'
import { portalRoutes } from './frame/portal.js'
import { recordItemRoutes } from './frame/record-items.js'
import { structuralEntityRoutes } from './frame/structural-entities.js'
import { structureTypeRoutes } from './frame/structure-types.js'
import { subjectErasureRoutes } from './frame/subject-erasure.js'
import { subjectListRoutes } from './frame/subject-list.js'
import { subjectMergeRoutes } from './frame/subject-merges.js'
import { subjectRoutes } from './frame/subjects.js'
import { transferRoutes } from './frame/transfers.js'
import { userRoutes } from './frame/users.js'
import { createEndpointAuthentication } from './glue/authenticate.js'
import { dataChangeRoutes } from './glue/data-changes.js'
import { dataSetRoutes } from './glue/data-sets.js'
import { glueEndpoints, glueRoutes } from './glue/endpoints.js'
import { createFailedCallCounter, failedCallRoutes } from './glue/failed-calls.js'
import { createEndpointRuns } from './glue/runs.js'
import { healthRoutes } from './health.js'
import type { SendMail } from './identity/link-mail.js'
import { withOwnPermissions } from './identity/own-permissions.js'
import { manyJobRoutes } from './jobs/change-many.js'
import { jobRoutes } from './jobs/jobs.js'
import type { Jobs } from './jobs/start.js'
import { bearerToken } from './middleware/authenticate.js'
import { compressed } from './middleware/compressed.js'
import { declaredAnswers } from './middleware/declared-answers.js'
import { oneHost } from './middleware/host.js'
import { problems } from './middleware/problem.js'
import { strangers } from './middleware/rate-limit.js'
import { queueStrangers } from './middleware/stranger-queue.js'
import { trace } from './middleware/trace.js'
import { unreadBody } from './middleware/unread-body.js'
import { openApi } from './openapi.js'
import type { Route } from './operation.js'
import { problemPages } from './problem-pages.js'
import type { RateLimits } from './rate-limits.js'
import { jsonSchema } from './schema/openapi-schema.js'
import { codecRoutes } from './temporal-codec.js'

export interface AppDependencies {
  config: Config
  db: Knex
  reads: Reads
  log: Log
  worker: TemporalWorker
  polling: Polling
  jobs: Jobs
  storages: Storages
  grants: Grants
  tokens: TokenValidator
  seal: Seal
  hasher: SecretHasher
  rateLimits: RateLimits
  glue: GlueReader
  forms: PublishedForms
  userTokens: UserTokens
  answerDirectly: AnswerDirectly
  outcomes: Outcomes<EndpointOutcome>
  /** The embedded identity service; undefined if another issuer is configured. */
  identity: Middleware | undefined
  /** Undefined if no mails are sent. */
  sendMail?: SendMail | undefined
}

type EndpointDependencies = Pick<
  AppDependencies,
  'config' | 'db' | 'forms' | 'hasher' | 'identity' | 'jobs' | 'reads' | 'seal' | 'sendMail' | 'storages'
>

/** Returns all endpoints of the API. */
export const endpointsOf = ({
  config,
  db,
  forms,
  hasher,
  identity,
  jobs,
  reads,
  seal,
  sendMail,
  storages,
}: EndpointDependencies): Endpoint[] => {
  const importer = createImporter({ db, jobs, storages })
  const otherIssuer = identity ? undefined : config.identity.authority
  return withOwnPermissions([
    ...structureTypeRoutes({ db }),
    ...structuralEntityRoutes({ db, jobs, bulkMaxItems: config.bulkMaxItems, maxDepth: config.hierarchyMaxDepth }),
    ...groupRoutes({ db }),
    ...portalRoutes({ db, jobs }),
    ...subjectErasureRoutes({ db, jobs }),
    ...subjectMergeRoutes({ db, forms }),
    ...subjectListRoutes({ db }),
    // Must precede the routes with a subject's id, which would match its path.
    ...changeFeedRoutes({ db }),
    ...subjectRoutes({ db }),
    ...importRoutes({ db, jobs, importer, maxBytes: config.importMaxBytes }),
    ...locationRoutes({ db }),
    ...userRoutes({ db }),
    ...recordItemRoutes({ db, storages, maxBytes: config.recordMaxBytes }),
    ...manyJobRoutes({ db, jobs }),
    ...jobRoutes({
      db,
      jobs,
      corrections: {
        types: uploadTypes(Object.values(importKinds).map(({ line }) => line)),
        maxBytes: config.importMaxBytes,
      },
      correct: importer.correct,
    }),
    ...transferRoutes({ db, jobs }),
    ...dataSetRoutes({ db, jobs }),
    ...exportRoutes({ db, jobs }),
    ...dataChangeRoutes({ db, jobs }),
    ...formDiscoveryRoutes({ db, forms }),
    ...instanceRoutes({ db, forms }),
    ...instanceEditRoutes({ db, forms }),
    ...instanceListRoutes({ db }),
    ...extractDefinitionRoutes({ db, forms }),
    ...extractRoutes({ db, forms, jobs, reads }),
    ...subjectExtractRoutes({ db, forms }),
    ...tenantRoutes({
      db,
      forms,
      hasher,
      seal,
      exports: config.exports,
      authority: config.identity.authority,
      outboundAllow: config.outboundAllow,
    }),
    ...suspensionRoutes({ db }),
    ...tenantDeletionRoutes({ db, jobs }),
    ...tenantExportRoutes({ db, jobs }),
    ...formRoutes({ db }),
    ...apiKeyRoutes({ db }),
    ...attentionRoutes({ db }),
    ...auditRoutes({ db }),
    ...mailRoutes({ db }),
    ...platformJobRoutes({ db, jobs }),
    ...webhookRoutes({ db }),
    ...providerRoutes({ db }),
    ...failedCallRoutes({ db }),
    ...signingKeyRoutes({ db, seal, otherIssuer }),
    ...accountRoutes({ db, seal, sendMail, otherIssuer, publicUrl: config.publicUrl }),
  ])
}

/** Routes that authenticate their callers themselves: pages, and the endpoints of tenants. */
export const otherRoutes: Route[] = [...Object.values(pages), ...Object.values(glueRoutes)]

/** Creates the HTTP application: the middleware that all requests pass through, then the routes. */
export function createApp(dependencies: AppDependencies): Koa {
  const { answerDirectly, config, db, identity, outcomes, rateLimits, reads, log, worker } = dependencies
  const endpoints = endpointsOf(dependencies)
  const caller = callerWithToken(dependencies)
  const commitTokens = createCommitTokens(reads, config.replicas.maxLagMs)
  const router = routerOf(endpoints, { caller, reads, commitTokens })
  healthRoutes(router, dependencies)
  codecRoutes(router, { config, caller })
  const limits = createTenantLimits(db)
  glueEndpoints(router, {
    admit: createEndpointAuthentication(dependencies),
    answerDirectly,
    countFailedCall: createFailedCallCounter({ db, log }),
    run: createEndpointRuns({ temporal: worker.current, log, outcomes }),
    limits,
    markQueueUsed: queue => markQueueUsed(db, queue),
  })
  const pageRoutes = pageRouter({
    ...dependencies,
    caller,
    limits,
    publicUrl: config.publicUrl,
    hasPeople: identity !== undefined,
  })
  const tokenUrl = `${config.identity.authority}/connect/token`
  const description = openApi(endpoints, otherRoutes, { publicUrl: config.publicUrl, tokenUrl })
  const documents = {
    '/openapi.json': assetOf('json', JSON.stringify(description)),
    '/admin/v1/manifest.schema.json': schemaAsset(Manifest, 'Tenant manifest'),
    '/admin/v1/form.schema.json': schemaAsset(Template, 'Form template'),
  }
  for (const [path, asset] of Object.entries(documents)) {
    router.get(path, ctx => {
      answerAsset(ctx, asset)
    })
  }

  const app = new Koa()
  app.silent = true
  app.on('error', err => log.debug({ err }, 'a connection failed'))
  app.use(trace(log))
  app.use(tellBasePath(config.publicUrl))
  app.use(strangers({ ...config.strangers, rateLimits }))
  app.use(noSniffing)
  app.use(noStore)
  if (config.publicUrl.startsWith('https:')) app.use(httpsOnly)
  app.use(compressed)
  if (config.corsOrigins.length > 0) app.use(crossOrigin(config.corsOrigins))
  app.use(unreadBody)
  app.use(declaredAnswers)
  app.use(problems)
  app.use(oneHost)
  app.use(queueStrangers(isStranger(dependencies)))
  // The router comes first because it serves most requests.
  app.use(router.routes())
  if (identity) app.use(identity)
  app.use(docs({ tokenUrl }))
  const { authority: issuer, consoleClientId: clientId } = config.identity
  app.use(consolePages({ publicUrl: config.publicUrl, issuer, clientId }))
  app.use(problemPages())
  app.use(formAssets)
  app.use(pageRoutes.routes())
  app.use(router.allowedMethods())
  return app
}

/** Allows pages of these origins to call the API. They authenticate with a token in a header, never with a cookie. */
const crossOrigin = (origins: readonly string[]): Middleware =>
  cors({
    origin: ctx => (origins.includes(ctx.get('origin')) ? ctx.get('origin') : ''),
    exposeHeaders: [commitToken, 'ETag', 'Location', 'Link', 'Preference-Applied', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  })

const noSniffing: Middleware = (ctx, next) => {
  ctx.set('X-Content-Type-Options', 'nosniff')
  return next()
}

/**
 * Tells browsers to use https alone for this host, for a year (RFC 6797). Sent also where a proxy speaks http to us: what counts is how the
 * browser reached it.
 */
const httpsOnly: Middleware = (ctx, next) => {
  ctx.set('Strict-Transport-Security', 'max-age=31536000')
  return next()
}

/**
 * Forbids caching by default, because answers contain personal data or tell what a client may do. Public answers set
 * their own header.
 */
const noStore: Middleware = (ctx, next) => {
  ctx.set('Cache-Control', 'no-store')
  return next()
}

const schemaAsset = (...schema: Parameters<typeof jsonSchema>) =>
  assetOf('application/schema+json', JSON.stringify(jsonSchema(...schema)))

/** Tells whether a request has no token that has been verified before. Health checks never wait for a turn. */
const isStranger =
  ({ tokens }: AppDependencies) =>
  (ctx: Context): boolean => {
    if (ctx.path.startsWith('/health/')) return false
    const token = bearerToken(ctx.get('authorization')) ?? signedInToken(ctx)
    return token === undefined || !tokens.verify.isKnown(token)
  }

/**
 * Finds the caller that a token identifies. The token must be valid, its client or account must still exist, and its tenant must not be
 * suspended.
 */
const callerWithToken =
  ({ db, tokens, grants }: AppDependencies) =>
  async (token: string) => {
    const claims = await tokens.validate(token)
    const { tenantKey, clientId, subject, scopes } = claims
    const grant = await grants.ofToken(tenantKey, claims)
    if (!grant) throw new TokenRefused('client')
    await requireActive(db, tenantKey)
    return { grant, tenantKey, subject: subject ?? clientId, scopes: grant.effective(scopes) }
  }
