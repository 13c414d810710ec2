// Defines the test of a generated client, which builds the client and runs programs with it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject, onTestFinished, test } from 'vitest'
import { generatedClients, missingPrograms } from '../../dev/generated-clients.js'
import { laterEvent, startLaterRelease } from './later-release.js'

/**
 * Defines the test for a language. It is skipped if the machine lacks the necessary programs, except in CI, where it fails.
 * @param also further checks. They get the path of the description.
 */
export function testGeneratedClient(
  language: keyof typeof generatedClients,
  also: (description: string) => Promise<void> = async () => undefined,
): void {
  const client = generatedClients[language]
  const missing = missingPrograms(client)
  const title = `a client is generated, is built, runs the session, and reads a later release${missing.length > 0 ? ` (needs ${missing.join(', ')})` : ''}`
  test.skipIf(missing.length > 0 && !process.env.CI)(title, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'armature-clients-'))
    onTestFinished(() => rm(directory, { recursive: true }))
    const url = inject('baseUrl')
    const description = join(directory, 'openapi.json')
    await writeFile(description, await (await fetch(`${url}/openapi.json`)).text())
    await client.build(description)
    const credentials = { ARMATURE_CLIENT_ID: 'demo-integration', ARMATURE_CLIENT_SECRET: 'demo-integration-secret' }
    await client.runProgram('session', { ARMATURE_URL: url, ...credentials })
    const later = await startLaterRelease()
    onTestFinished(later.stop)
    await client.runProgram('later', { ARMATURE_URL: later.url, ARMATURE_EVENT: laterEvent })
    await also(description)
  })
}
