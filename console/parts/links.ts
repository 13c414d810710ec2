// Addresses of pages of the console.

/** The path of the console, which ends with a slash. */
const root = new URL(document.baseURI).pathname

/** Returns the path of a page. */
export const at = (path: string): string => `${root}${path}`

/** Returns the path of a page with a query. Members that are empty are left out. */
export function withQuery(path: string, query: Record<string, string | undefined>): string {
  const given = Object.entries(query).filter((each): each is [string, string] => Boolean(each[1]))
  return given.length > 0 ? `${at(path)}?${new URLSearchParams(given)}` : at(path)
}
