// The floor of the subject list: a bare Koa route with the best handwritten SQL, in a process of its own.
import Koa from 'koa'
import { createPool, type RowDataPacket } from 'mysql2/promise'

const [tenantId, ...keys] = process.argv.slice(2)
const pool = createPool({ uri: process.env.DATABASE_URL ?? '', connectionLimit: 20, charset: 'utf8mb4' })
const range = `(SELECT subject_id FROM subject_locations WHERE tenant_id = ? AND entity_key = ? ORDER BY subject_id LIMIT 21)`
const page = `SELECT s.id, s.external_id, s.custom_values FROM (${keys.map(() => range).join(' UNION ')} ORDER BY subject_id LIMIT 21) p
  JOIN subjects s ON s.tenant_id = ? AND s.id = p.subject_id ORDER BY s.id`
const count = `SELECT COUNT(DISTINCT subject_id) AS total FROM subject_locations WHERE tenant_id = ? AND entity_key IN (?)`

const app = new Koa().use(async ctx => {
  const [[rows], [[total]]] = await Promise.all([
    pool.query<RowDataPacket[]>(page, [...keys.flatMap(key => [tenantId, key]), tenantId]),
    pool.query<RowDataPacket[]>(count, [tenantId, keys]),
  ])
  const nodes = rows.slice(0, 20)
  ctx.body = {
    PageInfo: {
      HasNextPage: rows.length > 20,
      HasPreviousPage: false,
      StartCursor: nodes[0]?.id,
      EndCursor: nodes.at(-1)?.id,
      TotalCount: total?.total,
    },
    Edges: nodes.map(row => ({
      Node: {
        Id: row.id,
        ExternalId: row.external_id,
        CustomFieldValues: Object.entries(JSON.parse(row.custom_values)).map(([Key, Value]) => ({
          Field: { Key },
          Value,
        })),
      },
      Cursor: row.id,
    })),
  }
})
const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address()))
