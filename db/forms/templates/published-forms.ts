// Published form templates, cached for the pages and APIs that serve them.
import type { Knex } from 'knex'
import { LRUCache } from 'lru-cache'
import type { FormTemplate } from '../../../forms/template.js'
import { cached } from '../../../runtime/cache.js'
import type { Db, TenantId } from '../../connect.js'
import { formTemplates, nameText, type VersionName } from './templates.js'

/** Published templates for who serves them. */
export interface PublishedForms {
  /** The template of a version in production: the same object each time, so that what is made of it can be kept by it. */
  template(tenant: TenantId, formKey: string, version: number): Promise<FormTemplate | undefined>
  /** The same, read by this connection where it is not known yet: who is in a transaction may hold the last one of the pool. */
  templateBy(by: Db, tenant: TenantId, formKey: string, version: number): Promise<FormTemplate | undefined>
  /** Those of these that are in production, by their `nameText`: what is not known yet is read at once. */
  templates(tenant: TenantId, named: readonly VersionName[]): Promise<Map<string, FormTemplate>>
  /** The highest version in production. A new one counts after at most `ttlMs`. */
  latest(tenant: TenantId, formKey: string): Promise<number | undefined>
}

/** Templates in the cache of one process. */
const maxTemplates = 500

/** Reads published templates, each once: they never change. */
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
    // Of two that read one at once, both go on with the first.
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
