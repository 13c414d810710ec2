// Serves the style sheet and the script of form pages.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Middleware } from 'koa'
import { type Asset, answerAsset } from '../../assets.js'

/**
 * The style sheets in the order in which they apply. `media` comes last, because it overrides the others for print and
 * wide screens.
 */
const styleSheets = ['page', 'parts', 'fields', 'pins', 'buttons', 'answers', 'media']
const readStyle = (name: string): string => readFileSync(new URL(`style/${name}.css`, import.meta.url), 'utf8')

/** The bundle that scripts/build.mjs makes. There is none in a tree that is not compiled. */
const bundle = new URL('../../../browser/bundle.js', import.meta.url)

/** All files that pages load, read at the start. */
const assets = new Map<string, Asset>([
  ['form.css', { type: 'css', content: styleSheets.map(readStyle).join('\n') }],
  ['form.js', { type: 'text/javascript', content: existsSync(bundle) ? readFileSync(bundle, 'utf8') : '' }],
])

const version = createHash('sha256')
  .update(JSON.stringify([...assets]))
  .digest('hex')
  .slice(0, 12)

/** Returns the URLs of the files that a page loads. They contain a hash of the files, so browsers may cache them for good. */
export const assetUrls = (basePath: string) => ({
  style: `${basePath}/forms/assets/${version}/form.css`,
  script: `${basePath}/forms/assets/${version}/form.js`,
})

/** Serves the files of form pages, under paths with a version or without. */
export const formAssets: Middleware = async (ctx, next) => {
  const [, of, path = ''] = /^\/forms\/assets\/(?:([\da-f]{12})\/)?(.+)$/.exec(ctx.path) ?? []
  const asset = assets.get(path)
  // During an update, a page may ask for files of another version. It gets the current ones and must not cache them for
  // long.
  const cacheControl = of === version ? 'public, max-age=31536000, immutable' : 'public, max-age=60'
  if (!asset || !answerAsset(ctx, asset, { version, cacheControl })) return next()
}
