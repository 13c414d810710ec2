// Endpoints that list what waits for a human: of all tenants for operators, and of its own for a tenant.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import {
  type AttentionFilter,
  type AttentionRow,
  adviseOn,
  attentionKinds,
  attentionPage,
  permissionOf,
} from '../../db/attention/attention.js'
import { forbidden } from '../../runtime/problems/problem.js'
import { type Answer, type Endpoint, endpoint, ok } from '../endpoint.js'
import { type Listing, listing, pageOf, pageSchema, pagingQuery } from '../paging.js'

const orders = { Since: 'since' }

const Attention = Type.Object(
  {
    tenant: Type.String({ description: 'Key of the tenant.' }),
    kind: Type.Enum([...attentionKinds], {
      description:
        'failed-job: a job that nobody waits for has failed, or the platform has failed a job; waiting-job: jobs of a kind have not begun for five minutes, or have failed at the same place for a quarter of an hour; data-set, export: the last job has failed, or the last success is more than two rhythms of the manifest ago; refused-rows: of the last import of a client; webhook: it has stopped, or its receiver has failed for a quarter of an hour; provider: it does not answer, so it is called only now and then; mail: an invitation was refused for good.',
    }),
    subject: Type.String({
      description: 'What it is about: the id of a job or a mail, a kind of jobs, or a key of the manifest.',
    }),
    since: Type.String({ format: 'date-time' }),
    why: Type.String(),
    nextStep: Type.String(),
    action: Type.Union([
      Type.Object(
        { method: Type.Enum(['GET', 'POST']), path: Type.String() },
        { description: "The call that does the next step, for a client of the tenant with the call's permission." },
      ),
      Type.Null(),
    ]),
  },
  { $id: 'Attention' },
)

function present(row: AttentionRow): Static<typeof Attention> {
  const { why, nextStep, action } = adviseOn(row)
  const { tenant_key: tenant, kind, subject, since } = row
  return { tenant, kind, subject, since: since.toISOString(), why, nextStep, action }
}

const ofKind = Type.Optional(Type.Array(Type.Enum([...attentionKinds])))
const answers = { 200: pageSchema(Attention) }
const common = { method: 'get', answers } as const
const permissions = [...new Set(attentionKinds.map(permissionOf))]

/** Shows what waits for a human, and the call that does the next step. */
export const attentionRoutes = ({ db }: { db: Knex }): Endpoint[] => {
  const page = async (filter: AttentionFilter, list: Listing): Promise<Answer> =>
    ok(await pageOf(await attentionPage(db, filter, list.request), list, 'place', present))
  return [
    endpoint({
      ...common,
      operationId: 'listAttentionOfTenants',
      summary: 'Things of all tenants that wait for a human, the newest first',
      description:
        'Lists what does not go on by itself in any tenant, each with its reason and the next step. A row is gone as soon as its cause is: a later success, or a failed job that is cancelled. The texts name no person. Filter by Tenant and Kind.',
      tag: 'Administration',
      scopes: ['PlatformAdmin'],
      permission: 'List:Attention',
      path: '/admin/v1/attention',
      query: pagingQuery(orders, { Tenant: Type.Optional(Type.String({ description: 'Its key.' })), Kind: ofKind }),
      problems: ['not-found'],
      live: true,
      async handle({ query }) {
        const tenant = query.Tenant === undefined ? undefined : await tenantIdOf(db, query.Tenant)
        const filter = { tenant, kinds: query.Kind ?? attentionKinds }
        return page(filter, listing(query, orders, ['attentionOfTenants', filter], { descending: true }))
      },
    }),
    endpoint({
      ...common,
      operationId: 'listAttention',
      summary: 'Things that wait for a human, the newest first',
      description:
        'Lists what does not go on by itself in the tenant, each with its reason and the next step. It has the kinds whose lists the client may read, such as jobs with List:Job and data sets with View:DataSet; asking for another one is 403. A row is gone as soon as its cause is: a later success, or a failed job that is cancelled.',
      tag: 'Jobs',
      scopes: ['FrameApi'],
      permission: permissions,
      path: '/api/v1/attention',
      query: pagingQuery(orders, { Kind: ofKind }),
      live: true,
      async handle({ query, caller: { tenantId, allows } }) {
        const refused = query.Kind?.find(kind => !allows(permissionOf(kind)))
        if (refused) throw forbidden(`The caller needs the permission ${permissionOf(refused)} for ${refused}.`)
        const kinds = query.Kind ?? attentionKinds.filter(kind => allows(permissionOf(kind)))
        const filter = { tenant: tenantId, kinds }
        return page(filter, listing(query, orders, ['attention', filter], { descending: true }))
      },
    }),
  ]
}
