// The floor of a read under load: a bare Koa route in a process of its own. It reads one entity by its key, and rejects
// any other request without reading its body.
import Koa from 'koa'
import { createPool, type RowDataPacket } from 'mysql2/promise'

const [tenantId, key] = process.argv.slice(2)
const pool = createPool({ uri: process.env.DATABASE_URL ?? '', connectionLimit: 20, charset: 'utf8mb4' })
const entity = 'SELECT * FROM structural_entities WHERE tenant_id = ? AND entity_key = ?'

const app = new Koa().use(async ctx => {
  if (ctx.method !== 'GET') {
    ctx.status = 401
    ctx.body = { title: 'A valid access token is required' }
    return
  }
  const [[row]] = await pool.query<RowDataPacket[]>(entity, [tenantId, key])
  ctx.body = { Key: row?.entity_key, DisplayName: row?.display_name }
})
const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.once('disconnect', () => process.exit())
