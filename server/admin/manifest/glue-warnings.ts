// Warnings about valid but suspicious glue settings of a manifest.
import {
  type GlueEndpoint,
  type GlueSettings,
  isIdempotent,
  type OpenIdConnectMethod,
} from '../../../db/glue/endpoints/settings.js'
import { OutboundFailed, outboundRules } from '../../../runtime/outbound-rules.js'
import type { Fault } from '../../../runtime/problem.js'
import { render } from '../../../runtime/templates.js'
import { expressionReads, templateReads } from './glue-names.js'
import { endpointTexts, type GlueText, glueTexts } from './glue-texts.js'

/** Settings that may be applied and are probably not meant. The glue has no faults. @param platform the authority of our own tokens. */
export const glueWarnings = (glue: GlueSettings, platform: string): Fault[] => [
  ...plainAddresses(glue),
  ...glue.endpoints.flatMap(({ authentication }, n) =>
    authentication.flatMap(({ openIdConnect }, m) =>
      unscopedPlatform(openIdConnect, glue, platform, `/glue/endpoints/${n}/authentication/${m}/openIdConnect`),
    ),
  ),
  ...glue.endpoints.flatMap((endpoint, n) => authenticationWarnings(endpoint, `/glue/endpoints/${n}/authentication`)),
  ...missingUserTokens(glue),
  ...callsMadeOnce(glue),
]

function authenticationWarnings({ key, authentication }: GlueEndpoint, pointer: string): Fault[] {
  if (authentication.length === 0) {
    return [{ pointer, code: 'open-endpoint', detail: `The endpoint '${key}' is open to everybody.` }]
  }
  const both = [authentication.some(each => each.openIdConnect), authentication.some(each => each.clientCredentials)]
  if (both.includes(false)) return []
  const detail = 'The token in the one Authorization header must satisfy Open ID Connect and Client Credentials alike.'
  return [{ pointer, code: 'one-header-for-both', detail }]
}

/** Every program of the tenant has tokens of the platform, whatever it may do. */
export function unscopedPlatform(
  method: OpenIdConnectMethod | undefined,
  { variables }: GlueSettings,
  platform: string,
  pointer: string,
): Fault[] {
  if (!method || method.scopes || filled(method.authority, variables) !== platform) return []
  const detail =
    'Without scopes, every client of the tenant is let in by any token of the platform; name the scope it needs.'
  return [{ pointer: `${pointer}/scopes`, code: 'any-client', detail }]
}

/** The text itself where it reads what is secret: that is not known here. */
function filled(template: string, variables: Record<string, string>): string {
  try {
    return render(template, { variables }).trim()
  } catch {
    return template
  }
}

function plainAddresses(glue: GlueSettings): Fault[] {
  const providers = glue.providers.map(({ url }, n) => ({ pointer: `/glue/providers/${n}/url`, text: url }))
  return plainTexts([...providers, ...glueTexts(glue)])
}

/** Addresses of systems that are called without encryption. */
export const plainTexts = (texts: readonly { pointer: string; text: string }[]): Fault[] =>
  texts.flatMap(({ pointer, text }) => {
    if (!/\/(url|authority|tokenUrl)$/.test(pointer) || !/^http:/i.test(text)) return []
    const detail = 'What is sent there is not encrypted, and http is called only where the operator opens it.'
    return [{ pointer, code: 'not-encrypted', detail }]
  })

/** Webhooks whose address the rules for outbound calls close. A name is looked up with each delivery, not here. */
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

/** Keys of the endpoints that answer for data sources. */
const refreshingKeys = ({ dataSources }: GlueSettings) =>
  dataSources.flatMap(({ subjectEndpoint, pageEndpoint }) => [subjectEndpoint, pageEndpoint])

/** Calls of data sources that a refresh does not repeat, of which their author has said nothing. */
function callsMadeOnce(glue: GlueSettings): Fault[] {
  const refreshing = refreshingKeys(glue)
  return glue.endpoints.flatMap(({ key, steps }, n) =>
    steps.flatMap(({ httpRequest: call }, step) => {
      if (!refreshing.includes(key) || !call || call.idempotent !== undefined || isIdempotent(call)) return []
      const pointer = `/glue/endpoints/${n}/steps/${step}/httpRequest/method`
      const detail = `A refresh fails at the first failure of this ${call.method}; say idempotent: true where it may be repeated.`
      return [{ pointer, code: 'not-repeated', detail }]
    }),
  )
}

/** Texts that read the user's token where there is none. */
function missingUserTokens(glue: GlueSettings): Fault[] {
  const { endpoints } = glue
  const refreshing = refreshingKeys(glue)
  return endpoints.flatMap((endpoint, n) => {
    const isAsked = endpoint.authentication.some(({ openIdConnect }) => openIdConnect)
    if (isAsked && !refreshing.includes(endpoint.key)) return []
    const detail = isAsked
      ? 'A refresh of a data set calls this endpoint without a user token.'
      : 'There is a user token only where the endpoint asks for Open ID Connect.'
    const reading = endpointTexts(endpoint, `/glue/endpoints/${n}`).filter(readsUserToken)
    return reading.map(({ pointer }) => ({ pointer, code: 'no-user-token', detail }))
  })
}

const readsUserToken = ({ kind, text }: GlueText): boolean =>
  (kind === 'template' ? templateReads : expressionReads)(text).some(
    ({ path: [root, name] }) => root === 'request' && name === 'userToken',
  )
