// The `keys` command: shows and rotates the signing keys.
import type { components } from '../../client/index.js'
import { connectPlatform } from './command/platform-client.js'
import type { Shell } from './command/shell.js'

type SigningKey = components['schemas']['SigningKey']

/** Shows the signing keys, after another was added where that is wanted. @throws CommandFailed */
export async function keys(isRotation: boolean, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const path = '/admin/v1/signingKeys'
  const { data } = await said<{ data: { keys: SigningKey[] } }>(isRotation ? client.post(path) : client.get(path))
  if (isRotation) console.log('A key was added. Nothing more is to be done:')
  for (const { kid, state, signsFrom, until } of data.keys) {
    const end = until === null ? '' : `, goes away ${until}`
    console.log(`${kid}  ${state === 'published' ? `signs from ${signsFrom}` : state}${end}`)
  }
}
