// Administration endpoint that exports a tenant to an encrypted archive.
import type { Knex } from 'knex'
import Type from 'typebox'
import { countRows, requireQuiet } from '../../db/admin/tenant-deletion.js'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { recordAction } from '../../db/audit/action.js'
import { exportDestinations } from '../../db/storage/export-target.js'
import { accepted, type Endpoint, endpoint } from '../endpoint.js'
import { Job, presentJob } from '../jobs/present.js'
import type { Jobs } from '../jobs/start.js'

export const tenantExportRoutes = ({ db, jobs }: { db: Knex; jobs: Jobs }): Endpoint[] => [
  endpoint({
    tag: 'Administration',
    scopes: ['PlatformAdmin'],
    operationId: 'exportTenant',
    summary: 'Export a suspended tenant to an encrypted archive, as a job',
    description:
      'Begins a job that writes all that a tenant has to one file of EXPORT_DIRECTORY or EXPORT_BUCKET, in the folder `tenants.archived`. The file is encrypted for `recipient`, a public key of age; only who has its identity can read it. `armature tenant import` brings it into an installation with the same schema. The tenant must have been suspended for ten minutes, so that nothing of it changes meanwhile. The input of the job names the file.',
    method: 'post',
    path: '/admin/v1/tenants/:tenantKey/export',
    permission: 'Export:Tenant',
    body: Type.Object({
      recipient: Type.String({
        pattern: '^age1[a-z0-9]{58}$',
        description: 'A public key, as `age-keygen` prints it.',
      }),
      destination: Type.Enum([...exportDestinations]),
    }),
    answers: { 202: Job },
    problems: ['tenant-not-suspended'],
    async handle(request) {
      const { tenantKey = '' } = request.params
      const { recipient, destination } = request.body
      const of = { tenantKey, tenantId: await tenantIdOf(db, tenantKey) }
      const job = await jobs.begin(request, 'tenantExport', async () => {
        await requireQuiet(db, of)
        const rows = Object.values(await countRows(db, of.tenantId)).reduce((sum, count) => sum + count, 0)
        const file = `${tenantKey}-${new Date().toISOString().replace(/[-:.]/g, '')}.ndjson.gz.age`
        return {
          total: rows,
          queue: 'background',
          input: { ...of, recipient, destination, file },
          keepWhenTemporalAway: true,
          // The tenant's own audit tells who has all of its data.
          write: trx => recordAction(trx, of.tenantId),
        }
      })
      return accepted(presentJob(job, jobs.links))
    },
  }),
]
