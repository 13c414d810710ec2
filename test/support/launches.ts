// Opens launch pages and posts their forms, as browsers and programs do.
import { inject } from 'vitest'
import type { Fields } from './user-endpoint.js'

/** A response whose body is left as text. */
export interface PageReply {
  status: number
  headers: Headers
  text: string
}

/** Headers of a browser. */
export const asBrowser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
export const asProgram = { accept: 'application/json' }

/** Returns the path of a launch page. */
export const launchPath = (tenantKey: string, ...rest: (string | number)[]): string =>
  ['', tenantKey, 'SinglePass', ...rest].join('/')

/** Sends a request as a browser does, without following redirects. */
export async function page(path: string, init: RequestInit = {}, baseUrl = inject('baseUrl')): Promise<PageReply> {
  const headers = { ...asBrowser, ...Object(init.headers) }
  const answer = await fetch(new URL(path, baseUrl), { redirect: 'manual', ...init, headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Returns the value of a hidden field on a page. */
export const hidden = (text: string, name: string): string =>
  new RegExp(`type="hidden" name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

/** Posts a urlencoded form, which browsers use for forms without files. */
export const smallForm = (...fields: [name: string, value: string][]): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams(fields),
})

/** Posts a multipart form. */
export const form = (...fields: Fields): RequestInit => {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  return { method: 'POST', body }
}

/** Reads the reference of an accepted form from the address to which the answer redirects. */
export const referenceOf = ({ headers }: PageReply): string =>
  new URL(headers.get('location') ?? '', 'http://x').searchParams.get('reference') ?? ''
