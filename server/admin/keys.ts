// The `keys` command: shows and rotates the signing keys.
import { connectPlatform } from './command/platform-client.js'
import type { Shell } from './command/shell.js'

interface SigningKeys {
  keys: { kid: string; state: 'published' | 'signing' | 'verifying'; signsFrom: string; until: string | null }[]
}

/** Shows the signing keys, after another was added where that is wanted. @throws CommandFailed */
export async function keys(isRotation: boolean, { env, console }: Shell): Promise<void> {
  const platform = await connectPlatform(env)
  const answer: SigningKeys = await platform.send(isRotation ? 'POST' : 'GET', '/admin/v1/signingKeys')
  if (isRotation) console.log('A key was added. Nothing more is to be done:')
  for (const { kid, state, signsFrom, until } of answer.keys) {
    const end = until === null ? '' : `, goes away ${until}`
    console.log(`${kid}  ${state === 'published' ? `signs from ${signsFrom}` : state}${end}`)
  }
}
