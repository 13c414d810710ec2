import type { Knex } from 'knex'
import type { BuildingBlock, FormTemplate } from '../../forms/template.js'
import { conflict, type Fault } from '../../runtime/problem.js'
import { remembered } from '../../runtime/remembered.js'
import type { Db, TenantId } from '../connect.js'
import { transaction } from '../errors.js'
import { slices, upsertRows } from '../rows.js'

export type PublicationStatus = 'Development' | 'Production'

/** A version of a form in a list. */
export interface FormVersion {
  key: string
  version: number
  status: PublicationStatus
  title: string
  classification: string
}

export interface WrittenTemplate {
  created: boolean
  differing: Fault[]
}

/** Form templates of one tenant. */
export const formTemplates = (db: Db, tenant: TenantId) => {
  const rows = () => db('form_templates').where({ tenant_id: tenant })

  return {
    /** All versions of all forms, by key and version. */
    versions: (statuses: readonly PublicationStatus[]): Promise<FormVersion[]> =>
      rows()
        .whereIn('status', [...statuses])
        .orderBy(['form_key', 'version'])
        .select({ key: 'form_key' }, 'version', 'status', 'title', 'classification'),

    /** The templates of all versions with one of these statuses, by key and version. */
    async all(statuses: readonly PublicationStatus[]): Promise<FormTemplate[]> {
      const found: { definition: string }[] = await rows()
        .whereIn('status', [...statuses])
        .orderBy(['form_key', 'version'])
        .select('definition')
      return found.map(({ definition }) => JSON.parse(definition))
    },

    async byVersion(
      formKey: string,
      version: number,
    ): Promise<{ template: FormTemplate; status: PublicationStatus } | undefined> {
      const row = await rows().where({ form_key: formKey, version }).first('definition', 'status')
      return row && { template: JSON.parse(row.definition), status: row.status }
    },

    /** A building block of a form in production. */
    async block(key: string, version: number): Promise<BuildingBlock | undefined> {
      const mine = { tenant_id: tenant, block_key: key, version }
      const row = await db('form_building_blocks').where(mine).first('definition')
      return row && JSON.parse(row.definition)
    },

    /** Those of these building blocks that are in forms in production. */
    async blocks(named: readonly { key: string; version: number }[]): Promise<BuildingBlock[]> {
      const found: BuildingBlock[] = []
      for (const some of slices(named)) {
        const rows: { definition: string }[] = await db('form_building_blocks')
          .where({ tenant_id: tenant })
          .where(each => {
            for (const { key, version } of some) each.orWhere({ block_key: key, version })
          })
          .select('definition')
        found.push(...rows.map(({ definition }): BuildingBlock => JSON.parse(definition)))
      }
      return found
    },

    /** The template in production with the highest version but for this one. */
    async latestBut(formKey: string, version: number): Promise<FormTemplate | undefined> {
      const row = await rows()
        .where({ form_key: formKey, status: 'Production' })
        .whereNot({ version })
        .orderBy('version', 'desc')
        .first('definition')
      return row && JSON.parse(row.definition)
    },

    /**
     * Writes a version. One that is in production never changes; writing the same again is no change.
     * @param plan checks all that a write does, and writes nothing.
     * @returns whether it is new, and the building blocks that differ from published ones, which is no fault in development.
     * @throws Problem 409 where it is in production and differs, or is to be in production and has such a building block.
     */
    put: (template: FormTemplate, status: PublicationStatus, actor: string, plan = false): Promise<WrittenTemplate> =>
      transaction(db, async trx => {
        // One after the other: what is checked is still so when it is written.
        await trx('tenants').where({ id: tenant }).forUpdate().first('id')
        const { key, version } = template
        const definition = JSON.stringify(template)
        const mine = { tenant_id: tenant, form_key: key, version }
        const before = await trx('form_templates').where(mine).forUpdate().first('definition', 'status')
        if (before?.status === 'Production') {
          if (before.definition === definition && status === 'Production') return { created: false, differing: [] }
          const detail = `Version ${version} of '${key}' is in production and never changes; write version ${version + 1}.`
          throw conflict('form-published', detail)
        }
        const differing = await differingBlocks(trx, tenant, template)
        if (status === 'Production' && differing.length > 0) {
          const detail = 'A building block differs from the published one.'
          throw conflict('building-block-published', detail, differing)
        }
        if (plan) return { created: !before, differing }
        if (status === 'Production') await publishBlocks(trx, tenant, template)
        const now = new Date()
        const columns = ['title', 'classification', 'status', 'definition', 'written_by', 'written_at', 'published_at']
        const published = status === 'Production' ? now : null
        const cells = [template.title, template.classification, status, definition, actor, now, published]
        await upsertRows(
          trx,
          'form_templates',
          [...Object.keys(mine), ...columns],
          [[...Object.values(mine), ...cells]],
          columns,
        )
        return { created: !before, differing }
      }),
  }
}

