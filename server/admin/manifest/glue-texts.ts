// Collects all Liquid templates and JSONata expressions of a manifest's glue.
import { knownHost } from '../../../db/glue/endpoints/secret-hosts.js'
import type {
  GlueEndpoint,
  GlueSettings,
  HttpRequestStep,
  PipelineStep,
  Provider,
} from '../../../db/glue/endpoints/settings.js'
import { pointerPart } from '../../../runtime/problems/problem.js'
import { expressionReads, type Read, templateReads } from './glue-names.js'

/** A template or expression of a manifest. */
export interface GlueText {
  pointer: string
  kind: 'template' | 'expression'
  text: string
  /** Names of the earlier steps of the endpoint; absent if the text can only read variables. */
  stepsBefore?: readonly string[]
  /** Whether callers may see the result. */
  isShown?: boolean
  /** Whether the text reads plain variables only, no secrets. */
  isPlain?: boolean
  /** The host that the result is sent to, if that is known before run time. */
  sentTo?: string | undefined
  /** Whether names refer to a row, so that only `$$` reads the request, the steps and the variables. */
  isOfRow?: boolean
}

/** Returns the names that a valid text reads. */
export const readsOf = ({ kind, text, isOfRow }: GlueText): Read[] =>
  kind === 'template' ? templateReads(text) : expressionReads(text, isOfRow)

/** Returns every text of a tenant's glue, in the order of the manifest. */
export const glueTexts = ({ providers, endpoints }: GlueSettings): GlueText[] => [
  ...providers.flatMap(({ authentication: { clientSecret, ...plain } = {} }, n) => [
    ...texts(`/glue/providers/${n}/authentication`, { clientSecret }),
    ...texts(`/glue/providers/${n}/authentication`, plain, { isPlain: true }),
  ]),
  ...endpoints.flatMap((endpoint, n) => endpointTexts(endpoint, `/glue/endpoints/${n}`, providers)),
]

/**
 * Returns the texts of one endpoint.
 * @param at its pointer.
 * @param providers those of the tenant, which say to which hosts its texts are sent.
 */
export function endpointTexts(
  { authentication, steps }: GlueEndpoint,
  at: string,
  providers: readonly Provider[] = [],
): GlueText[] {
  const names = steps.map(({ name }) => name)
  return [
    // A request must not influence whom an endpoint trusts, so these can read variables only.
    ...authentication.flatMap(({ openIdConnect = {} }, n) =>
      texts(`${at}/authentication/${n}/openIdConnect`, openIdConnect, { isPlain: true }),
    ),
    ...steps.flatMap((step, n) =>
      stepTexts(step, `${at}/steps/${n}`, providers).map(text => ({ ...text, stepsBefore: names.slice(0, n) })),
    ),
  ]
}

const stepTexts = (
  { httpRequest, jwt, transform, respond }: PipelineStep,
  at: string,
  providers: readonly Provider[],
): GlueText[] => [
  ...(httpRequest ? requestTexts(httpRequest, `${at}/httpRequest`, providers) : []),
  ...texts(`${at}/jwt`, { key: jwt?.key }),
  // Whoever sees a token can read its claims.
  ...texts(`${at}/jwt/claims`, jwt?.claims, shown('template')),
  ...texts(`${at}/transform`, { expression: transform?.expression }, shown('expression')),
  ...texts(`${at}/respond/headers`, respond?.headers, shown('template')),
  ...texts(`${at}/respond`, { body: respond?.body }, shown('template')),
  ...texts(`${at}/respond`, { expression: respond?.expression, rows: respond?.rows }, shown('expression')),
  ...texts(`${at}/respond`, { row: respond?.row }, { ...shown('expression'), isOfRow: true }),
  ...texts(`${at}/respond`, { next: respond?.next, total: respond?.total }, shown('expression')),
]

/** Returns the templates of what is sent to a host. */
export function requestTexts(
  { provider: key, url, headers, query, body }: Partial<HttpRequestStep> & { url: string },
  at: string,
  providers: readonly Provider[],
): GlueText[] {
  const sentTo = knownHost(
    url,
    providers.find(provider => provider.key === key),
  )
  return [
    ...texts(at, { url }, { sentTo }),
    ...texts(`${at}/headers`, headers, { sentTo }),
    ...texts(`${at}/query`, query, { sentTo }),
    ...texts(at, { body }, { sentTo }),
  ]
}

/** The result of an expression counts as shown, because a later step often returns it. */
const shown = (kind: GlueText['kind']) => ({ kind, isShown: true })

/** Returns the templates among an object's members. */
export const texts = (at: string, members: object = {}, more: Partial<GlueText> = {}): GlueText[] =>
  Object.entries(members).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'string' ? [{ pointer: `${at}/${pointerPart(name)}`, kind: 'template', text, ...more }] : [],
  )
