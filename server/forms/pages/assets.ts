// Serves the style sheets and scripts of form pages.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import { type Asset, answerAsset } from '../../assets.js'

/** Root of the compiled tree. */
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Collects a browser module and everything it imports. Finds nothing in a tree that is not compiled. */
function collectModules(path: string, found: Map<string, Asset>): Map<string, Asset> {
  const file = join(root, path)
  if (found.has(path) || !existsSync(file)) return found
  const content = readFileSync(file, 'utf8')
  found.set(path, { type: 'text/javascript', content })
  for (const [, imported = ''] of content.matchAll(/\bfrom '(\.[^']+)'/g))
    collectModules(join(dirname(path), imported), found)
  return found
}

/**
 * The style sheets in the order in which they apply. `media` comes last, because it overrides the others for print and
 * wide screens.
 */
const styleSheets = ['page', 'parts', 'fields', 'pins', 'buttons', 'answers', 'media']
const readStyle = (name: string): string => readFileSync(new URL(`style/${name}.css`, import.meta.url), 'utf8')

/** All files that pages load, read at the start. No other file of the tree is served. */
const scripts = collectModules('browser/form.js', new Map())
const style: Asset = { type: 'css', content: styleSheets.map(readStyle).join('\n') }
const assets = new Map([...scripts, ['form.css', style] as const])

const version = createHash('sha256')
  .update(JSON.stringify([...assets]))
  .digest('hex')
  .slice(0, 12)

/** URLs of the files that a page loads. They contain a hash of the files, so browsers may cache them for good. */
export const assetUrls = {
  style: `/forms/assets/${version}/form.css`,
  script: `/forms/assets/${version}/browser/form.js`,
  /** The modules that the script imports. The page preloads them, so that they are not discovered one after the other. */
  imports: [...scripts.keys()].slice(1).map(path => `/forms/assets/${version}/${path}`),
}

/** Serves the files of form pages, under paths with a version or without. */
export const formAssets: Middleware = async (ctx, next) => {
  const [, of, path = ''] = /^\/forms\/assets\/(?:([\da-f]{12})\/)?(.+)$/.exec(ctx.path) ?? []
  const asset = assets.get(path)
  // During an update, a page may ask for files of another version. It gets the current ones and must not cache them for
  // long.
  const cacheControl = of === version ? 'public, max-age=31536000, immutable' : 'public, max-age=60'
  if (!asset || !answerAsset(ctx, asset, { version, cacheControl })) return next()
}
