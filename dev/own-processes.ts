// The commands that start API, worker and demo provider.
import { join } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import type { Program } from './supervise.js'

const own = (name: string, script: string, env: NodeJS.ProcessEnv, flags: string[] = []): Program => ({
  name,
  command: process.execPath,
  args: [...flags, join(projectRoot, 'dist', script)],
  env,
  ours: true,
})

/**
 * Returns the program that `npm run api` starts. A batch of 100,000 entities needs about 200 MB for a second. With the
 * default limit on a big machine the heap grows to three times that, and is no faster.
 */
export const apiProgram = (env: NodeJS.ProcessEnv): Program =>
  own('api', 'server/main.js', env, ['--max-old-space-size=1024'])

/**
 * Returns the program that `npm run worker` starts. The background worker has only a few chunks in memory at a time, but V8
 * grows the heap in steps that depend on this limit: with 512 MB, garbage collection makes an import take a quarter more
 * processor time.
 */
export const workerProgram = (env: NodeJS.ProcessEnv): Program =>
  own('worker', 'activities/worker.js', env, ['--max-old-space-size=768'])

/** Returns the program of the demo's data provider, whose rows are in memory only. */
export const providerProgram = (env: NodeJS.ProcessEnv): Program => own('provider', 'dev/provider/main.js', env)
