// Renders the pages on which people sign in. They look like the console and need no script.
import { fileURLToPath } from 'node:url'
import type { Context } from 'koa'
import { liquidEngine } from '../liquid.js'

const engine = liquidEngine(fileURLToPath(new URL('liquid/', import.meta.url)), false)
const templates = {
  signIn: engine.parseFileSync('sign-in'),
  forgot: engine.parseFileSync('forgot'),
  password: engine.parseFileSync('password'),
  notice: engine.parseFileSync('notice'),
}

interface Page {
  title: string
  /** What was wrong with what the person has sent. */
  refusal?: string
}

/** What each page shows. */
interface Pages {
  /** @param forgotPath of the page for those who forgot their password; null if there is none, because no mails are sent. */
  /** @param issuer name of the other issuer, if there is one. */
  signIn: Page & { tenant: string; email: string; forgotPath: string | null; issuer: string | null }
  forgot: Page
  password: Page & { email: string; minLength: number }
  /** @param form a form of the library, which the page adds its button to. */
  notice: Page & { text: string; form?: string }
}

/** Answers with a page. */
export function showPage<Name extends keyof Pages>(ctx: Context, status: number, name: Name, page: Pages[Name]): void {
  const { basePath } = ctx.state
  ctx.status = status
  ctx.type = 'html'
  ctx.body = String(engine.renderSync(templates[name], { page: { ...page, basePath } }))
}

/**
 * Forbids browsers to run scripts in the pages of the identity service, to show them in frames, to cache them and to tell other
 * sites their addresses. The library adds the hash of the one script that it has, which sends a form on.
 * @param formsTo the other origin that a form of the page may lead to.
 */
export function protectPage(ctx: Context, formsTo = ''): void {
  const targets = ["'self'", ctx.state.formsTo, formsTo].filter(Boolean)
  ctx.set({
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action ${targets.join(' ')}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  })
}

/**
 * Tells whether a request that changes something comes from a page of ours. Browsers say so; what says nothing is no browser, and
 * has no cookie that it was not given.
 */
export const isFromOurPages = (ctx: Context): boolean => ['', 'same-origin', 'none'].includes(ctx.get('sec-fetch-site'))
