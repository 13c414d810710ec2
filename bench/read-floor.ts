// The floor of a read by id: a bare Koa route with the same statements, in a process of its own.
import Koa from 'koa'
import { createPool, type RowDataPacket } from 'mysql2/promise'
import { entitiesOfSubject } from '../db/frame/hierarchy/structural-entities.js'
import { subjectById } from '../db/frame/subjects/subjects.js'

const [tenantId = ''] = process.argv.slice(2)
const pool = createPool({ uri: process.env.DATABASE_URL ?? '', connectionLimit: 20, charset: 'utf8mb4' })
const rows = async (sql: string, values: unknown[]) => (await pool.query<RowDataPacket[]>(sql, values))[0]

const tenant = Number(tenantId)
const settings = await rows('SELECT settings FROM subject_settings WHERE tenant_id = ? LIMIT 1', [tenant])
const { fields } = JSON.parse(settings[0]?.settings)

const valuesOf = (known: { key: string }[], values: Record<string, unknown>) =>
  known.flatMap(field => (values[field.key] ? [{ Field: field, Value: values[field.key] }] : []))

const app = new Koa().use(async ctx => {
  const id = ctx.path.slice(ctx.path.lastIndexOf('/') + 1)
  const [[subject], entities] = await Promise.all([
    rows(subjectById, [tenant, id]),
    rows(entitiesOfSubject, [tenant, id, tenant, id]),
  ])
  ctx.body = {
    Id: subject?.id,
    ExternalId: subject?.external_id,
    CustomFieldValues: valuesOf(fields, JSON.parse(subject?.custom_values)),
    StructuralEntities: entities.map(entity => ({
      Key: entity.entity_key,
      DisplayName: entity.display_name,
      ParentKey: entity.parent_key,
      Depth: entity.depth,
      StructureType: { Name: entity.name, Key: entity.type_key, CustomFields: JSON.parse(entity.custom_fields) },
      CustomFieldValues: entity.custom_values,
    })),
  }
})
const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address()))
