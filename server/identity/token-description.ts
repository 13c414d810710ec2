// Describes the token endpoint for the API description (RFC 6749 "Client Credentials Grant").
import type { Tag } from '../tags.js'

const text = (description: string) => ({ type: 'string', description })

/** The OAuth errors of the token endpoint, by status. */
export const tokenErrors: Record<number, readonly string[]> = {
  400: ['invalid_request', 'invalid_grant', 'invalid_scope', 'unsupported_grant_type'],
  401: ['invalid_client'],
  429: ['too_many_requests'],
  500: ['server_error'],
  503: ['temporarily_unavailable'],
}

const refusal = (errors: readonly string[]) => ({
  description: errors.map(error => `\`${error}\``).join(', '),
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['error', 'error_description'],
        properties: { error: { type: 'string', enum: errors }, error_description: { type: 'string' } },
      },
    },
  },
})

/** The token endpoint as an OpenAPI operation. */
export const tokenOperation = {
  operationId: 'getToken',
  summary: 'Get a token for the other endpoints with client credentials',
  description:
    'Send the client id and the secret as form fields or in an Authorization header (Basic). The token is valid for an hour; use it for all requests until then, and get a new one when a request is answered 401. Every call makes another token, and earlier ones stay valid.',
  tags: ['Tokens'] satisfies Tag[],
  security: [],
  parameters: [],
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          required: ['grant_type'],
          properties: {
            grant_type: { type: 'string', const: 'client_credentials' },
            client_id: text('Leave it out with an Authorization header.'),
            client_secret: { ...text('Leave it out with an Authorization header.'), format: 'password' },
            scope: text('Scopes separated by blanks. A client with one scope may leave it out.'),
            tenant_key: text("Key of the client's tenant. It may be left out, because a client id is unique."),
          },
        },
      },
    },
  },
  responses: {
    '200': {
      description: 'A token',
      content: {
        'application/json': {
          example: { access_token: 'eyJhbGciOi…', token_type: 'Bearer', expires_in: 3600, scope: 'FrameApi' },
          schema: {
            type: 'object',
            required: ['access_token', 'token_type', 'expires_in', 'scope'],
            properties: {
              access_token: text('For the header `Authorization: Bearer`.'),
              token_type: { type: 'string', const: 'Bearer' },
              expires_in: { type: 'integer', description: 'Seconds.' },
              scope: text('The scopes of the token.'),
            },
          },
        },
      },
    },
    ...Object.fromEntries(Object.entries(tokenErrors).map(([status, errors]) => [status, refusal(errors)])),
  },
}
