// Administration endpoints for the API keys of glue endpoints.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { timeOf } from '../../db/clock.js'
import type { TenantId } from '../../db/connect.js'
import { isKeptDateTime, utc } from '../../db/frame/fields/custom-fields.js'
import { type ApiKeyRow, apiKeyStore } from '../../db/glue/endpoints/api-keys.js'
import { glueSettings } from '../../db/glue/endpoints/settings.js'
import { isId } from '../../runtime/ids.js'
import { invalid, notFound } from '../../runtime/problems/problem.js'
import { Name } from '../../runtime/schema/key.js'
import { created, type Endpoint, endpoint, noContent, ok } from '../endpoint.js'
import { listing, pageOf, pageSchema, pagingQuery } from '../paging.js'
import { Id } from '../schema/guid.js'

const common = { tag: 'Administration', scopes: ['PlatformAdmin'] } as const
const path = '/admin/v1/tenants/:tenantKey/endpoints/:endpointKey/apiKeys'
const orders = { CreatedAt: 'id' }

const Time = Type.String({ format: 'date-time' })
const orNull = <Schema extends Type.TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const members = {
  id: Type.String({ format: 'uuid' }),
  endpointKey: Type.String(),
  name: Type.String(),
  createdBy: Type.String({ description: 'The client that created the key.' }),
  createdAt: Time,
  expiresAt: orNull(Time),
  revokedAt: orNull(Time),
}
const ApiKey = Type.Object(members, { $id: 'ApiKey' })
const NewApiKey = Type.Object(
  { ...members, key: Type.String({ description: 'Goes into the header X-Api-Key. It is shown only in this answer.' }) },
  { $id: 'NewApiKey' },
)

const ExpiresAt = Type.Refine(
  Type.String({
    maxLength: 100,
    publish: { format: 'date-time' },
    description: 'ISO 8601, in the future. If absent, the key does not expire.',
  }),
  value => isKeptDateTime(value),
  () => 'must be a date-time',
)

const present = (row: ApiKeyRow): Static<typeof ApiKey> => ({
  id: row.id,
  endpointKey: row.endpoint_key,
  name: row.name,
  createdBy: row.created_by,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at?.toISOString() ?? null,
  revokedAt: row.revoked_at?.toISOString() ?? null,
})

/** Manages the keys that callers send as X-Api-Key, if the endpoint requires one. */
export const apiKeyRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    ...common,
    path,
    permission: 'Create:ApiKey',
    operationId: 'createApiKey',
    summary: 'Create an API key of an endpoint; the key is shown once',
    description:
      'Creates a key with which callers may use an endpoint that asks for one. The key itself is shown in this answer only; just its hash is stored. Every call creates another key, so a repetition leaves one too many to revoke.',
    method: 'post',
    body: Type.Object({ name: Name, expiresAt: Type.Optional(ExpiresAt) }, { $id: 'ApiKeyRequest' }),
    answers: { 201: NewApiKey },
    async handle({ params: { tenantKey = '', endpointKey = '' }, body: { name, expiresAt: requested }, caller }) {
      const tenant = await tenantIdOf(db, tenantKey)
      if (!(await hasEndpoint(db, tenant, endpointKey))) throw noEndpoint(endpointKey)
      const expiresAt = requested === undefined ? null : new Date(utc(requested))
      if (expiresAt && expiresAt <= (await timeOf(db))) {
        throw invalid([{ pointer: '/expiresAt', code: 'past', detail: 'It must be in the future.' }])
      }
      const wanted = { endpointKey, name, createdBy: caller.clientId, expiresAt }
      const { key, row } = await apiKeyStore(db, tenant).create(wanted)
      return created({ ...present(row), key })
    },
  }),

  endpoint({
    ...common,
    path,
    permission: 'List:ApiKey',
    operationId: 'listApiKeys',
    summary: 'API keys of an endpoint, without the keys themselves, the newest first',
    description:
      'Lists the keys of an endpoint, revoked and expired ones too, without the keys themselves. Keys of an endpoint that the manifest no longer has are still listed. They work again when the endpoint comes back, so revoke them.',
    method: 'get',
    query: pagingQuery(orders, {}),
    answers: { 200: pageSchema(ApiKey) },
    async handle({ params: { tenantKey = '', endpointKey = '' }, query }) {
      const tenant = await tenantIdOf(db, tenantKey)
      const list = listing(query, orders, ['apiKeys', tenant, endpointKey], { descending: true })
      const page = await apiKeyStore(db, tenant).page(endpointKey, list.request)
      // Keys remain when a manifest drops their endpoint, and can still be listed then.
      if (page.totalCount === 0 && !(await hasEndpoint(db, tenant, endpointKey))) throw noEndpoint(endpointKey)
      return ok(await pageOf(page, list, 'id', present))
    },
  }),

  endpoint({
    ...common,
    path: `${path}/:id`,
    params: Type.Object({ id: Id }),
    permission: 'Delete:ApiKey',
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key; it is refused from now on',
    description:
      'Makes a key useless for good, at once and in every process. The entry stays in the list, with the time. Repeating the request is answered 204 too.',
    method: 'delete',
    answers: { 204: null },
    async handle({ params: { tenantKey = '', endpointKey = '', id } }) {
      const tenant = await tenantIdOf(db, tenantKey)
      const revoked = isId(id) && (await apiKeyStore(db, tenant).revoke(endpointKey, id))
      if (!revoked) throw notFound(`There is no API key '${id}' of the endpoint '${endpointKey}'.`)
      return noContent
    },
  }),
]

const hasEndpoint = async (db: Knex, tenant: TenantId, endpointKey: string): Promise<boolean> =>
  (await glueSettings(db, tenant)).endpoints.some(({ key }) => key === endpointKey)

const noEndpoint = (endpointKey: string) => notFound(`There is no endpoint '${endpointKey}'.`)
