// Validates a manifest's glue beyond the schema.
import type { Static } from 'typebox'
import { knownHost, mayNotGo } from '../../../db/glue/endpoints/secret-hosts.js'
import type {
  DataSource,
  GlueEndpoint,
  GlueSettings,
  HttpRequestStep,
  JwtStep,
  PipelineStep,
  Provider,
  RespondStep,
} from '../../../db/glue/endpoints/settings.js'
import { type Fault, fault } from '../../../runtime/problems/problem.js'
import { webhookSecretBytes, webhookSecretForm } from '../../../runtime/secrets/webhook-secret.js'
import { duplicateKeys } from '../../schema/duplicate-keys.js'
import {
  addressFaults,
  headerFaults,
  isReservedInAnswer,
  isReservedInCall,
  openIdConnectFaults,
  requestAddressFaults,
} from './glue-http-faults.js'
import { textFaults } from './glue-text-faults.js'
import { glueTexts } from './glue-texts.js'
import type { GlueManifest } from './manifest-glue.js'

/** Size limit of the settings. They are one row, which every process reads again and again. */
const maxMegabytes = 4

/** Returns all faults of a tenant's glue that the schema cannot find. */
export function glueFaults(glue: GlueSettings): Fault[] {
  const at = '/glue'
  const { variables, secrets, providers, endpoints, dataSources, dataExtracts, webhooks } = glue
  return [
    ...sizeFaults(glue, at),
    ...duplicateKeys(names(secrets), n => `${at}/secrets/${n}/name`, 'secret'),
    ...secrets.flatMap(({ name }, n) =>
      Object.hasOwn(variables, name)
        ? [fault(`${at}/secrets/${n}/name`, 'duplicate-key', `'${name}' is also the name of a variable.`)]
        : [],
    ),
    ...duplicateKeys(keysOf(providers), n => `${at}/providers/${n}/key`, 'provider'),
    ...providers.flatMap((provider, n) => providerFaults(provider, glue, `${at}/providers/${n}`)),
    ...duplicateKeys(keysOf(endpoints), n => `${at}/endpoints/${n}/key`, 'endpoint'),
    ...endpoints.flatMap((endpoint, n) => endpointFaults(endpoint, glue, `${at}/endpoints/${n}`)),
    ...duplicateKeys(keysOf(dataSources), n => `${at}/dataSources/${n}/key`, 'data source'),
    ...dataSources.flatMap((source, n) => sourceFaults(source, glue, `${at}/dataSources/${n}`)),
    ...duplicateKeys(keysOf(dataExtracts), n => `${at}/dataExtracts/${n}/key`, 'data extract'),
    ...dataExtracts.flatMap(({ source }, n) =>
      keysOf(dataSources).includes(source)
        ? []
        : [fault(`${at}/dataExtracts/${n}/source`, 'unknown-data-source', `There is no data source '${source}'.`)],
    ),
    ...duplicateKeys(keysOf(webhooks), n => `${at}/webhooks/${n}/key`, 'webhook'),
    ...webhooks.flatMap(({ url, secrets: signing }, n) => [
      ...addressFaults(url, `${at}/webhooks/${n}/url`),
      ...signing.flatMap((name, s) =>
        names(secrets).includes(name)
          ? []
          : [fault(`${at}/webhooks/${n}/secrets/${s}`, 'unknown-secret', `There is no secret '${name}'.`)],
      ),
    ]),
    ...textFaults(glueTexts(glue), glue),
  ]
}

/**
 * Checks the secrets that sign webhooks. Only values in this manifest are checked; the delivery checks those that were
 * set earlier.
 */
export function webhookSecretFaults({ secrets = [], webhooks = [] }: Static<typeof GlueManifest> = {}): Fault[] {
  const signing = new Set(webhooks.flatMap(webhook => webhook.secrets))
  return secrets.flatMap(({ name, value }, n) =>
    value === undefined || !signing.has(name) || webhookSecretBytes(value)
      ? []
      : [
          fault(
            `/glue/secrets/${n}/value`,
            'wrong-format',
            `'${name}' signs a webhook and must be ${webhookSecretForm}.`,
          ),
        ],
  )
}

const names = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name)

