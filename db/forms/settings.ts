// Reads the section `forms` of a tenant's manifest.
import type { Db, TenantId } from '../connect.js'
import type { OpenIdConnectMethod } from '../glue/endpoints/settings.js'
import type { ExportDestination } from '../storage/export-target.js'
import type { GivenDefinition } from './extracts/extracts.js'

/** The section `forms` of a tenant's manifest. */
export interface FormSettings {
  launch: LaunchPolicy
  /** Origins of the applications whose pages may pass on their users' tokens. */
  applications?: string[] | undefined
  /** Where single-pass forms are sent. If absent, they are not served. */
  delivery?: FormDelivery | undefined
  /** Scheduled exports. */
  exports?: FormExport[] | undefined
}

/** The rules for access to a single-pass form. */
export interface LaunchPolicy {
  /** Requires a token of this authority. If absent, everybody may open forms. */
  openIdConnect?: OpenIdConnectMethod | undefined
  /** Origins whose pages may show forms in a frame. */
  frameAncestors: string[]
  /** How many minutes after it was opened a form's page can still be submitted, even if the token that opened it has expired since. */
  openPageMinutes: number
}

/** The policy of a manifest that has none. */
export const defaultLaunch: LaunchPolicy = { frameAncestors: [], openPageMinutes: 24 * 60 }

/** A receiver of single-pass forms. URL and headers are glue templates that can use variables and secrets. */
export interface FormReceiver {
  /** Key of a glue provider, whose credentials, limits and timeouts apply. */
  provider?: string | undefined
  url: string
  headers: Record<string, string>
}

/** Where single-pass forms are sent, as XML by POST. */
export interface FormDelivery extends FormReceiver {
  /** Forms that go elsewhere, by their keys. */
  forms?: (FormReceiver & { key: string })[] | undefined
}

/** A recurring extract that is delivered as files. */
export interface FormExport {
  key: string
  /** Seconds between two exports. If undefined, there is one a day, at `dailyAt`. */
  every?: number | undefined
  /** `HH:MM` in the time zone. */
  dailyAt?: string | undefined
  /** IANA name. Default: UTC. */
  timeZone?: string | undefined
  /** An incremental export contains only what has changed since the one before. */
  mode: 'full' | 'incremental'
  destination: ExportDestination
  definitions: GivenDefinition[]
}

export const noFormSettings: FormSettings = { launch: defaultLaunch }

/** Reads the current settings of a tenant. */
export async function formSettings(db: Db, tenant: TenantId): Promise<FormSettings> {
  const row = await db('form_settings').where({ tenant_id: tenant }).first('settings')
  return row ? JSON.parse(row.settings) : noFormSettings
}
