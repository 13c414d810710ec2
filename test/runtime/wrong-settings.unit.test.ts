// What a person sees who starts one of our programs with settings that are wrong.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'

const secret = 'w#rd'
const badAddress = `mysql://me:p@ss/${secret}@db.example/armature`

test.each([
  ['server/main.js', { DATABASE_URL: badAddress }, 'DATABASE_URL is no address of a database.'],
  ['activities/worker.js', { LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of trace, debug'],
  ['db/migrate.js', { DATABASE_URL: badAddress }, 'DATABASE_URL is no address of a database.'],
  ['nexus/main.js', { ARMATURE_URL: 'api.example' }, 'ARMATURE_URL'],
])('%s says which setting is wrong, without a stack trace or a secret', (program, env, sentence) => {
  const { PATH } = process.env
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(projectRoot, 'dist', program)], {
    env: {
      PATH,
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      DATABASE_URL: 'mysql://me@127.0.0.1:1/x',
      ...env,
    },
    encoding: 'utf8',
  })
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(sentence)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(stderr).not.toContain(secret)
})
