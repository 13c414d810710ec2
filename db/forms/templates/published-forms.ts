// Caches published form templates.
import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import type { FormTemplate } from '../../../forms/template.js'
import { cached } from '../../../runtime/load/cache.js'
import type { Db, TenantId } from '../../connect.js'
import { formTemplates, nameText, type VersionName } from './templates.js'

/** Reads published templates through a cache. */
export interface PublishedForms {
  /** Returns the template of a version in production. It is the same object each time, so callers can cache by it. */
  template(tenant: TenantId, formKey: string, version: number): Promise<FormTemplate | undefined>
  /**
   * Like `template`, but reads with a given connection. In a transaction, waiting for another one from the pool could
   * deadlock.
   */
  templateBy(by: Db, tenant: TenantId, formKey: string, version: number): Promise<FormTemplate | undefined>
  /** Returns those of the named templates that are in production, keyed by `nameText`. Uncached ones are read together. */
  templates(tenant: TenantId, named: readonly VersionName[]): Promise<Map<string, FormTemplate>>
  /** Returns the highest version in production. A newly published version takes effect within `ttlMs`. */
  latest(tenant: TenantId, formKey: string): Promise<number | undefined>
}

/** Highest number of cached templates. */
const maxTemplates = 500

/** Creates the cache of published templates. Entries never become outdated, because published templates never change. */
export function createPublishedForms({ db, ttlMs = 2_000 }: { db: Knex; ttlMs?: number }): PublishedForms {
  const cache = new LRUCache<string, FormTemplate>({ max: maxTemplates })
  const latest = cached(
    async (name: string): Promise<number | undefined> => {
      const [tenant, formKey] = partsOf(name)
      const mine = { tenant_id: tenant, form_key: formKey, status: 'Production' }
      const row = await db('form_templates').where(mine).max({ version: 'version' }).first()
      return row?.version ?? undefined
    },
    { ttlMs },
  )

  async function templatesBy(by: Db, tenant: TenantId, named: readonly VersionName[]) {
    const cacheKey = (name: string) => `${tenant}/${name}`
    const found = new Map<string, FormTemplate>()
    const unknown: VersionName[] = []
    for (const each of named) {
      const template = cache.get(cacheKey(nameText(each)))
      if (template) found.set(nameText(each), template)
      else unknown.push(each)
    }
    const read = unknown.length > 0 ? await formTemplates(by, tenant).published(unknown) : []
    // If two callers read a template concurrently, both use the object that was cached first.
    for (const template of read) {
      const name = nameText(template)
      const first = cache.get(cacheKey(name)) ?? template
      cache.set(cacheKey(name), first)
      found.set(name, first)
    }
    return found
  }

  async function templateBy(by: Db, tenant: TenantId, key: string, version: number) {
    const [template] = (await templatesBy(by, tenant, [{ key, version }])).values()
    return template
  }

  return {
    templateBy,
    template: (...wanted) => templateBy(db, ...wanted),
    templates: (...wanted) => templatesBy(db, ...wanted),
    latest: (tenant, formKey) => latest(`${tenant}/${formKey}`),
  }
}

const partsOf = (name: string): [tenant: number, formKey: string] => {
  const slash = name.indexOf('/')
  return [Number(name.slice(0, slash)), name.slice(slash + 1)]
}
