// Runs the `armature` command.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'
import { armature as command } from '../../server/admin/command/command.js'

interface Ran {
  code: number
  stdout: string
  stderr: string
}

const environment = {
  PATH: process.env.PATH,
  ARMATURE_URL: inject('baseUrl'),
  ARMATURE_CLIENT_ID: 'platform-admin',
  ARMATURE_CLIENT_SECRET: 'platform-admin-secret',
}

/** Runs the command `armature` on the shared stack, in this process. */
export async function armature(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const printed = { stdout: '', stderr: '' }
  const to = (stream: keyof typeof printed) => (line: string) => {
    printed[stream] += `${line}\n`
  }
  const code = await command(args, {
    env: { ...environment, ...env },
    console: { log: to('stdout'), error: to('stderr') },
  })
  return { code, ...printed }
}

/** Runs the command in its own process, as a shell would. Starting Node makes that half a second slower. */
export const armatureProcess = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  promisify(execFile)(process.execPath, [join(projectRoot, 'dist/server/admin/command/armature.js'), ...args], {
    env: { ...environment, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
