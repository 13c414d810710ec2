// Serves the API documentation page, which uses swagger-ui.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import type { Middleware } from 'koa'
import { buildId } from '../runtime/process/build.js'
import { scopes } from '../runtime/secrets/scopes.js'
import { type Asset, answerAsset, assetOf } from './assets.js'
import { readGuides } from './guides.js'

/** Reads a file of swagger-ui. Importing the package would run the whole page in this process. */
function swaggerUi(name: string): [path: string, Asset] {
  const file = createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`)
  return [`/docs/${name}`, assetOf(extname(name), readFileSync(file))]
}

const page = (tokenUrl: string) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Armature API</title>
    <link rel="icon" href="docs/favicon-32x32.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="stylesheet" href="docs/page.css">
  </head>
  <body>
    <form id="token" action="${tokenUrl}">
      <h1>Armature API <small>${buildId()}</small></h1>
      <ol>
        <li>
          <b>Get an access token</b> for a client of your tenant. A token lasts an hour and can do what its scope, and the
          client's permissions, allow. <code>npm start</code> makes the tenant <code>demo</code> with the client
          <code>demo-integration</code>, secret <code>demo-integration-secret</code>.
          <p>
            <label>Tenant key <input name="tenant_key" required autocomplete="organization"></label>
            <label>Client id <input name="client_id" required autocomplete="username"></label>
            <label>Client secret <input name="client_secret" type="password" required autocomplete="current-password"></label>
            <label>Scope <select name="scope">${scopes.map(scope => `<option>${scope}</option>`).join('')}</select></label>
            <button>Get token</button>
          </p>
          <p role="status">No token yet: every call below is refused.</p>
        </li>
        <li><b>Call an endpoint:</b> open it below, press <i>Try it out</i>, fill in what it takes, press <i>Execute</i>.</li>
      </ol>
      <details>
        <summary>The same from a shell</summary>
        <pre>token=$(curl -s ${tokenUrl} -d grant_type=client_credentials -d tenant_key=TENANT \\
  -d client_id=CLIENT -d client_secret=SECRET -d scope=FrameApi | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')
curl -H "Authorization: Bearer $token" <span data-origin></span>/api/v1/structuralEntity</pre>
      </details>
    </form>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/page.js"></script>
  </body>
</html>
`

const style = `
:root { color-scheme: light dark; }
#token { max-width: 1420px; margin: 0 auto; padding: 24px 20px 0; font: 15px/1.5 sans-serif; color: light-dark(#3b4151, #e4e6e6); }
#token ol { padding-left: 20px; }
#token label { display: inline-block; margin: 0 12px 8px 0; font-size: 13px; }
#token input, #token select { display: block; width: 170px; padding: 6px; font: inherit; }
#token button { padding: 6px 16px; font: inherit; font-weight: bold; }
#token [role=status] { margin: 0 0 12px; }
#token .good { color: light-dark(#1a7f37, #6fd39a); }
#token .bad { color: light-dark(#b3261e, #ff9c94); }
#token pre { padding: 12px; background: light-dark(#f4f4f4, #22272c); overflow: auto; }
.swagger-ui .info, .swagger-ui .scheme-container { display: none; }
/* White letters on the colours of swagger-ui are too pale to be read by everybody. */
@media (prefers-color-scheme: light) {
  .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1b66b3; }
  .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1a7544; }
  .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #9a4f00; }
  .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #10716a; }
  .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
}
`

// swagger-ui's own dialog cannot send tenant_key, so it is hidden, and the form above is the only way to get a token.
const script = `
const isDark = matchMedia('(prefers-color-scheme: dark)')
const followSystem = () => document.documentElement.classList.toggle('dark-mode', isDark.matches)
followSystem()
isDark.addEventListener('change', followSystem)
const form = document.getElementById('token')
const status = form.querySelector('[role=status]')
// The page may have been opened by another name than the public one, and below any path; calls go where it came from.
const api = new URL('.', location.href).href.replace(/\\/$/, '')
document.querySelector('[data-origin]').textContent = api
let token

fetch(api + '/openapi.json').then(async answer => SwaggerUIBundle({
  spec: { ...await answer.json(), servers: [{ url: api }] },
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [() => ({ wrapComponents: { authorizeBtn: () => () => null, authorizeOperationBtn: () => () => null } })],
  requestInterceptor(request) {
    if (token) request.headers.Authorization = 'Bearer ' + token
    return request
  },
}))

form.addEventListener('submit', async event => {
  event.preventDefault()
  const fields = new URLSearchParams(new FormData(form))
  fields.set('grant_type', 'client_credentials')
  const { ok, body } = await fetch(form.action, { method: 'POST', body: fields })
    .then(async answer => ({ ok: answer.ok, body: await answer.json() }))
    .catch(error => ({ ok: false, body: { error: 'The token endpoint cannot be reached', error_description: String(error) } }))
  if (ok) token = body.access_token
  status.className = ok ? 'good' : 'bad'
  status.textContent = ok
    ? 'Calls below carry the token of ' + fields.get('client_id') + ' until ' + new Date(Date.now() + body.expires_in * 1000).toLocaleTimeString() + '.'
    : 'No token: ' + [body.error, body.error_description].filter(Boolean).join(': ')
})
`

/**
 * Serves the documentation page of the API: swagger-ui with a form that gets a token for it. All files come from the
 * package, so the page needs no access to the internet.
 */
export function docs({ tokenUrl }: { tokenUrl: string }): Middleware {
  const assets = new Map<string, Asset>([
    ['/docs', assetOf('html', page(tokenUrl))],
    ['/docs/page.css', assetOf('css', style)],
    ['/docs/page.js', assetOf('js', script)],
    ...['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'].map(swaggerUi),
    ...readGuides(),
  ])
  const policy = `default-src 'self'; connect-src 'self' ${new URL(tokenUrl).origin}; form-action 'none'; frame-ancestors 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'`
  return async (ctx, next) => {
    if (ctx.path === '/docs/' && ['GET', 'HEAD'].includes(ctx.method)) {
      // The page's own addresses are relative, so that it works below any path: it has one name.
      ctx.redirect('../docs')
      return
    }
    const asset = assets.get(ctx.path)
    if (!asset || !answerAsset(ctx, asset, 'no-cache')) return next()
    ctx.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' })
  }
}
