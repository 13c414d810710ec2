// The command that erases people again after a backup was restored.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newId } from '../../runtime/ids.js'
import { armature } from '../support/armature.js'
import { addPerson, subjectTenant } from '../support/factories.js'
import { ended, type JobBody } from '../support/faults.js'
import { subjectsPath } from '../support/subjects.js'

const tenant = await subjectTenant()
const env = { ARMATURE_CLIENT_ID: tenant.clientId, ARMATURE_CLIENT_SECRET: tenant.clientSecret }
const run = (...args: string[]) => armature(['erasures', ...args, '--tenant', tenant.tenantKey], env)
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const statusOf = async (id: string) => (await tenant.get(`${subjectsPath}/${id}`)).status

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'armature-erasures-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('the list has the ids of those who were erased since, and nothing else', async () => {
  const [erased] = [await addPerson(tenant, 'erased'), await addPerson(tenant, 'kept')]
  const { body } = await tenant.post<JobBody>(`${subjectsPath}/${erased}/erase`)
  await ended(tenant, body.jobId)
  expect(await run('list', '--since', daysAgo(1))).toEqual({ code: 0, stdout: `${erased}\n`, stderr: '' })
  expect((await run('list', '--since', daysAgo(-1))).stdout).toBe('')
})

test('a replay erases those who exist again, leaves others, and may be repeated', async () => {
  // A restored backup has people whom the list names: here one who was never erased in this database.
  const [again, kept] = [await addPerson(tenant, 'again'), await addPerson(tenant, 'other')]
  const { stdout } = await run('list', '--since', daysAgo(1))
  const file = join(directory, 'erased')
  await writeFile(file, `${stdout}${again}\n${newId()}\n${again}\n`)
  const first = await run('replay', file)
  expect(first).toMatchObject({
    code: 0,
    stdout: '1 erased again, 1 erased already, 1 unknown to this database.\n',
  })
  expect(await statusOf(again)).toBe(410)
  expect(await statusOf(kept)).toBe(200)
  expect((await run('replay', file)).stdout).toBe('0 erased again, 2 erased already, 1 unknown to this database.\n')
})

test.each([
  [['list'], 2, "required option '--since <date>' not specified"],
  [['list', '--since', 'soon'], 2, 'It must be a date such as'],
  [['list', '--since', daysAgo(31)], 1, 'Erasures are listed for 30 days, and --since is earlier. Ask from 2'],
  [['replay'], 2, "missing required argument 'file'"],
  [['replay', '/does/not/exist'], 1, 'cannot be read'],
  [['forget'], 2, "unknown command 'forget'"],
])('%j says what is wrong', async (args, code, said) => {
  expect(await run(...args)).toMatchObject({ code, stderr: expect.stringContaining(said) })
})
