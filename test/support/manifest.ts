// Applies and reads manifests of tenants.
import { inject } from 'vitest'
import { emptyTenant } from '../../db/admin/manifest.js'
import { demoSubjects as demoSettings } from '../../dev/demo-tenants.js'
import { presentManifest } from '../../server/admin/manifest/manifest-defaults.js'
import { admin, aKey, type Reply, tokenOf } from './api.js'

export interface Applied {
  applied: boolean
  changes: { path: string; change: string; before?: unknown; after?: unknown }[]
  secrets: Record<string, string>
  warnings: { pointer: string; code: string; detail: string }[]
}

/**
 * The section `subjects` of the demo tenants' manifests. It has fields of all types, `nationalId` is the matching field, and the portal is
 * open.
 */
export const demoSubjects = presentManifest({ ...emptyTenant('demo', 'Demo'), subjects: demoSettings }).subjects

/** Returns ways to write and read the manifest of a tenant that does not exist yet. */
export async function manifestOf(tenantKey = aKey()) {
  const platform = await admin(inject('baseUrl'))
  const path = `/admin/v1/tenants/${tenantKey}`
  return {
    tenantKey,
    path,
    platform,
    get: <Body = unknown>() => platform.get<Body>(path),
    put: (manifest: unknown): Promise<Reply<Applied>> => platform.put<Applied>(path, manifest),
    plan: (manifest: unknown): Promise<Reply<Applied>> => platform.put<Applied>(`${path}?plan=true`, manifest),
    /** Requests a token. @returns `token`, or the error code of the refusal. */
    signsIn: (id: string, secret: string, scope = 'FrameApi') =>
      tokenOf(inject('baseUrl'), { id, secret, tenantKey, scope }).then(
        () => 'token',
        (error: Error) => /"error":"(\w+)"/.exec(error.message)?.[1],
      ),
  }
}
