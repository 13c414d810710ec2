// The pages of form instances, for people that are signed in.
import { form, type PageReply, page, smallForm } from './launches.js'
import type { Fields } from './user-endpoint.js'

/** Where an instance is filled in. */
export const editPath = (tenantKey: string, guid: string) => `/forms/${tenantKey}/instances/${guid}`

/** What an application posts to sign a person in. */
export const signIn = (tenantKey: string, token: string, to: string, baseUrl?: string): Promise<PageReply> =>
  page(`/forms/${tenantKey}/sign-in`, smallForm(['token', token], ['to', to]), baseUrl)

export type Visitor = ReturnType<typeof visitor>

/** A person who is signed in: opens pages of a tenant and posts their forms, as a browser does. */
export function visitor({ tenantKey, token }: { tenantKey: string; token: string }) {
  const cookie = { cookie: `armature-forms=${token}` }
  return {
    open: (path: string, headers = {}) => page(path, { headers: { ...cookie, ...headers } }),
    edit: (guid: string) => page(editPath(tenantKey, guid), { headers: cookie }),
    /** Presses a button. */
    press(guid: string, action: string, fields: Fields = [], headers = {}) {
      const posted = form(['action', action], ...fields)
      return page(editPath(tenantKey, guid), { ...posted, headers: { ...cookie, ...headers } })
    },
  }
}

const titles = (text: string, tag: RegExp) => [...text.matchAll(tag)].map(([, title]) => title ?? '')

/** What a page says in large letters, and what its buttons and links are. */
export const saysOf = ({ status, text }: PageReply) => ({
  status,
  title: titles(text, /<h1>(.*?)<\/h1>/g).join(),
  banner: titles(text, /class="banner-title">(.*?)</g).join(),
  ways: titles(text, /<(?:button type="submit" name="action"|a (?!href="[^"]*#))[^>]*>(.*?)<\/(?:button|a)>/g),
})

/** Where an answer leads. */
export const leadsTo = ({ status, headers }: PageReply) => [status, headers.get('location')]
