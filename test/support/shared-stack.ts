// Starts the stack of a test run and provides its addresses.
import type { TestProject } from 'vitest/node'
import { startS3 } from './s3.js'
import { startStack } from './stack.js'
import { installTestPrograms } from './test-programs.js'

/** Room for young objects: with V8's 16 MB, collections take a tenth of the processor time of API and worker. */
const roomy = '--max-semi-space-size=64'

/** Installs the programs that tests need, and starts the stack that all projects of a test run share. Stops it after the last test. */
export default async function setup({ vitest }: TestProject): Promise<(() => Promise<void>) | undefined> {
  if ('baseUrl' in vitest.getRootProject().getProvidedContext()) return undefined
  await installTestPrograms()
  const s3 = await startS3()
  const stack = await startStack({ ...s3.exportEnv, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} ${roomy}` })
  vitest.provide('baseUrl', stack.baseUrl)
  vitest.provide('metricsUrl', stack.metricsUrl)
  vitest.provide('workerUrl', stack.workerUrl)
  vitest.provide('databaseUrl', stack.databaseUrl)
  vitest.provide('temporalAddress', stack.temporalAddress)
  vitest.provide('encryptionKey', stack.encryptionKey)
  vitest.provide('dataDir', stack.dataDir)
  vitest.provide('providerPorts', stack.providerPorts)
  vitest.provide('exportDir', stack.exportDir)
  vitest.provide('exportBucket', s3.exportEnv)
  return async () => {
    await stack.stop().catch(failRun)
    await s3.stop()
  }
}

/** Makes the run fail if the teardown fails. Vitest alone would print the error but exit with 0. */
function failRun(error: unknown): void {
  console.error(error)
  process.exitCode = 1
}
