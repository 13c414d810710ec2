// Renders the pages on which people sign in, and that of their own account. They look like the console, and need a script only for passkeys.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Context } from 'koa'
import { badRequest, type Problem } from '../../runtime/problems/problem.js'
import { assetOf } from '../assets.js'
import { liquidEngine } from '../liquid.js'
import { noteProblem } from '../middleware/declared-answers.js'

const engine = liquidEngine(fileURLToPath(new URL('liquid/', import.meta.url)), false)
const templates = {
  signIn: engine.parseFileSync('sign-in'),
  forgot: engine.parseFileSync('forgot'),
  password: engine.parseFileSync('password'),
  secondFactor: engine.parseFileSync('second-factor'),
  setUpFactor: engine.parseFileSync('set-up-factor'),
  recoveryCodes: engine.parseFileSync('recovery-codes'),
  account: engine.parseFileSync('account'),
  notice: engine.parseFileSync('notice'),
}

/** The path of the script for passkeys, below the identity service. */
export const scriptPath = '/passkey.js'
const compiled = new URL('../../browser/passkey.js', import.meta.url)
/** There is no script in a tree that is not compiled. */
export const script = assetOf('text/javascript', existsSync(compiled) ? readFileSync(compiled) : '')

interface Page {
  title: string
  /** What was wrong with what the person has sent. */
  refusal?: string
}

/** What each page shows. */
interface Pages {
  signIn: Page & {
    tenant: string
    email: string
    /** Path of the page for those who forgot their password; null if there is none, because no mails are sent. */
    forgotPath: string | null
    /** Name of the other issuer, if there is one. */
    issuer: string | null
    /** Options with which the browser asks for a passkey (WebAuthn), as JSON; null where none can be made, as for an IP address. */
    passkey: string | null
  }
  secondFactor: Page & { email: string; passkey: string | null }
  /** @param isAsked whether the person has to, in order to sign in. */
  setUpFactor: Page & { isAsked: boolean; picture: string; secret: string; passkey: string | null }
  /** @param next the path of the page to go on to; null if the form goes on with the sign-in. */
  recoveryCodes: Page & { codes: string[]; next: string | null }
  account: Page & AccountPage
  forgot: Page
  password: Page & { email: string; minLength: number }
  /** @param form a form of the library, which the page adds its button to. */
  notice: Page & { text: string; form?: string }
}

export interface AccountPage {
  email: string
  name: string
  tenantKey: string
  /** Says what was done. */
  done: string | null
  /** Whether the person has a password. Who signs in with another issuer alone has none. */
  hasPassword: boolean
  minLength: number
  factors: { id: string; name: string; used: string }[]
  recoveryLeft: number
}

/** Answers with a page. */
export function showPage<Name extends keyof Pages>(ctx: Context, status: number, name: Name, page: Pages[Name]): void {
  const { basePath } = ctx.state
  ctx.status = status
  ctx.type = 'html'
  ctx.body = String(engine.renderSync(templates[name], { page: { ...page, basePath } }))
}

/** Answers with a page that says what the problem is. */
export function showProblem(ctx: Context, { code, status, title, message, headers }: Problem): void {
  noteProblem(ctx, code)
  const text = status < 500 ? message : `${message} (${ctx.state.traceId})`
  ctx.set(headers)
  showPage(ctx, status, 'notice', { title, text })
}

/**
 * Forbids browsers to run scripts in the pages of the identity service, to show them in frames, to cache them and to tell other
 * sites their addresses. The library adds the hash of the one script that it has, which sends a form on.
 * @param formsTo the other origin that a form of the page may lead to.
 */
export function protectPage(ctx: Context, formsTo = ''): void {
  const targets = ["'self'", ctx.state.formsTo, formsTo].filter(Boolean)
  ctx.set({
    'Content-Security-Policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action ${targets.join(' ')}; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  })
}

/**
 * Refuses a form that a page of another site has sent. Browsers say where a request comes from; what says nothing is no browser, and
 * has no cookie that it was not given.
 * @throws Problem 400
 */
export function requireOwnForm(ctx: Context): void {
  if (!['', 'same-origin', 'none'].includes(ctx.get('sec-fetch-site')))
    throw badRequest(
      'malformed-request',
      'The form was sent from another site. Open the page again and send it from there.',
    )
}
