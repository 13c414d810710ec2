import type { TestProject } from 'vitest/node'
import { startStack } from './stack.js'

/** One stack for all files of the main project, started before the first and stopped after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = await startStack()
  project.provide('baseUrl', stack.baseUrl)
  project.provide('databaseUrl', stack.databaseUrl)
  project.provide('temporalAddress', stack.temporalAddress)
  project.provide('encryptionKey', stack.encryptionKey)
  project.provide('dataDir', stack.dataDir)
  project.provide('providerPorts', stack.providerPorts)
  return () => stack.stop()
}
