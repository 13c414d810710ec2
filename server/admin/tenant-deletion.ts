// Administration endpoint that deletes a tenant, after saying how much that is.
import type { Knex } from 'knex'
import Type from 'typebox'
import { countRows, requireQuiet } from '../../db/admin/tenant-deletion.js'
import { tenantToDelete } from '../../db/admin/tenants.js'
import { fault, invalid } from '../../runtime/problems/problem.js'
import { accepted, type Endpoint, endpoint, ok } from '../endpoint.js'
import { Job, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'
import { requireOther } from './suspension.js'

export const tenantDeletionRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    tag: 'Administration',
    scopes: ['PlatformAdmin'],
    operationId: 'deleteTenant',
    summary:
      'Delete a suspended tenant with all that it has, for good, as a job; without confirm, only say how much that is',
    description:
      'Without `confirm`, counts the rows that a tenant has in each table, and deletes nothing. With the key of the tenant as `confirm`, begins a job that deletes them all, its documents, its exports here, its schedules and its runs in Temporal with their histories. The tenant must have been suspended for ten minutes, so that nothing of it is under way, or its import, which has broken off, must have begun ten minutes ago. From the first step of the job on it is answered 404 everywhere. The job belongs to the tenant of whoever asks; if it fails or is cancelled, a retry goes on with it. The audit of the installation keeps who has deleted the tenant, and how much.',
    method: 'delete',
    path: '/admin/v1/tenants/:tenantKey',
    permission: 'Delete:Tenant',
    query: Type.Object({
      confirm: Type.Optional(Type.String({ description: 'The key of the tenant once more, to delete it.' })),
    }),
    answers: {
      200: Type.Object({
        rows: Type.Integer({ description: 'The sum. Of each table, a million is counted at most.' }),
        tables: Type.Record(Type.String(), Type.Integer(), { description: 'Rows by table.' }),
      }),
      202: Job,
    },
    problems: ['own-tenant', 'tenant-not-suspended'],
    async handle(request) {
      const { tenantKey = '' } = request.params
      const { confirm } = request.query
      requireOther(request.caller, tenantKey, 'deleted')
      const deletion = { tenantKey, tenantId: await tenantToDelete(db, tenantKey) }
      if (confirm !== undefined && confirm !== tenantKey)
        throw invalid([
          fault('/query/confirm', 'unknown-value', `To delete the tenant, confirm must be '${tenantKey}'.`),
        ])
      const tables = await countRows(db, deletion.tenantId)
      const rows = Object.values(tables).reduce((sum, count) => sum + count, 0)
      if (confirm === undefined) return ok({ rows, tables })
      const job = await jobs.begin(request, 'tenantDeletion', async () => {
        await requireQuiet(db, deletion)
        return { total: rows, queue: 'background', input: deletion, keepWhenTemporalAway: true }
      })
      return accepted(presentJob(job, jobs.links))
    },
  }),
]
