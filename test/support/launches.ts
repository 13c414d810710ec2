// Launch pages, as browsers and programs post them.
import { inject } from 'vitest'

import type { Fields } from './user-endpoint.js'

/** An answer with its text. */
export interface PageReply {
  status: number
  headers: Headers
  text: string
}

/** What a browser says that it takes. */
export const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
export const asProgram = { accept: 'application/json' }

/** Path of a launch. */
export const launchPath = (tenantKey: string, ...rest: (string | number)[]): string =>
  ['', tenantKey, 'SinglePass', ...rest].join('/')

/** Opens or sends a page as a browser does, without following redirects. */
export async function page(path: string, init: RequestInit = {}, baseUrl = inject('baseUrl')): Promise<PageReply> {
  const headers = { ...asBrowser, ...Object(init.headers) }
  const answer = await fetch(new URL(path, baseUrl), { redirect: 'manual', ...init, headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Value of a hidden field of a page. */
export const hidden = (text: string, name: string): string =>
  new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

/** What a form posts, the last value of a name counting: `undefined` leaves it out. */
/** A form with one field for each, as browsers send a small one. */
export const smallForm = (...fields: [name: string, value: string][]): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
})

export const form = (...fields: Fields): RequestInit => {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  return { method: 'POST', body }
}

/** The reference that an accepted form is answered with. */
export const referenceOf = ({ headers }: PageReply): string =>
  new URL(headers.get('location') ?? '', 'http://x').searchParams.get('reference') ?? ''
