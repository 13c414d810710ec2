// The floor of the launch page: a bare Koa route with the page's bytes in memory, in a process of its own.
import { readFileSync } from 'node:fs'
import Koa from 'koa'

const [file = ''] = process.argv.slice(2)
const page = readFileSync(file)
const app = new Koa().use(ctx => {
  ctx.type = 'html'
  ctx.body = page
})
const server = app.listen(0, '127.0.0.1', () => process.send?.(server.address()))
