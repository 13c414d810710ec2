// Warnings about valid but suspicious glue settings of a manifest.
import {
  type GlueEndpoint,
  type GlueSettings,
  isIdempotent,
  type OpenIdConnectMethod,
} from '../../../db/glue/endpoints/settings.js'
import { placeOfBody } from '../../../runtime/expressions/escaped-output.js'
import { OutboundFailed, outboundRules } from '../../../runtime/outbound/outbound-rules.js'
import type { Fault } from '../../../runtime/problems/problem.js'
import { endpointTexts, type GlueText, glueTexts, readsOf } from './glue-texts.js'

/**
 * Returns warnings about settings that are valid but probably a mistake. The glue must have no faults.
 * @param platform the authority of our own tokens.
 */
export const glueWarnings = (glue: GlueSettings, platform: string): Fault[] => [
  ...plainAddresses(glue),
  ...glue.endpoints.flatMap(({ authentication }, n) =>
    authentication.flatMap(({ openIdConnect }, m) =>
      unscopedPlatform(openIdConnect, glue, platform, `/glue/endpoints/${n}/authentication/${m}/openIdConnect`),
    ),
  ),
  ...glue.endpoints.flatMap((endpoint, n) => authenticationWarnings(endpoint, `/glue/endpoints/${n}/authentication`)),
  ...missingUserTokens(glue),
  ...glue.endpoints.flatMap(chosenByCallers),
  ...glue.endpoints.flatMap(insertedAsSent),
  ...callsMadeOnce(glue),
]

function authenticationWarnings({ key, authentication }: GlueEndpoint, pointer: string): Fault[] {
  if (authentication.length === 0) {
    return [{ pointer, code: 'open-endpoint', detail: `The endpoint '${key}' is open to everybody.` }]
  }
  const both = [
    authentication.some(method => method.openIdConnect),
    authentication.some(method => method.clientCredentials),
  ]
  if (both.includes(false)) return []
  const detail = 'The token in the single Authorization header must satisfy both OpenID Connect and client credentials.'
  return [{ pointer, code: 'one-header-for-both', detail }]
}

/**
 * Warns if a method accepts the platform's own tokens without scopes, since every client of the tenant has such a
 * token.
 */
export function unscopedPlatform(
  method: OpenIdConnectMethod | undefined,
  { variables }: GlueSettings,
  platform: string,
  pointer: string,
): Fault[] {
  if (!method || method.scopes || filled(method.authority, variables) !== platform) return []
  const detail =
    'Without scopes, any token of the platform is accepted, so every client of the tenant gets in. Name the scope that is needed.'
  return [{ pointer: `${pointer}/scopes`, code: 'any-client', detail }]
}

/** Inserts plain variables into a text. Tenants' templates are not run in this process. */
const filled = (text: string, variables: Record<string, string>): string =>
  text.replace(/\{\{-?\s*variables\.(\w+)\s*-?\}\}/g, (all, name: string) => variables[name] ?? all).trim()

function plainAddresses(glue: GlueSettings): Fault[] {
  const providers = glue.providers.map(({ url }, n) => ({ pointer: `/glue/providers/${n}/url`, text: url }))
  return plainTexts([...providers, ...glueTexts(glue)])
}

/** Warns about systems that are called without encryption. */
export const plainTexts = (texts: readonly { pointer: string; text: string }[]): Fault[] =>
  texts.flatMap(({ pointer, text }) => {
    if (!/\/(url|authority|tokenUrl)$/.test(pointer) || !/^http:/i.test(text)) return []
    const detail =
      'What is sent there is not encrypted, and calls by http work only where the operator has allowed them.'
    return [{ pointer, code: 'not-encrypted', detail }]
  })

/**
 * Warns about webhooks to addresses that the rules for outbound calls forbid. Host names are resolved only on delivery,
 * not here.
 */
export function closedWebhooks({ webhooks }: Pick<GlueSettings, 'webhooks'>, allow: readonly string[]): Fault[] {
  const { check } = outboundRules(allow)
  return webhooks.flatMap(({ key, url }, n) => {
    try {
      check(new URL(url))
      return []
    } catch (error) {
      if (!(error instanceof OutboundFailed)) throw error
      const detail = `Nothing is delivered to the webhook '${key}': ${error.message}.`
      return [{ pointer: `/glue/webhooks/${n}/url`, code: 'closed-address', detail }]
    }
  })
}

/** Returns the keys of the endpoints that data sources use. */
const refreshingKeys = ({ dataSources }: GlueSettings) =>
  dataSources.flatMap(({ subjectEndpoint, pageEndpoint }) => [subjectEndpoint, pageEndpoint])

