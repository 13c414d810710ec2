// Lists the scheduled exports of all tenants.
import type { Knex } from 'knex'
import type { FormSettings } from '../settings.js'

interface ScheduledExport {
  tenantKey: string
  key: string
  /** Seconds between two exports, or a time of day in an IANA time zone. */
  rhythm: { every: number } | { dailyAt: string; timeZone: string }
}

/** Reads the scheduled exports from the manifests of all tenants. */
export async function scheduledExports(db: Knex): Promise<ScheduledExport[]> {
  const rows: { tenant_key: string; settings: string }[] = await db('form_settings as f')
    .join('tenants as t', 't.id', 'f.tenant_id')
    .where('f.settings', 'like', '%"exports":[{%')
    .select('t.tenant_key', 'f.settings')
  return rows.flatMap(({ tenant_key, settings }) => {
    const { exports = [] }: FormSettings = JSON.parse(settings)
    return exports.flatMap(({ key, every, dailyAt, timeZone = 'UTC' }) => {
      const tenantKey = tenant_key
      if (every !== undefined) return { tenantKey, key, rhythm: { every } }
      return dailyAt === undefined ? [] : { tenantKey, key, rhythm: { dailyAt, timeZone } }
    })
  })
}
