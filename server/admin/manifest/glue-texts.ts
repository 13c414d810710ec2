// Collects all Liquid templates and JSONata expressions of a manifest's glue.
import type { GlueEndpoint, GlueSettings, PipelineStep } from '../../../db/glue/endpoints/settings.js'
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
  /** Whether names refer to a row, so that only `$$` reads the request, the steps and the variables. */
  isOfRow?: boolean
}

/** Returns the names that a valid text reads. */
export const readsOf = ({ kind, text, isOfRow }: GlueText): Read[] =>
  kind === 'template' ? templateReads(text) : expressionReads(text, isOfRow)

/** Returns every text of a tenant's glue, in the order of the manifest. */
export const glueTexts = ({ providers, endpoints }: GlueSettings): GlueText[] => [
  ...providers.flatMap(({ authentication = {} }, n) => texts(`/glue/providers/${n}/authentication`, authentication)),
  ...endpoints.flatMap((endpoint, n) => endpointTexts(endpoint, `/glue/endpoints/${n}`)),
]

/**
 * Returns the texts of one endpoint.
 * @param at its pointer.
 */
export function endpointTexts({ authentication, steps }: GlueEndpoint, at: string): GlueText[] {
  const names = steps.map(({ name }) => name)
  return [
    // A request must not influence whom an endpoint trusts, so these can read variables only.
    ...authentication.flatMap(({ openIdConnect = {} }, n) =>
      texts(`${at}/authentication/${n}/openIdConnect`, openIdConnect),
    ),
    ...steps.flatMap((step, n) =>
      stepTexts(step, `${at}/steps/${n}`).map(text => ({ ...text, stepsBefore: names.slice(0, n) })),
    ),
  ]
}

const stepTexts = ({ httpRequest, jwt, transform, respond }: PipelineStep, at: string): GlueText[] => [
  ...texts(`${at}/httpRequest`, { url: httpRequest?.url }),
  ...texts(`${at}/httpRequest/headers`, httpRequest?.headers),
  ...texts(`${at}/httpRequest/query`, httpRequest?.query),
  ...texts(`${at}/httpRequest`, { body: httpRequest?.body }),
  ...texts(`${at}/jwt`, { key: jwt?.key }),
  ...texts(`${at}/jwt/claims`, jwt?.claims),
  ...texts(`${at}/transform`, { expression: transform?.expression }, shown('expression')),
  ...texts(`${at}/respond/headers`, respond?.headers, shown('template')),
  ...texts(`${at}/respond`, { body: respond?.body }, shown('template')),
  ...texts(`${at}/respond`, { expression: respond?.expression, rows: respond?.rows }, shown('expression')),
  ...texts(`${at}/respond`, { row: respond?.row }, { ...shown('expression'), isOfRow: true }),
  ...texts(`${at}/respond`, { next: respond?.next, total: respond?.total }, shown('expression')),
]

/** The result of an expression counts as shown, because a later step often returns it. */
const shown = (kind: GlueText['kind']) => ({ kind, isShown: true })

/** Returns the templates among an object's members. */
export const texts = (at: string, members: object = {}, more: Partial<GlueText> = {}): GlueText[] =>
  Object.entries(members).flatMap(([name, text]: [string, unknown]) =>
    typeof text === 'string' ? [{ pointer: `${at}/${pointerPart(name)}`, kind: 'template', text, ...more }] : [],
  )
