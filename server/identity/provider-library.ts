// Loads oidc-provider without its warning about the Node version.
import type * as library from 'oidc-provider'

/*
 * oidc-provider writes a warning when it is loaded on Node 20, which we test on as well as on 22 and 24. Operators cannot do
 * anything about it, so this one line is dropped.
 */
const { warn } = console
console.warn = (...line: unknown[]) => {
  if (!String(line[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn(...line)
}
export const { Provider, errors }: typeof library = await import('oidc-provider')
console.warn = warn
