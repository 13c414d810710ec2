// Reads the guides of docs/ that the API description refers to, so that a running API serves those of its own release.
import { readFileSync } from 'node:fs'
import { type Asset, assetOf } from './assets.js'

/** The guides, by their file names below docs/, and the runbook, which alerts name. */
const guides = ['forms', 'frame', 'glue', 'imports', 'install', 'privacy', 'runbook', 'webhooks'] as const
export type Guide = (typeof guides)[number]

export const guidePath = (guide: Guide): string => `/docs/${guide}.md`

/** Reads all guides, by path. They are plain text, because browsers save Markdown as a file instead of showing it. */
export const readGuides = (): [path: string, Asset][] =>
  guides.map(guide => [
    guidePath(guide),
    assetOf('text/plain', readFileSync(new URL(`../..${guidePath(guide)}`, import.meta.url))),
  ])
