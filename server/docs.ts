import type { Middleware } from 'koa'
import mount from 'koa-mount'
import serve from 'koa-static'
import { absolutePath } from 'swagger-ui-dist'

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Armature API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`
const start = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, displayRequestDuration: true, filter: true, docExpansion: 'list' })`

/** The API's documentation page: swagger-ui, whole from its package, so that it works without any other network. */
export function docs(): Middleware {
  const files = mount('/docs', serve(absolutePath(), { index: false, maxage: 3_600_000 }))
  return async (ctx, next) => {
    if (ctx.path === '/docs' || ctx.path === '/docs/') {
      ctx.type = 'html'
      ctx.body = page
    } else if (ctx.path === '/docs/start.js') {
      ctx.type = 'js'
      ctx.body = start
    } else await files(ctx, next)
  }
}
