// Reads the secrets of webhooks (Standard Webhooks).

/** The form of a secret, for descriptions and error messages. */
export const webhookSecretForm = 'whsec_ and 24 to 64 bytes in base64'

/** Decodes a secret to its bytes. Returns undefined if the secret does not have the right form. */
export function webhookSecretBytes(secret: string): Buffer | undefined {
  const [, text] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret) ?? []
  if (text === undefined) return undefined
  const bytes = Buffer.from(text, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 ? bytes : undefined
}