/** Warns about calls of data sources that a refresh will not retry, if the author has not decided about that. */
function callsMadeOnce(glue: GlueSettings): Fault[] {
  const refreshing = refreshingKeys(glue)
  return glue.endpoints.flatMap(({ key, steps }, n) =>
    steps.flatMap(({ httpRequest: call }, step) => {
      if (!refreshing.includes(key) || !call || call.idempotent !== undefined || isIdempotent(call)) return []
      const pointer = `/glue/endpoints/${n}/steps/${step}/httpRequest/method`
      const detail = `A refresh fails at the first failure of this ${call.method}. Set idempotent: true if it may be repeated.`
      return [{ pointer, code: 'not-repeated', detail }]
    }),
  )
}

/** Warns about texts that read the user's token at an endpoint that may have none. */
function missingUserTokens(glue: GlueSettings): Fault[] {
  const { endpoints } = glue
  const refreshing = refreshingKeys(glue)
  return endpoints.flatMap((endpoint, n) => {
    const isAsked = endpoint.authentication.some(({ openIdConnect }) => openIdConnect)
    if (isAsked && !refreshing.includes(endpoint.key)) return []
    const detail = isAsked
      ? 'A refresh of a data set calls this endpoint without a user token.'
      : 'There is a user token only if the endpoint requires OpenID Connect.'
    const reading = endpointTexts(endpoint, `/glue/endpoints/${n}`).filter(readsUserToken)
    return reading.map(({ pointer }) => ({ pointer, code: 'no-user-token', detail }))
  })
}

const readsUserToken = (text: GlueText): boolean => readsOfRequest(text, ['userToken', 'user'])

/**
 * Warns about texts that read what a user sends, at an endpoint that calls providers for users without asking who they are: each
 * user can then read what belongs to another.
 */
function chosenByCallers(endpoint: GlueEndpoint, n: number): Fault[] {
  const isForUsers = endpoint.authentication.some(({ openIdConnect }) => openIdConnect)
  if (!isForUsers || endpoint.capability !== undefined || !endpoint.steps.some(step => step.httpRequest)) return []
  const texts = endpointTexts(endpoint, `/glue/endpoints/${n}`)
  if (texts.some(text => readsOfRequest(text, ['user']))) return []
  const detail =
    'What a user sends decides what is read here, and nothing asks who the user is. Name the person by a claim of the token, such as request.user.sub.'
  const chosen = texts.filter(text => readsOfRequest(text, ['query', 'body']))
  return chosen.map(({ pointer }) => ({ pointer, code: 'caller-chooses', detail }))
}

/**
 * Warns about templates that insert what a caller sends without escaping it, because the place is not known: a body of a type
 * without rules, or an address that begins with the value, which is taken for a link.
 */
function insertedAsSent({ steps }: GlueEndpoint, n: number): Fault[] {
  const warned = (pointer: string, text: string | undefined, detail: string): Fault[] => {
    const reads = text !== undefined && readsOfRequest({ pointer, kind: 'template', text }, ['query', 'body'])
    return reads && !isRaw.test(text) ? [{ pointer, code: 'not-escaped', detail }] : []
  }
  return steps.flatMap(({ httpRequest, respond }, step) => {
    const at = `/glue/endpoints/${n}/steps/${step}`
    const body = (
      name: 'httpRequest' | 'respond',
      made: { headers: Record<string, string>; body?: string | undefined },
    ) =>
      placeOfBody(made.headers, name === 'httpRequest' ? 'application/json' : 'text/plain') === undefined
        ? warned(
            `${at}/${name}/body`,
            made.body,
            'Values of the request are not escaped in a body of this type. Say `raw` if that is meant.',
          )
        : []
    const link = httpRequest && beginsWithRequest.test(httpRequest.url)
    const detail = 'The caller chooses the address that is called. Begin it with a text, or say `raw` if that is meant.'
    return [
      ...(link ? warned(`${at}/httpRequest/url`, httpRequest.url, detail) : []),
      ...(httpRequest ? body('httpRequest', httpRequest) : []),
      ...(respond ? body('respond', respond) : []),
    ]
  })
}

/** Matches an address that begins with what a caller sends. The cursor of a page is a link of the provider. */
const beginsWithRequest = /^\s*\{\{-?\s*request\.(?!body\.cursor\b)/
const isRaw = /\|\s*raw\s*-?\}\}/

const readsOfRequest = (text: GlueText, members: readonly string[]): boolean =>
  readsOf(text).some(({ path: [root, name] }) => root === 'request' && name !== undefined && members.includes(name))
