// Serves the style sheets and scripts of form pages.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import { type Asset, answerAsset } from '../../assets.js'

/** Root of the compiled tree. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A module for browsers and all that it imports. In a tree that is not compiled there is none. */
function modules(path: string, found: Map<string, Asset>): Map<string, Asset> {
  const file = join(root, path)
  if (found.has(path) || !existsSync(file)) return found
  const content = readFileSync(file, 'utf8')
  found.set(path, { type: 'text/javascript', content })
  for (const [, imported = ''] of content.matchAll(/\bfrom '(\.[^']+)'/g)) modules(join(dirname(path), imported), found)
  return found
}

/** In this order: the later ones say how others differ on paper and on wide screens. */
const styleSheets = ['page', 'parts', 'fields', 'pins', 'buttons', 'answers', 'media']
const readStyle = (name: string): string => readFileSync(new URL(`style/${name}.css`, import.meta.url), 'utf8')

/** Everything that pages load, by path, read once: nothing else of the tree can be asked for. */
const scripts = modules('browser/form.js', new Map())
const style: Asset = { type: 'css', content: styleSheets.map(readStyle).join('\n') }
const assets = new Map([...scripts, ['form.css', style] as const])

const version = createHash('sha256')
  .update(JSON.stringify([...assets]))
  .digest('hex')
  .slice(0, 12)

/** URLs of what a page loads; they change with what is behind them, so that browsers may keep it. */
export const assetUrls = {
  style: `/forms/assets/${version}/form.css`,
  script: `/forms/assets/${version}/browser/form.js`,
  /** All that the script imports: loaded at once, not one after the other. */
  imports: [...scripts.keys()].slice(1).map(path => `/forms/assets/${version}/${path}`),
}

/** Serves what the pages of forms load, with the version in the path or without. */
export const formAssets: Middleware = async (ctx, next) => {
  const [, of, path = ''] = /^\/forms\/assets\/(?:([\da-f]{12})\/)?(.+)$/.exec(ctx.path) ?? []
  const asset = assets.get(path)
  // While versions change, a page of one may ask the other.
  const cacheControl = of === version ? 'public, max-age=31536000, immutable' : 'public, max-age=60'
  if (!asset || !answerAsset(ctx, asset, { version, cacheControl })) return next()
}
