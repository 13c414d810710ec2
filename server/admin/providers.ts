// Administration endpoint that shows a tenant's providers and their circuit state.
import type { Knex } from 'knex'
import Type from 'typebox'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { glueSettings } from '../../db/glue/endpoints/settings.js'
import { circuitStore } from '../../db/glue/providers/circuits.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'

const Circuit = Type.Object(
  {
    process: Type.String({ description: 'Host, process id and a random part.' }),
    state: Type.Enum(['closed', 'open', 'half-open'], {
      description:
        'open: no calls are made for a while; half-open: a single call tries whether the provider works again.',
    }),
    lastFailure: Type.Union([Type.String(), Type.Null()], {
      description: 'Reason of the last failure, and the status of the answer.',
    }),
    changedAt: Type.String({ format: 'date-time' }),
  },
  { $id: 'Circuit', description: 'The state of a provider as a running process sees it.' },
)

const ProviderState = Type.Object(
  {
    key: Type.String(),
    url: Type.String(),
    alsoKnownAs: Type.Array(Type.String()),
    limits: Type.Object({
      requestsPerSecond: Type.Optional(Type.Number()),
      concurrency: Type.Optional(Type.Integer()),
    }),
    timeoutSeconds: Type.Number(),
    retrySeconds: Type.Integer(),
    maxAnswerMb: Type.Integer(),
    circuits: Type.Array(Circuit, {
      description: 'One for each running process in which calls have failed. Empty if none has.',
    }),
  },
  { $id: 'ProviderState' },
)

/** Shows operators which providers of a tenant are called at present, and why others are not. */
export const providerRoutes = ({ db }: { db: Knex }): Endpoint[] => [
  endpoint({
    operationId: 'listProviders',
    summary: 'Providers of a tenant, their limits, and whether the running processes call them',
    description:
      'Lists the providers of a tenant with their limits and, for each running process in which calls have failed, the state of its circuit. An open circuit means that calls wait or fail at once for some seconds. Credentials are not shown. The list is complete and not paged.',
    tag: 'Administration',
    scopes: ['PlatformAdmin'],
    permission: 'List:Provider',
    method: 'get',
    path: '/admin/v1/tenants/:tenantKey/providers',
    answers: { 200: Type.Array(ProviderState) },
    async handle({ params }) {
      const tenant = await tenantIdOf(db, params.tenantKey ?? '')
      const [{ providers }, circuits] = await Promise.all([glueSettings(db, tenant), circuitStore(db, tenant).living()])
      return ok(
        providers.map(({ authentication: _, ...provider }) => ({
          ...provider,
          circuits: circuits
            .filter(({ provider_key }) => provider_key === provider.key)
            .map(({ process, state, last_failure, changed_at }) => ({
              process,
              state,
              lastFailure: last_failure,
              changedAt: changed_at.toISOString(),
            })),
        })),
      )
    },
  }),
]
