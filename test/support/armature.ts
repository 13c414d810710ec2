import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { projectRoot } from '../../dev/programs.js'

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

/** Runs the command `armature` on the shared stack, as a shell would. */
export const armature = (args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  promisify(execFile)(process.execPath, [join(projectRoot, 'dist/server/admin/armature.js'), ...args], {
    env: { ...environment, ...env },
  }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  )
