// How far the exports of a tenant's manifest are, and which of them are paused.
import type { Knex } from 'knex'
import type { TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import type { JobRow } from '../../jobs/job-row.js'

/** How far an export is. */
export interface ExportState {
  /** The instant that the last complete export shows, or null if there is none yet, or if the newest one has broken off. */
  instant: Date | null
  /** Since when its schedule is paused. */
  pausedAt: Date | null
  /** Its newest job, unless its retention is over. */
  job: ExportJob | undefined
}

type ExportJob = Pick<JobRow, 'id' | 'status' | 'finished_at' | 'problem'>

type Row = { export_key: string; instant: Date | null; paused_at: Date | null } & {
  [Column in keyof ExportJob]: ExportJob[Column] | null
}

/** Accesses the exports of one tenant. */
export const exportStates = (db: Knex, tenant: TenantId) => ({
  /** Returns how far each export is, by key. */
  async all(): Promise<Map<string, ExportState>> {
    const rows: Row[] = await db('form_exports as e')
      .leftJoin('jobs as j', on =>
        on.on('j.tenant_id', 'e.tenant_id').andOn('j.id', 'e.job_id').andOnNull('j.deleted_at'),
      )
      .where('e.tenant_id', tenant)
      .select('e.export_key', 'e.instant', 'e.paused_at', 'j.id', 'j.status', 'j.finished_at', 'j.problem')
    return new Map(
      rows.map(({ export_key, instant, paused_at, id, status, finished_at, problem }) => [
        export_key,
        {
          instant,
          pausedAt: paused_at,
          job: id === null || status === null ? undefined : { id, status, finished_at, problem },
        },
      ]),
    )
  },

  /** Tells whether somebody has paused the schedule of an export. */
  async isPaused(exportKey: string): Promise<boolean> {
    const row = await db('form_exports').where({ tenant_id: tenant, export_key: exportKey }).first('paused_at')
    return row !== undefined && row.paused_at !== null
  },

  /** Pauses or resumes the schedule of an export of the manifest. To repeat it changes nothing. */
  setPaused: (exportKey: string, isPaused: boolean): Promise<void> =>
    transaction(db, tenant, async trx => {
      const pausedAt = isPaused ? trx.raw('COALESCE(paused_at, CURRENT_TIMESTAMP(3))') : null
      await trx('form_exports').where({ tenant_id: tenant, export_key: exportKey }).update({ paused_at: pausedAt })
    }),
})