const keysOf = (all: readonly { key: string }[]): string[] => all.map(({ key }) => key)

function sizeFaults(glue: GlueSettings, at: string): Fault[] {
  const size = Buffer.byteLength(JSON.stringify(glue))
  if (size <= maxMegabytes * 2 ** 20) return []
  return [fault(at, 'too-large', `The glue of a tenant may have at most ${maxMegabytes} MB; this has ${size} bytes.`)]
}

/** Checks that exactly one of some members is set. */
export function oneOf(members: object, pointer: string): Fault[] {
  const given = Object.values(members).filter(value => value !== undefined).length
  const names = Object.keys(members).join(', ')
  return given === 1
    ? []
    : [fault(pointer, 'one-of', `Give exactly one of ${names}; ${given === 0 ? 'none is' : 'several are'} given.`)]
}

function providerFaults({ url, alsoKnownAs, authentication }: Provider, glue: GlueSettings, at: string): Fault[] {
  const faults = [
    ...addressFaults(url, `${at}/url`),
    ...alsoKnownAs.flatMap((address, n) => addressFaults(address, `${at}/alsoKnownAs/${n}`)),
  ]
  if (!authentication) return faults
  const { authority, tokenUrl, clientSecret } = authentication
  return [
    ...faults,
    ...oneOf({ authority, tokenUrl }, `${at}/authentication`),
    ...addressFaults(authority, `${at}/authentication/authority`),
    ...addressFaults(tokenUrl, `${at}/authentication/tokenUrl`),
    ...unsealedFaults(clientSecret, glue, `${at}/authentication/clientSecret`),
    ...elsewhereFaults(clientSecret, [url, tokenUrl], glue, `${at}/authentication/clientSecret`),
  ]
}

/** Refuses a plain variable where a secret belongs, since everybody who reads the manifest sees plain variables. */
function unsealedFaults(template: string, { variables, secrets }: GlueSettings, pointer: string): Fault[] {
  const name = /variables\.(\w+)/.exec(template)?.[1] ?? ''
  if (names(secrets).includes(name) || !Object.hasOwn(variables, name)) return []
  return [fault(pointer, 'not-a-secret', `'${name}' is a plain variable; make it a secret.`)]
}

/**
 * Refuses a client secret that may not go to its token endpoint, or to the provider, which gets a token for it. The token
 * endpoint of an authority is known only when it is asked.
 */
function elsewhereFaults(
  template: string,
  addresses: readonly (string | undefined)[],
  { secrets }: GlueSettings,
  pointer: string,
): Fault[] {
  const [, name] = /variables\.(\w+)/.exec(template) ?? []
  const secret = secrets.find(each => each.name === name)
  const hosts = addresses.flatMap(address => (address === undefined ? [] : (knownHost(address, undefined) ?? [])))
  const elsewhere = hosts.filter(host => secret && !secret.hosts.includes(host))
  return [...new Set(elsewhere)].map(host => fault(pointer, 'secret-elsewhere', mayNotGo(secret?.name ?? '', host)))
}

function endpointFaults({ authentication, capability, steps }: GlueEndpoint, glue: GlueSettings, at: string): Fault[] {
  const answering = steps.findIndex(({ respond }) => respond)
  return [
    ...authentication.flatMap(({ openIdConnect, clientCredentials, apiKey }, n) => {
      const pointer = `${at}/authentication/${n}`
      return [
        ...oneOf({ openIdConnect, clientCredentials, apiKey }, pointer),
        ...openIdConnectFaults(openIdConnect, `${pointer}/openIdConnect`),
      ]
    }),
    ...duplicateKeys(
      steps.map(({ name }) => name),
      n => `${at}/steps/${n}/name`,
      'step',
    ),
    ...steps.flatMap((step, n) => stepFaults(step, glue, `${at}/steps/${n}`)),
    ...steps.flatMap((_, n) =>
      answering < 0 || n <= answering
        ? []
        : [fault(`${at}/steps/${n}`, 'unreachable-step', 'An earlier step responds, which ends the pipeline.')],
    ),
    ...(capability === 'structuredData' && steps[answering]?.respond?.rows === undefined
      ? [fault(`${at}/steps/${answering < 0 ? steps.length - 1 : answering}`, 'required', rowsRequired)]
      : []),
  ]
}

