// Fills in the defaults of a manifest's glue and seals its secrets.
import type { Static } from 'typebox'
import {
  glueDefaults as defaults,
  type GlueSettings,
  noGlueSettings,
  type PipelineStep,
  type SealedSecret,
  sealSecret,
} from '../../../db/glue/endpoints/settings.js'
import type { Seal } from '../../../runtime/secrets/seal.js'
import type { GlueManifest } from './manifest-glue.js'

type Body = Static<typeof GlueManifest>
type ManifestStep = NonNullable<Body['endpoints']>[number]['steps'][number]

/**
 * Returns the glue of a manifest with all defaults, together with the sealed values of the secrets that the manifest
 * sets.
 */
export function glueWithDefaults(
  tenantKey: string,
  body: Body = {},
  seal: Seal,
): { glue: GlueSettings; glueSecrets: Record<string, SealedSecret> } {
  const secrets = (body.secrets ?? []).map(({ hosts = [], ...secret }) => ({ ...secret, hosts }))
  const given = secrets.flatMap(({ name, value, hosts }) =>
    value === undefined ? [] : [[name, sealSecret(seal, tenantKey, name, { value, hosts })] as const],
  )
  return {
    glueSecrets: Object.fromEntries(given),
    glue: {
      ...noGlueSettings,
      variables: body.variables ?? {},
      secrets: secrets.map(({ name, hosts }) => ({ name, hosts })),
      providers: (body.providers ?? []).map(provider => ({
        ...defaults.provider,
        alsoKnownAs: [],
        limits: {},
        ...provider,
      })),
      endpoints: (body.endpoints ?? []).map(endpoint => ({
        ...endpoint,
        authentication: endpoint.authentication ?? [],
        steps: endpoint.steps.map(completedStep),
      })),
      dataSources: (body.dataSources ?? []).map(source => ({ ...defaults.dataSource, ...source })),
      dataExtracts: (body.dataExtracts ?? []).map(extract => ({ ...defaults.dataExtract, options: {}, ...extract })),
      webhooks: body.webhooks ?? [],
    },
  }
}

function completedStep({ httpRequest, jwt, respond, ...step }: ManifestStep): PipelineStep {
  return {
    ...step,
    ...(httpRequest && {
      httpRequest: { ...defaults.httpRequest, headers: {}, query: {}, accept: [], ...httpRequest },
    }),
    ...(jwt && { jwt: { ...defaults.jwt, claims: {}, ...jwt } }),
    ...(respond && { respond: { ...defaults.respond, headers: {}, ...respond } }),
  }
}
