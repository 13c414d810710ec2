import type { TestProject } from 'vitest/node'
import { startS3 } from './s3.js'
import { startStack } from './stack.js'
import { installTestPrograms } from './test-programs.js'

/** Installs what tests need, and starts one stack for all files of the main project; stops it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installTestPrograms()
  const s3 = await startS3()
  const stack = await startStack(s3.exportEnv)
  project.provide('baseUrl', stack.baseUrl)
  project.provide('databaseUrl', stack.databaseUrl)
  project.provide('temporalAddress', stack.temporalAddress)
  project.provide('encryptionKey', stack.encryptionKey)
  project.provide('dataDir', stack.dataDir)
  project.provide('providerPorts', stack.providerPorts)
  project.provide('exportDir', stack.exportDir)
  project.provide('exportBucket', s3.exportEnv)
  return async () => {
    await stack.stop()
    await s3.stop()
  }
}
