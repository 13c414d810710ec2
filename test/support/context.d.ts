// Types of the values that the shared stack provides to tests.
import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the API of the stack that all tests share. */
    baseUrl: string
    /** Address of the API's metrics. */
    metricsUrl: string
    /** Address of its worker, for health and metrics. */
    workerUrl: string
    /** Its database. */
    databaseUrl: string
    /** Address of its Temporal server. */
    temporalAddress: string
    /** ENCRYPTION_KEY of its processes. */
    encryptionKey: string
    /** Where its servers keep their state. */
    dataDir: string
    /** EXPORT_DIRECTORY of its processes. */
    exportDir: string
    /** Their settings for exports to a bucket. */
    exportBucket: Record<string, string>
    /** Ports on 127.0.0.1 that its processes may call; see provider.ts. */
    providerPorts: number[]
  }
}
