// Paths of the identity service.

/** Where the service is mounted. */
export const identityPath = '/identity'

/** Paths below it. */
export const identityRoutes = { token: '/connect/token', jwks: '/jwks' }
