// The commands that start API, worker and demo provider.
import { join } from 'node:path'
import { projectRoot } from './programs.js'
import type { Program } from './supervise.js'

const own = (name: string, script: string, env: NodeJS.ProcessEnv, flags: string[] = []): Program => ({
  name,
  command: process.execPath,
  args: [...flags, join(projectRoot, 'dist', script)],
  env,
  ours: true,
})

/**
 * The API as `npm run api` starts it. A batch of 100,000 entities needs about 200 MB for a second. With the default
 * limit of a big machine the heap grows to three times that, and is no faster.
 */
export const apiProgram = (env: NodeJS.ProcessEnv): Program =>
  own('api', 'server/main.js', env, ['--max-old-space-size=1024'])

/**
 * The background worker as `npm run worker` starts it; it holds a few chunks at a time. V8 lets a heap grow in steps that depend on this
 * limit. With 512 MB an import takes a quarter more processor time, for garbage.
 */
export const workerProgram = (env: NodeJS.ProcessEnv): Program =>
  own('worker', 'activities/worker.js', env, ['--max-old-space-size=768'])

/** The data provider of the demo, which keeps its rows in memory. */
export const providerProgram = (env: NodeJS.ProcessEnv): Program => own('provider', 'dev/provider/main.js', env)
