// Stores form templates and their versions.
import type { Knex } from 'knex'
import type { BuildingBlock, FormTemplate } from '../../../forms/template.js'
import { conflict, type Fault } from '../../../runtime/problems/problem.js'
import { unrecorded } from '../../audit/action.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { slices, upsertRows } from '../../rows.js'

export type PublicationStatus = 'Development' | 'Production'

/** A version of a form in a list. */
export interface FormVersion {
  key: string
  version: number
  status: PublicationStatus
  title: string
  classification: string
}

/** Names a version of a form or building block. */
export interface VersionName {
  key: string
  version: number
}

export interface WrittenTemplate {
  created: boolean
  differing: Fault[]
}

/** Accesses the form templates of one tenant. */
export const formTemplates = (db: Db, tenant: TenantId) => {
  const rows = () => db('form_templates').where({ tenant_id: tenant })

  return {
    /** Lists all versions with one of these statuses, sorted by key and version. */
    versions: (statuses: readonly PublicationStatus[]): Promise<FormVersion[]> =>
      rows()
        .whereIn('status', [...statuses])
        .orderBy(['form_key', 'version'])
        .select({ key: 'form_key' }, 'version', 'status', 'title', 'classification'),

    /** Reads the templates of all versions with one of these statuses, sorted by key and version. */
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

    /** Reads a building block of a form in production. */
    async block(key: string, version: number): Promise<BuildingBlock | undefined> {
      const mine = { tenant_id: tenant, block_key: key, version }
      const row = await db('form_building_blocks').where(mine).first('definition')
      return row && JSON.parse(row.definition)
    },

    /** Reads those of the named templates that are in production. */
    published: (named: readonly VersionName[]): Promise<FormTemplate[]> =>
      definitionsOf(() => rows().where({ status: 'Production' }), 'form_key', named),

    /** Reads those of the named building blocks that belong to forms in production. */
    blocks: (named: readonly VersionName[]): Promise<BuildingBlock[]> =>
      definitionsOf(() => db('form_building_blocks').where({ tenant_id: tenant }), 'block_key', named),

    /** Reads the template in production with the highest version other than this one. */
    async latestBut(formKey: string, version: number): Promise<FormTemplate | undefined> {
      const row = await rows()
        .where({ form_key: formKey, status: 'Production' })
        .whereNot({ version })
        .orderBy('version', 'desc')
        .first('definition')
      return row && JSON.parse(row.definition)
    },

    /**
     * Writes a version. A version in production cannot be changed, but writing the same content again is allowed.
     * @param plan checks the write without writing anything.
     * @returns true in `created` for a new version, and in `differing` the building blocks that differ from published ones.
     *   They are faults only when the version goes into production.
     * @throws Problem 409 if the version is in production and differs, or goes into production with differing building blocks.
     */
    put: (template: FormTemplate, status: PublicationStatus, actor: string, plan = false): Promise<WrittenTemplate> => {
      const write = async (trx: Knex.Transaction) => {
        // Locks the tenant, so that the checks below still hold when the version is written.
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
      }
      return plan ? unrecorded(() => transaction(db, tenant, write)) : transaction(db, tenant, write)
    },
  }
}

/**
 * Reads definitions by key and version. Compares the keys again, because the database ignores blanks at their end.
 */
async function definitionsOf<Definition extends VersionName>(
  rows: () => Knex.QueryBuilder,
  keyColumn: string,
  named: readonly VersionName[],
): Promise<Definition[]> {
  const found: Definition[] = []
  for (const some of slices(named)) {
    const read: { definition: string }[] = await rows()
      .where(each => {
        for (const { key, version } of some) each.orWhere({ [keyColumn]: key, version })
      })
      .select('definition')
    found.push(...read.map(({ definition }): Definition => JSON.parse(definition)))
  }
  const asked = new Set(named.map(nameText))
  return found.filter(each => asked.has(nameText(each)))
}

/** Returns a unique text for a version, for use as a key. */
export const nameText = ({ key, version }: VersionName): string => `${version}/${key}`

/** Returns a fault for every block that differs from the published one with its key and version. */
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

/** Publishes the building blocks of a template. Blocks that are published already are the same, so they are not written. */
async function publishBlocks(trx: Knex.Transaction, tenant: TenantId, { buildingBlocks }: FormTemplate): Promise<void> {
  const columns = ['tenant_id', 'block_key', 'version', 'definition']
  const rows = buildingBlocks.map(block => [tenant, block.key, block.version, JSON.stringify(block)])
  await upsertRows(trx, 'form_building_blocks', columns, rows, [])
}
