// `armature doctor`, which says what is wrong with an installation.
import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { freePort } from '../../dev/ports.js'
import { armature as run } from '../../server/admin/command/command.js'

/** The settings of the processes of the stack. */
const settings = () => ({
  DATABASE_URL: inject('databaseUrl'),
  TEMPORAL_ADDRESS: inject('temporalAddress'),
  ENCRYPTION_KEY: inject('encryptionKey'),
  PUBLIC_URL: inject('baseUrl'),
  EXPORT_DIRECTORY: inject('exportDir'),
})

interface Finding {
  check: string
  result: string
  detail: string
}

/** What the command finds with other settings. */
async function found(more: Record<string, string> = {}): Promise<{ code: number; findings: Finding[] }> {
  const said: string[] = []
  const log = (line: string) => void said.push(line)
  const code = await run(['doctor', '--output', 'json'], {
    env: { ...settings(), ...more },
    console: { log, error: log },
  })
  return { code, findings: JSON.parse(said.join('\n')) }
}
const wrong = ({ findings }: { findings: Finding[] }) => findings.filter(({ result }) => result !== 'fine')

test('finds nothing wrong where nothing is', async () => {
  const { code, findings } = await found()
  expect(findings.filter(({ result }) => result !== 'fine')).toEqual([])
  expect(findings.map(({ check }) => check)).toEqual([
    ...['database', 'schema', 'clock', 'durability', 'encryption key', 'workers', 'attention'],
    ...['temporal', 'api', 'export directory'],
  ])
  expect(code).toBe(0)
})

test('names every setting that is missing or wrong, and looks no further', async () => {
  const { code, findings } = await found({ DATABASE_URL: '', LOG_LEVEL: 'loud' })
  expect(code).toBe(1)
  expect(findings).toMatchObject([{ check: 'settings', result: 'wrong' }])
  for (const name of ['DATABASE_URL', 'LOG_LEVEL']) expect(findings[0]?.detail).toContain(name)
})

test('says what cannot be reached, and leaves out what depends on it', async () => {
  const port = await freePort()
  const answer = await found({
    DATABASE_URL: `mysql://nobody:secret-word@127.0.0.1:${port}/armature`,
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    EXPORT_DIRECTORY: '/nowhere/at/all',
  })
  expect(answer.code).toBe(1)
  const results = Map.groupBy(answer.findings, ({ result }) => result)
  expect(results.get('wrong')?.map(({ check, detail }) => [check, detail])).toEqual([
    ['database', expect.stringMatching(/^DATABASE_URL: nothing listens at .+ Start the database/)],
    ['temporal', expect.stringMatching(/^TEMPORAL_ADDRESS: .+ Start it/)],
    ['api', expect.stringMatching(/^PUBLIC_URL: .+ Start the API/)],
    ['export directory', expect.stringMatching(/^EXPORT_DIRECTORY: /)],
  ])
  expect(results.get('skipped')).toHaveLength(6)
  expect(JSON.stringify(answer.findings)).not.toContain('secret-word')
})

test('says that the key is another one, and that another API answers', async () => {
  const other = Buffer.alloc(32).toString('base64')
  expect(wrong(await found({ ENCRYPTION_KEY: other, PUBLIC_URL: `${inject('baseUrl')}/docs` }))).toEqual([
    { check: 'encryption key', result: 'wrong', detail: expect.stringContaining('ENCRYPTION_KEY') },
    { check: 'api', result: 'wrong', detail: expect.stringContaining('/docs/health/ready') },
  ])
})

test('says how many steps of the schema are missing', async () => {
  const name = `armature_test_${randomBytes(6).toString('hex')}`
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  await db.raw(`CREATE DATABASE ${name}`)
  const url = new URL(inject('databaseUrl'))
  url.pathname = name
  const answer = await found({ DATABASE_URL: url.href })
  await db.raw(`DROP DATABASE ${name}`)
  await db.destroy()
  expect(wrong(answer)).toEqual([
    { check: 'schema', result: 'wrong', detail: expect.stringMatching(/^\d+ steps .+ node dist\/db\/migrate\.js$/) },
    ...['encryption key', 'workers', 'attention'].map(check => expect.objectContaining({ check, result: 'skipped' })),
  ])
})
