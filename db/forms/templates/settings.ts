// The section `forms` of a tenant's manifest.
import type { Db, TenantId } from '../../connect.js'
import type { OpenIdConnectMethod } from '../../glue/endpoints/settings.js'
import type { GivenDefinition } from '../extracts/extracts.js'

/** The section `forms` of a tenant's manifest. */
export interface FormSettings {
  launch: LaunchPolicy
  /** Absent: single-pass forms cannot be sent, and are not served. */
  delivery?: FormDelivery | undefined
  /** Absent: none. */
  exports?: FormExport[] | undefined
}

/** The rules for access to a single-pass form. */
export interface LaunchPolicy {
  /** A token of this authority is needed; absent: everybody may. */
  openIdConnect?: OpenIdConnectMethod | undefined
  /** Origins whose pages may show forms in a frame. */
  frameAncestors: string[]
}

/** Where single-pass forms are sent, as XML by POST. Templates of glue: they may name variables and secrets. */
export interface FormDelivery {
  /** A provider of the glue, whose credentials, limits and times count. */
  provider?: string | undefined
  url: string
  headers: Record<string, string>
}

/** Places of exports, as a manifest names them. */
export const exportDestinations = ['directory', 's3'] as const
export type ExportDestination = (typeof exportDestinations)[number]

/** A recurring extract that is delivered as files. */
export interface FormExport {
  key: string
  /** Seconds between two; undefined: at a time of day. */
  every?: number | undefined
  /** `HH:MM` in the time zone. */
  dailyAt?: string | undefined
  /** IANA name; undefined: UTC. */
  timeZone?: string | undefined
  /** Incremental: what has changed since the one before. */
  mode: 'full' | 'incremental'
  destination: ExportDestination
  definitions: GivenDefinition[]
}

export const noFormSettings: FormSettings = { launch: { frameAncestors: [] } }

/** The settings as they are now. */
export async function formSettings(db: Db, tenant: TenantId): Promise<FormSettings> {
  const row = await db('form_settings').where({ tenant_id: tenant }).first('settings')
  return row ? JSON.parse(row.settings) : noFormSettings
}
