// The settings of the connection to Temporal, with the names and meanings that Temporal's own tools give them.
import { loadClientConnectConfig } from '@temporalio/envconfig'
import type { NativeConnectionOptions } from '@temporalio/worker'
import Type from 'typebox'

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }))

/** The environment variables of the connection, with their meanings. */
export const temporalSettings = {
  TEMPORAL_ADDRESS: Type.String({
    minLength: 1,
    default: '127.0.0.1:7233',
    description: 'host:port of the frontend.',
  }),
  TEMPORAL_NAMESPACE: Type.String({ minLength: 1, default: 'default', description: 'Temporal namespace.' }),
  TEMPORAL_API_KEY: text('API key of a hosted Temporal; implies TLS.'),
  TEMPORAL_TLS: Type.Boolean({ default: false, description: 'Connect to Temporal with TLS.' }),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: text('File (PEM) of the authority that signed the certificate of Temporal.'),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: text('The certificate of that authority itself (PEM), instead of a file.'),
  TEMPORAL_TLS_SERVER_NAME: text("Name in Temporal's certificate, if it is not that of TEMPORAL_ADDRESS."),
  TEMPORAL_TLS_CLIENT_CERT_PATH: text('File (PEM) of our certificate, for mutual TLS.'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: text('Our certificate itself (PEM), instead of a file.'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: text('File (PEM) of the key of our certificate.'),
  TEMPORAL_TLS_CLIENT_KEY_DATA: text('That key itself (PEM), instead of a file.'),
}

/** Values of {@link temporalSettings}, checked by their schemas. */
type TemporalValues = { [Name in keyof typeof temporalSettings]?: string | boolean | undefined }

/**
 * Reads how to connect to Temporal. An API key or any of the TLS settings turns TLS on.
 * @throws Error that names the settings if a file cannot be read, if a certificate lacks its key or the other way
 *   round, or if one is given both as a file and as text.
 */
export function temporalConnection(values: TemporalValues): NativeConnectionOptions {
  const cert = values.TEMPORAL_TLS_CLIENT_CERT_PATH ?? values.TEMPORAL_TLS_CLIENT_CERT_DATA
  const key = values.TEMPORAL_TLS_CLIENT_KEY_PATH ?? values.TEMPORAL_TLS_CLIENT_KEY_DATA
  if ((cert === undefined) !== (key === undefined))
    throw new Error('TEMPORAL_TLS_CLIENT_CERT_… and TEMPORAL_TLS_CLIENT_KEY_… go together: set both, or neither')
  // `false` is our default and must not turn off what other settings turn on.
  const given = Object.keys(temporalSettings).flatMap(name => {
    const value = values[name as keyof TemporalValues]
    return value === undefined || value === false ? [] : [[name, String(value)]]
  })
  const { connectionOptions } = loaded(Object.fromEntries(given))
  return { ...connectionOptions, ...(connectionOptions.tls ? {} : { grpcCompression: { codec: 'none' } }) }
}

function loaded(env: Record<string, string>) {
  try {
    return loadClientConnectConfig({ disableFile: true, overrideEnvVars: env })
  } catch (error) {
    throw new Error(`TEMPORAL_TLS_… cannot be used: ${error instanceof Error ? error.message : error}`)
  }
}
