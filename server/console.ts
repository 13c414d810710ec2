// Serves the console: one page, its script and its style. Everything that it shows it reads from the public API.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Middleware } from 'koa'
import { projectRoot } from '../runtime/process/version.js'
import { answerAsset, assetOf } from './assets.js'
import { basePathOf } from './base-path.js'

interface Options {
  publicUrl: string
  /** The issuer with which people sign in, and the console's client id there. */
  issuer: string
  clientId: string
}

const page = (base: string, { issuer, clientId }: Options) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="issuer" content="${issuer}">
    <meta name="client-id" content="${clientId}">
    <base href="${base}">
    <title>Armature</title>
    <link rel="icon" href="mark.svg">
    <link rel="stylesheet" href="console.css">
    <script type="module" src="console.js"></script>
  </head>
  <body>
    <div id="console"></div>
    <noscript>The console needs JavaScript. What it shows is in the API, see /docs.</noscript>
  </body>
</html>
`

/** Reads a file that scripts/build.mjs makes. There is none in a tree that is not compiled. */
function built(name: string): Buffer | string {
  const file = join(projectRoot, 'dist', 'console', name)
  return existsSync(file) ? readFileSync(file) : ''
}

/** Serves the console at `/console/`, where a browser that asks for `/` is led. Each of its addresses is the same page, which shows what the address says. */
export function consolePages(options: Options): Middleware {
  const { publicUrl, issuer } = options
  const home = `${basePathOf(publicUrl)}/console/`
  const index = assetOf('html', page(home, options))
  const assets = new Map([
    ['/console/console.js', assetOf('js', built('console.js'))],
    ['/console/console.css', assetOf('css', built('console.css'))],
    ['/console/mark.svg', assetOf('svg', built('mark.svg'))],
  ])
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ${new URL(issuer).origin}; base-uri 'self'; form-action 'self'; frame-ancestors 'none'`
  return (ctx, next) => {
    const begins = ctx.path === '/console' || (ctx.path === '/' && ctx.accepts('json', 'html') === 'html')
    if (begins && ['GET', 'HEAD'].includes(ctx.method)) {
      ctx.redirect(home)
      return undefined
    }
    if (!ctx.path.startsWith('/console/') || !answerAsset(ctx, assets.get(ctx.path) ?? index, 'no-cache')) return next()
    ctx.set({ 'Content-Security-Policy': policy, 'Referrer-Policy': 'no-referrer' })
    return undefined
  }
}
