import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the API of the stack that all tests share. */
    baseUrl: string
    /** Its database. */
    databaseUrl: string
    /** Address of its Temporal server. */
    temporalAddress: string
    /** Ports on 127.0.0.1 that its processes may call; see provider.ts. */
    providerPorts: number[]
  }
}
