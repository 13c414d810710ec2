// Serves the style sheet and the script of form pages.
import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { Middleware } from 'koa'
import { answerAsset, assetOf, publicDocument } from '../../assets.js'

/**
 * The style sheets in the order in which they apply. `media` comes last, because it overrides the others for print and
 * wide screens.
 */
const styleSheets = ['page', 'parts', 'fields', 'pins', 'buttons', 'answers', 'media', 'dark']
const readStyle = (name: string): string => readFileSync(new URL(`style/${name}.css`, import.meta.url), 'utf8')

/** The bundle that scripts/build.mjs makes. There is none in a tree that is not compiled. */
const bundle = new URL('../../../browser/bundle.js', import.meta.url)

/** All files that pages load, read at the start. */
const assets = new Map([
  ['form.css', assetOf('css', styleSheets.map(readStyle).join('\n'))],
  ['form.js', assetOf('text/javascript', existsSync(bundle) ? readFileSync(bundle) : '')],
])

const version = hash('sha256', [...assets.values()].map(asset => asset.version).join()).slice(0, 12)

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
  const cacheControl = of === version ? 'public, max-age=31536000, immutable' : publicDocument
  if (!asset || !answerAsset(ctx, asset, cacheControl)) return next()
}
