// Keeps the secrets of a tenant from all hosts but their own.
import { NotEvaluated } from '../../../runtime/expressions/parsed-texts.js'
import type { OpenedGlue, Secret } from './settings.js'

/**
 * Returns the variables that a text can read which is sent to a host: the plain ones, and the secrets that may go there.
 * Everything that leaves us with a secret is made of these.
 */
export function variablesFor({ settings, secrets }: OpenedGlue, host: string): Record<string, string> {
  const own = Object.entries(secrets).flatMap(([name, { value, hosts }]) =>
    hosts.includes(host) ? [[name, value]] : [],
  )
  return { ...settings.variables, ...Object.fromEntries(own) }
}

/** Says that a secret may not be sent to a host, and what to do. */
export const mayNotGo = (name: string, host: string): string =>
  `The secret '${name}' may not go to '${host}'. Add the host to the secret's hosts, and give its value again.`

/**
 * Explains why a text could not be evaluated, if the reason is a secret that may not go to the host.
 * @param host undefined where no secrets can be read.
 */
export function explained(error: unknown, { secrets }: OpenedGlue, host: string | undefined): unknown {
  const [, name = ''] = error instanceof NotEvaluated ? (/^variables\.(\w+)$/.exec(error.missing ?? '') ?? []) : []
  if (!Object.hasOwn(secrets, name)) return error
  return new NotEvaluated(host === undefined ? `The secret '${name}' cannot be read here.` : mayNotGo(name, host))
}

/** Finds the secret that a template names, as `{{ variables.name }}`. @throws NotEvaluated if there is none. */
export function secretNamed({ secrets }: OpenedGlue, template: string): Secret & { name: string } {
  const [, name = ''] = /^\{\{\s*variables\.(\w+)\s*\}\}$/.exec(template) ?? []
  const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined
  if (!secret) throw new NotEvaluated(`There is no secret '${name}'`)
  return { name, ...secret }
}

/** Matches only if the host ends before the first value: in 'https://api{{ x }}', the value could continue the host. */
export const startsWithHost = /^https?:\/\/[^\s/?#\\@{]+(?:[/?#]|$)/i

/**
 * Returns the host that an address leads to, if that is known before its template is evaluated: that of its provider, or
 * else the one that the template itself names.
 */
export function knownHost(template: string, provider: { url: string } | undefined): string | undefined {
  const [address] = provider ? [provider.url] : (startsWithHost.exec(template.trim()) ?? [])
  return address !== undefined && URL.canParse(address) ? new URL(address).host : undefined
}
