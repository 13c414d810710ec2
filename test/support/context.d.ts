import 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the API of the stack that all tests share. */
    baseUrl: string
    /** Its database. */
    databaseUrl: string
    /** Address of its Temporal server. */
    temporalAddress: string
  }
}