/** A fault for every block that differs from the published one of its key and version. */
async function differingBlocks(
  trx: Knex.Transaction,
  tenant: TenantId,
  { buildingBlocks }: FormTemplate,
): Promise<Fault[]> {
  const published: { block_key: string; version: number; definition: string }[] = await trx('form_building_blocks')
    .where({ tenant_id: tenant })
    .whereIn(
      'block_key',
      buildingBlocks.map(({ key }) => key),
    )
    .forUpdate()
    .select('block_key', 'version', 'definition')
  return buildingBlocks.flatMap((block, n): Fault[] => {
    const { key, version } = block
    const same = published.find(each => each.block_key === key && each.version === version)
    if (!same || same.definition === JSON.stringify(block)) return []
    const detail = `Version ${version} of the building block '${key}' is published and differs; give this one another version.`
    return [{ pointer: `/buildingBlocks/${n}/version`, code: 'building-block-published', detail }]
  })
}

/** Those that are published already are the same. */
async function publishBlocks(trx: Knex.Transaction, tenant: TenantId, { buildingBlocks }: FormTemplate): Promise<void> {
  const columns = ['tenant_id', 'block_key', 'version', 'definition']
  const rows = buildingBlocks.map(block => [tenant, block.key, block.version, JSON.stringify(block)])
  await upsertRows(trx, 'form_building_blocks', columns, rows, [])
}

/** Published templates for who serves them. */
export interface PublishedForms {
  /** The template of a version in production: the same object each time, so that what is made of it can be kept by it. */
  template(tenant: TenantId, formKey: string, version: number): Promise<FormTemplate | undefined>
  /** The same, read by this connection where it is not known yet: who is in a transaction may hold the last one of the pool. */
  templateBy(by: Db, tenant: TenantId, formKey: string, version: number): Promise<FormTemplate | undefined>
  /** The highest version in production. A new one counts after at most `ttlMs`. */
  latest(tenant: TenantId, formKey: string): Promise<number | undefined>
}

/** Templates that one process keeps at hand. */
const mostTemplates = 500

/** Reads published templates, each once: they never change. */
export function createPublishedForms({ db, ttlMs = 2_000 }: { db: Knex; ttlMs?: number }): PublishedForms {
  /** The least recently used comes first. */
  const known = new Map<string, FormTemplate>()
  const latest = remembered(
    async (name: string): Promise<number | undefined> => {
      const [tenant, formKey] = partsOf(name)
      const mine = { tenant_id: tenant, form_key: formKey, status: 'Production' }
      const row = await db('form_templates').where(mine).max({ version: 'version' }).first()
      return row?.version ?? undefined
    },
    { ttlMs },
  )
  async function templateBy(by: Db, tenant: TenantId, formKey: string, version: number) {
    const name = `${tenant}/${formKey}/${version}`
    const found = known.get(name) ?? (await read(by, tenant, formKey, version))
    if (!found) return undefined
    // Of two that read it at once, both go on with the first.
    const template = known.get(name) ?? found
    known.delete(name)
    const [oldest] = known.keys()
    if (known.size >= mostTemplates && oldest !== undefined) known.delete(oldest)
    known.set(name, template)
    return template
  }
  return {
    templateBy,
    template: (...wanted) => templateBy(db, ...wanted),
    latest: (tenant, formKey) => latest(`${tenant}/${formKey}`),
  }
}

async function read(by: Db, tenant: TenantId, formKey: string, version: number): Promise<FormTemplate | undefined> {
  const found = await formTemplates(by, tenant).byVersion(formKey, version)
  return found?.status === 'Production' ? found.template : undefined
}

const partsOf = (name: string): [tenant: number, formKey: string] => {
  const slash = name.indexOf('/')
  return [Number(name.slice(0, slash)), name.slice(slash + 1)]
}
