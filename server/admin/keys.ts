// The `keys` command, which shows and rotates the signing keys.
import type { components } from '../../client/index.js'
import { connectPlatform } from './command/platform-client.js'
import type { Shell } from './command/shell.js'

type SigningKey = components['schemas']['SigningKey']

/**
 * Shows the signing keys, after adding one if a rotation is requested.
 * @throws CommandFailed
 */
export async function keys(isRotation: boolean, { env, console }: Shell): Promise<void> {
  const { client, said } = connectPlatform(env)
  const path = '/admin/v1/signingKeys'
  const { data } = await said<{ data: { keys: SigningKey[] } }>(isRotation ? client.post(path) : client.get(path))
  if (isRotation) console.log('A key was added. Nothing else needs to be done:')
  for (const { kid, state, signsFrom, until } of data.keys) {
    const end = until === null ? '' : `, is removed ${until}`
    console.log(`${kid}  ${state === 'published' ? `signs from ${signsFrom}` : state}${end}`)
  }
}