const rowsRequired =
  'An endpoint with the capability structuredData ends with a step that says where its rows are: ' +
  'respond: { rows: steps.name.body.items, row: … }.'

function stepFaults({ httpRequest, jwt, transform, respond }: PipelineStep, glue: GlueSettings, at: string): Fault[] {
  return [
    ...oneOf({ httpRequest, jwt, transform, respond }, at),
    ...(httpRequest ? requestFaults(httpRequest, glue, `${at}/httpRequest`) : []),
    ...(jwt ? tokenFaults(jwt, glue, `${at}/jwt`) : []),
    ...(respond ? respondFaults(respond, `${at}/respond`) : []),
  ]
}

function respondFaults({ headers, body, expression, rows, row, next, total }: RespondStep, at: string): Fault[] {
  const given = [body, expression, rows].filter(each => each !== undefined).length
  return [
    ...headerFaults(headers, `${at}/headers`, isReservedInAnswer),
    ...(given > 1 ? [fault(at, 'one-of', 'Give one of body, expression and rows, not several.')] : []),
    ...(rows === undefined && (row ?? next ?? total) !== undefined
      ? [fault(`${at}/rows`, 'required', 'Say where the rows are; row, next and total belong to them.')]
      : []),
  ]
}

/** Checks a jwt step. Its claims must not contain times, which the step sets itself. */
const tokenFaults = ({ key, claims }: JwtStep, glue: GlueSettings, at: string): Fault[] => [
  ...unsealedFaults(key, glue, `${at}/key`),
  ...['iat', 'exp', 'nbf']
    .filter(claim => Object.hasOwn(claims, claim))
    .map(claim =>
      fault(
        `${at}/claims/${claim}`,
        'reserved-claim',
        `The step itself sets the times of a token; see expiresInSeconds.`,
      ),
    ),
]

function requestFaults(
  { provider: key, url, method, body, headers }: HttpRequestStep,
  glue: GlueSettings,
  at: string,
): Fault[] {
  const provider = glue.providers.find(candidate => candidate.key === key)
  return [
    ...(key !== undefined && !provider
      ? [fault(`${at}/provider`, 'unknown-provider', `There is no provider '${key}'.`)]
      : requestAddressFaults(url, provider?.url, `${at}/url`)),
    ...(method === 'GET' && body !== undefined
      ? [fault(`${at}/body`, 'unexpected-body', 'A GET must not have a body; choose another method.')]
      : []),
    ...headerFaults(headers, `${at}/headers`, isReservedInCall),
  ]
}

function sourceFaults({ subjectEndpoint, pageEndpoint }: DataSource, glue: GlueSettings, at: string): Fault[] {
  if (subjectEndpoint === undefined && pageEndpoint === undefined) {
    return [fault(at, 'required', 'Give subjectEndpoint, pageEndpoint, or both.')]
  }
  return Object.entries({ subjectEndpoint, pageEndpoint }).flatMap(([member, key]) =>
    key === undefined ? [] : dataEndpointFaults(key, glue, `${at}/${member}`),
  )
}

/**
 * Checks the endpoint of a data source. Its whole pipeline runs on the task queue of the provider with limits, so it
 * may call only one such provider.
 */
function dataEndpointFaults(key: string, { endpoints, providers }: GlueSettings, pointer: string): Fault[] {
  const endpoint = endpoints.find(candidate => candidate.key === key)
  if (!endpoint) return [fault(pointer, 'unknown-endpoint', `There is no endpoint '${key}'.`)]
  if (endpoint.capability !== 'structuredData') {
    return [fault(pointer, 'no-structured-data', `The endpoint '${key}' needs the capability structuredData.`)]
  }
  const called = endpoint.steps.map(({ httpRequest }) => httpRequest?.provider)
  const limited = keysOf(providers.filter(({ limits }) => Object.keys(limits).length > 0))
  const both = limited.filter(provider => called.includes(provider)).map(provider => `'${provider}'`)
  if (both.length <= 1) return []
  const detail = `The endpoint '${key}' calls ${both.join(' and ')}, which have limits. An endpoint of a data source may call only one provider with limits.`
  return [fault(pointer, 'several-limited-providers', detail)]
}
