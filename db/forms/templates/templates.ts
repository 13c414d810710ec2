// Form templates and their versions.
import type { Knex } from 'knex'
import type { BuildingBlock, FormTemplate } from '../../../forms/template.js'
import { conflict, type Fault } from '../../../runtime/problem.js'
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

/** The name of a version of a form, or of a building block. */
export interface VersionName {
  key: string
  version: number
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

    /** Those of these versions that are in production. */
    published: (named: readonly VersionName[]): Promise<FormTemplate[]> =>
      definitionsOf(() => rows().where({ status: 'Production' }), 'form_key', named),

    /** Those of these building blocks that are in forms in production. */
    blocks: (named: readonly VersionName[]): Promise<BuildingBlock[]> =>
      definitionsOf(() => db('form_building_blocks').where({ tenant_id: tenant }), 'block_key', named),

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
     * Writes a version. A version in production never changes; the same text again is no change.
     * @param plan checks all that a write does, and writes nothing.
     * @returns whether it is new, and the building blocks that differ from published ones, which is no fault in
     *   development.
     * @throws Problem 409 where it is in production and differs, or would get there with such a building block.
     */
    put: (template: FormTemplate, status: PublicationStatus, actor: string, plan = false): Promise<WrittenTemplate> =>
      transaction(db, tenant, async trx => {
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

/**
 * The definitions of versions, each with the key by which it was asked for: the database ignores blanks at the end of one.
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

/** Unlike that of any other version. */
export const nameText = ({ key, version }: VersionName): string => `${version}/${key}`

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
