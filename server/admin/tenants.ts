// Administration endpoints for tenants and their manifests.
import Type, { type Static } from 'typebox'
import { type ListedTenant, tenantPage } from '../../db/admin/tenant-list.js'
import { applyManifest, planManifest, readTagged, type SeenManifest } from '../../db/admin/tenants.js'
import type { ExtractStores } from '../../db/forms/extracts/extract-results.js'
import { invalid, notFound } from '../../runtime/problems/problem.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import type { SecretHasher } from '../../runtime/secrets/secrets.js'
import type { Config } from '../../runtime/settings/config.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { exportWarnings } from './manifest/export-faults.js'
import { formsWarnings } from './manifest/forms-faults.js'
import { webhookSecretFaults } from './manifest/glue-faults.js'
import { closedWebhooks, glueWarnings } from './manifest/glue-warnings.js'
import { Change, Manifest, Warning } from './manifest/manifest.js'
import { presentManifest, withDefaults } from './manifest/manifest-defaults.js'
import { manifestFaults } from './manifest/manifest-faults.js'

const common = { tag: 'Administration', scopes: ['PlatformAdmin'] } as const
const path = '/admin/v1/tenants'
const onePath = `${path}/:tenantKey`
const orders = { Key: 'tenant_key', Name: 'name', CreatedAt: 'created_at' }

const Tenant = Type.Object(
  {
    key: Type.String(),
    name: Type.String(),
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time', description: 'When its manifest was last changed.' }),
    openJobs: Type.Integer({ description: 'Jobs that have not ended.' }),
    failedJobs: Type.Integer({ description: 'Jobs that have failed and were not retried since.' }),
    suspendedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Since when it is suspended, if it is.' }),
    ),
  },
  { $id: 'Tenant' },
)

const present = (tenant: ListedTenant): Static<typeof Tenant> => ({
  key: tenant.tenant_key,
  name: tenant.name,
  createdAt: tenant.created_at.toISOString(),
  updatedAt: tenant.updated_at.toISOString(),
  openJobs: tenant.openJobs,
  failedJobs: tenant.failedJobs,
  ...(tenant.suspended_at ? { suspendedAt: tenant.suspended_at.toISOString() } : {}),
})

interface TenantDependencies extends ExtractStores {
  seal: Seal
  hasher: SecretHasher
  /** Destinations of exports, for warnings about missing ones. */
  exports: Config['exports']
  /** Authority of our own tokens, for warnings about endpoints that any of them opens. */
  authority: string
  /** OUTBOUND_ALLOW, for warnings about addresses that are not called. */
  outboundAllow: readonly string[]
}

/** Lists, reads and replaces tenants, each described as a whole by its manifest. */
export const tenantRoutes = ({
  seal,
  hasher,
  exports,
  authority,
  outboundAllow,
  ...stores
}: TenantDependencies): Endpoint[] => [
  endpoint({
    ...common,
    path,
    permission: 'List:Tenant',
    operationId: 'listTenants',
    summary: 'Tenants of the installation, with their open and failed jobs',
    description:
      'Lists all tenants in order of their keys. SearchTerm finds tenants in whose key or name each of its words occurs. What a tenant consists of is in its manifest, which getTenant reads.',
    method: 'get',
    query: pagingQuery(orders, {
      SearchTerm: Type.Optional(
        Type.String({ maxLength: 255, description: 'Every word occurs in the name or the key.' }),
      ),
    }),
    answers: { 200: pageSchema(Tenant) },
    live: true,
    async handle({ query }) {
      const filter = { searchTerm: query.SearchTerm }
      const list = listing(query, orders, ['tenants', filter])
      return ok(await pageOf(await tenantPage(stores.db, filter, list.request), list, 'tenant_key', present))
    },
  }),

  endpoint({
    ...common,
    path: onePath,
    permission: 'View:Tenant',
    operationId: 'getTenant',
    summary: 'The present manifest of a tenant, without secrets',
    description:
      'Returns everything that describes the tenant, in the form in which putTenant takes it. Secrets and passwords are left out; a manifest without them leaves them as they are. An unknown tenant is 404.',
    method: 'get',
    answers: { 200: Manifest },
    answerHeaders: Type.Object({ ETag: Type.String({ description: 'Goes into the `If-Match` of putTenant.' }) }),
    async handle({ params }) {
      const found = await readTagged(stores.db, params.tenantKey ?? '')
      if (!found) throw notFound(`There is no tenant '${params.tenantKey}'.`)
      return { ...ok(presentManifest(found.manifest)), headers: { ETag: found.etag } }
    },
  }),

  endpoint({
    ...common,
    path: onePath,
    permission: 'Edit:Tenant',
    operationId: 'putTenant',
    summary: 'Bring a tenant to the state in its manifest; with plan=true, only show what would change',
    description:
      'Creates the tenant, or makes it as the manifest says: what the manifest leaves out is removed, clients included. So read the present one first, and send it with `plan=true` to see the changes without writing any. All faults are named, and a manifest with a fault changes nothing. The same manifest may be sent again; it takes effect within two seconds.',
    method: 'put',
    query: Type.Object({
      plan: Type.Optional(Type.Boolean({ description: 'Only show the changes, and write nothing.' })),
    }),
    headers: Type.Object({
      'If-Match': Type.Optional(
        Type.String({ description: 'The ETag of the manifest that was read, or `*`. If it has changed since, 412.' }),
      ),
    }),
    body: Manifest,
    bodyLimit: '32mb',
    answers: {
      200: Type.Object({
        applied: Type.Boolean(),
        changes: Type.Array(Change),
        secrets: Type.Record(Type.String(), Type.String(), {
          description: 'Secrets that were generated, by client id. They are shown only in this answer.',
        }),
        warnings: Type.Array(Warning),
      }),
    },
    problems: ['custom-field-in-use', 'client-id-taken', 'manifest-changed', 'tenant-deleted'],
    async handle({ params, query, body, header }) {
      const seen = seenIn(header('if-match'))
      const manifest = withDefaults(params.tenantKey ?? '', body, seal)
      const faults = [...(await manifestFaults(stores, manifest, body.key)), ...webhookSecretFaults(body.glue)]
      if (faults.length > 0) throw invalid(faults)
      const warnings = [
        ...glueWarnings(manifest.glue, authority),
        ...closedWebhooks(manifest.glue, outboundAllow),
        ...formsWarnings(manifest.forms, manifest.glue, authority),
        ...(await exportWarnings(stores, exports, manifest)),
      ]
      if (query.plan)
        return ok({
          applied: false,
          changes: await planManifest(stores.db, hasher, manifest, seen),
          secrets: {},
          warnings,
        })
      return ok({ applied: true, ...(await applyManifest(stores.db, hasher, manifest, seen)), warnings })
    },
  }),
]

/** Parses an `If-Match` header. ETags that we did not issue match nothing. */
function seenIn(header: string): SeenManifest {
  if (header.trim() === '') return undefined
  return header.trim() === '*' ? 'any' : header.split(',').map(tag => tag.trim())
}
