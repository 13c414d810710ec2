// `armature apply` with tenant manifests.
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { buildId } from '../../runtime/process/build.js'
import { projectRoot } from '../../runtime/process/version.js'
import { aKey, api } from '../support/api.js'
import { armature, armatureProcess } from '../support/armature.js'
import { openDatabase, storeSubject } from '../support/factories.js'
import { manifestOf } from '../support/manifest.js'

const folder = await mkdtemp(join(tmpdir(), 'armature-cli-'))
afterAll(() => rm(folder, { recursive: true }))

async function file(content: string | object, name = 'tenant.yaml'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})
const signs = (output: string) =>
  output
    .split('\n')
    .slice(1, -1)
    .map(line => line.split(' ').slice(0, 2).join(' '))

describe('armature apply', () => {
  test("applies the project's example, and makes the changes that a plan has announced", async () => {
    const example = parse(await readFile(join(projectRoot, 'examples/tenant.yaml'), 'utf8'))
    const path = `/admin/v1/tenants/${example.key}`
    const [plan, applied, again] = [
      await armature(['apply', join(projectRoot, 'examples/tenant.yaml'), '--plan']),
      await armatureProcess(['apply', join(projectRoot, 'examples/tenant.yaml')]),
      await armature(['apply', join(projectRoot, 'examples/tenant.yaml')]),
    ]
    expect(plan.code).toBe(0)
    // The forms that it exports are written separately.
    const unpublished =
      /^(Warning: \S+\/tenant\.yaml:\d+: \/forms\/exports\/0\/definitions\/\d\/version: There is no version .+\n){2}$/
    for (const { stderr } of [plan, applied, again]) expect(stderr).toMatch(unpublished)
    expect(plan.stdout).toMatch(/^example: 38 changes \(only a plan, nothing was written\)\n/)
    expect(applied.stdout).toMatch(/^example: 38 changes\n/)
    expect(again).toMatchObject({ code: 0, stdout: 'example: no changes\n' })
    const secrets = [...applied.stdout.matchAll(/^The secret of (\S+), shown only now: (\S+)$/gm)]
    expect(secrets.map(([, id]) => id)).toEqual(example.clients.map(({ id }: { id: string }) => id))
    expect((await tenant.platform.get(path)).body).toMatchObject({ key: 'example', limits: example.limits })
    const [, id = '', secret = ''] = secrets[0] ?? []
    expect(await (await manifestOf('example')).signsIn(id, secret)).toBe('token')
    await tenant.platform.put(path, {})
  })

  test('prints what was created, updated and deleted', async () => {
    const [a, b] = [aKey('a'), aKey('b')]
    const client = (id: string) => ({ id, scopes: ['FrameApi'], secret: 'a secret of enough length' })
    await tenant.put({ name: 'Before', clients: [client(a)], limits: { requestsPerMinute: 60 } })
    const path = await file({
      key: tenant.tenantKey,
      name: 'After',
      clients: [client(b)],
      limits: { requestsPerMinute: 600 },
    })
    const { code, stdout } = await armature(['apply', path])
    expect([code, signs(stdout)]).toEqual([
      0,
      ['~ /name', '~ /limits/requestsPerMinute', `- /clients/${a}`, `+ /clients/${b}`],
    ])
    expect(stdout).toContain('~ /limits/requestsPerMinute 60 → 600\n')
    expect(stdout).not.toContain('a secret of enough length')
  })

  test('with --plan writes nothing', async () => {
    expect((await armature(['apply', await file({ key: tenant.tenantKey }), '--plan'])).code).toBe(0)
    expect((await tenant.get()).status).toBe(404)
  })

  test('names every fault with its line', async () => {
    const path = await file(
      [
        '# a tenant',
        `key: ${tenant.tenantKey}`,
        'clients:',
        '  - &first',
        '    id: a b',
        '    scopes: [FrameApi,',
        '      Root]',
        '  - ID: c',
        '    permission: []',
        'limits: { requestsPerMinute: 0 }',
      ].join('\n'),
    )
    const { code, stdout, stderr } = await armature(['apply', path])
    const [title, ...faults] = stderr.trimEnd().split('\n')
    expect([code, stdout, title]).toEqual([1, '', 'Invalid request'])
    expect(faults.map(fault => fault.replace(`${path}:`, '').split(': ').slice(0, 2).join(' ')).sort()).toEqual([
      '10 /limits/requestsPerMinute',
      '5 /clients/0/id',
      '7 /clients/0/scopes/1',
      '8 /clients/1/scopes',
      '9 /clients/1/permission',
    ])
    expect((await tenant.get()).status).toBe(404)
  })

  test('names what conflicts with its line', async () => {
    await tenant.put({ subjects: { fields: [{ key: 'a', name: 'A', type: 'Text' }] } })
    const db = openDatabase()
    await storeSubject(db, tenant.tenantKey, { a: ['String', 'x'] })
    await db.destroy()
    const fields = ['  fields:', '    - { key: b, name: B, type: Text }', '    - { key: a, name: A, type: Date }']
    const path = await file([`key: ${tenant.tenantKey}`, 'subjects:', ...fields].join('\n'))
    const { code, stderr } = await armature(['apply', path, '--plan'])
    expect([code, stderr.split('\n')[1]]).toEqual([
      1,
      `${path}:5: /subjects/fields/1: The subject field 'a' cannot change from Text to Date: 1 subject holds a value.`,
    ])
  })

  test.each([
    ['YAML that is none', 'key: [a\nb: }\n', /tenant\.yaml:2: .+/],
    ['a key given twice', 'key: a\nkey: b\n', /tenant\.yaml:2: .*unique/],
    ['an empty file', '', /a manifest begins with the key of its tenant/],
    ['a list', '- key: a\n', /a manifest begins with the key of its tenant/],
    ['aliases that go in circles', 'key: a\nclients: &a [*a]\n', /circular/],
    [
      'aliases that multiply',
      `key: a\na: &a [x,x,x,x,x,x,x,x,x]\n${['b', 'c', 'd', 'e'].map((name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcd'[n]}`).join(',')}]`).join('\n')}\n`,
      /alias/i,
    ],
  ])('refuses %s with a sentence', async (_, content, sentence) => {
    const { code, stdout, stderr } = await armature(['apply', await file(content)])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(sentence)
    expect(stderr).not.toContain('    at ')
  })

  test('says which file cannot be read', async () => {
    const { code, stderr } = await armatureProcess(['apply', 'nowhere.yaml'])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^nowhere\.yaml cannot be read: ENOENT/)])
  })
})

test('armature get prints a manifest that can be applied again', async () => {
  await tenant.put({ name: 'Kept', clients: [{ id: aKey(), scopes: ['FrameApi'], permissions: ['*', 'List:*'] }] })
  const { code, stdout } = await armature(['get', tenant.tenantKey])
  expect([code, parse(stdout)]).toEqual([0, (await tenant.get()).body])
  expect((await armature(['apply', await file(stdout)])).stdout).toBe(`${tenant.tenantKey}: no changes\n`)
})

test('armature keys rotate adds a signing key, once at a time; armature keys shows what each is for', async () => {
  const before = await armature(['keys', '--output', 'json'])
  const [signing] = JSON.parse(before.stdout)
  expect([before.code, signing]).toMatchObject([0, { kid: expect.stringMatching(/^[\w-]{43}$/), state: 'signing' }])
  const { code, stdout, stderr } = await armature(['keys', 'rotate'])
  const time = '[\\d-]+T[\\d:.]+Z'
  expect([code, stderr]).toEqual([0, 'A key was added. Nothing else needs to be done.\n'])
  expect(stdout).toMatch(
    new RegExp(
      `^kid +state +createdAt +signsFrom +until\\n[\\w-]{43} +published +${time} +${time} +–\\n${signing.kid} +signing( +${time}){3}\\n$`,
    ),
  )
  expect((await armature(['keys'])).stdout).toBe(stdout)
  expect(parse((await armature(['keys', 'list', '-o', 'yaml'])).stdout)).toHaveLength(2)
  const again = await armature(['keys', 'rotate'])
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/was added before and signs from .*Wait until then\.\n$/),
  ])
})

test('armature schema prints what the API publishes, and needs no API', async () => {
  const { code, stdout } = await armature(['schema'], { ARMATURE_URL: 'http://127.0.0.1:9', ARMATURE_CLIENT_ID: '' })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual((await api(inject('baseUrl'), '').get('/admin/v1/manifest.schema.json')).body)
})

test.each([
  ['an unknown tenant', ['get', 'nowhere'], {}, "Not found: There is no tenant 'nowhere'.\n"],
  [
    'a wrong secret',
    ['get', 'demo'],
    { ARMATURE_CLIENT_SECRET: 'wrong' },
    /^No token for platform-admin of demo: invalid_client: /,
  ],
  [
    'a tenant that is not its own',
    ['get', 'demo'],
    { ARMATURE_TENANT: 'other' },
    /^No token for platform-admin of other: invalid_grant: /,
  ],
  [
    'a client without the scope',
    ['get', 'demo'],
    { ARMATURE_CLIENT_ID: 'demo-reader', ARMATURE_CLIENT_SECRET: 'demo-reader-secret' },
    /invalid_scope/,
  ],
  [
    'an API that is not there',
    ['get', 'demo'],
    { ARMATURE_URL: 'http://127.0.0.1:9' },
    /^http:\/\/127\.0\.0\.1:9\/identity\/connect\/token cannot be reached: /,
  ],
  [
    'an address of something else',
    ['get', 'demo'],
    { ARMATURE_TOKEN_URL: `${inject('baseUrl')}/docs` },
    /answered \d+ and no JSON|^No token/,
  ],
])('%s ends with a sentence and exit code 1', async (_, args, env, sentence) => {
  const { code, stdout, stderr } = await armature(args, env)
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(sentence)
  expect(stderr).not.toContain('    at ')
})

test.each([
  [[], 'Usage: armature [options] [command]'],
  [['apply'], "missing required argument 'file'"],
  [['get'], "missing required argument 'tenant'"],
  [['get', 'demo', '--plan'], "unknown option '--plan'"],
  [['get', 'demo', '--output', 'xml'], 'Allowed choices are yaml, json.'],
  [['schema', 'x'], 'Allowed choices are manifest, form.'],
  [['keys', 'rotat'], "too many arguments for 'list'"],
  [['keys', 'rotate', 'now'], 'too many arguments'],
  [['aply', 'demo'], "unknown command 'aply'\n(Did you mean apply?)"],
  [['apply', 'a', '--pln'], "unknown option '--pln'\n(Did you mean --plan?)"],
  [['import', 'people.xlsx'], 'people.xlsx must end with .csv or .ndjson'],
  [['import', 'people.csv', '--absent', 'drop'], 'Allowed choices are leave, unassign.'],
  [['erasures', 'list'], "required option '--since <date>' not specified"],
  [['erasures', 'list', '--since', 'x'], 'It must be a date such as 2026-11-01.'],
])('the arguments %j are refused with exit code 2: %s', async (args, sentence) => {
  const { code, stdout, stderr } = await armature(args)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(sentence)
})

test('without its settings armature says which to set', async () => {
  const { code, stderr } = await armatureProcess(['get', 'demo'], { ARMATURE_CLIENT_ID: '' })
  expect([code, stderr]).toEqual([2, 'Set ARMATURE_CLIENT_ID and ARMATURE_CLIENT_SECRET.\n'])
})

test('--help explains each command, its options and the settings', async () => {
  const { code, stdout } = await armature(['--help'])
  expect(code).toBe(0)
  const listed = stdout.slice(stdout.indexOf('Commands:'), stdout.indexOf('help [command]'))
  const commands = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = '']) => name)
  expect(commands).toEqual(expect.arrayContaining(['today', 'doctor', 'backup', 'tenant', 'tenants', 'jobs', 'audit']))
  const names = ['ARMATURE_URL', 'ARMATURE_CLIENT_ID', 'ARMATURE_CLIENT_SECRET', 'ARMATURE_TENANT', 'Exit code']
  for (const name of names) expect(stdout).toContain(name)
  for (const command of commands) {
    const help = await armature([command, '--help'])
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining(`Usage: armature ${command}`)])
  }
  expect((await armature(['apply', '--help'])).stdout).toContain('--secrets-to <file>')
  expect(await armature(['--version'])).toEqual({ code: 0, stdout: `${buildId()}\n`, stderr: '' })
})

test.each([
  ['', 'ke', 'keys'],
  ['keys', 'ro', 'rotate'],
  ['apply', '--sec', '--secrets-to'],
  ['schema', 'fo', 'form'],
])('the completion completes "armature %s %s" to %s in bash', async (before, typed, completed) => {
  const { stdout } = await armature(['completion', 'bash'])
  const words = ['armature', ...(before ? [before] : []), typed]
  const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _armature; echo "\${COMPREPLY[@]}"`
  const answer = await promisify(execFile)('bash', ['-c', `${stdout}\n${ask}`])
  expect(answer.stdout).toBe(`${completed}\n`)
})

test('new secrets go to a file that only its owner can read, and are not printed', async () => {
  const path = await file({ key: tenant.tenantKey, clients: [{ id: aKey('c'), scopes: ['FrameApi'] }] })
  const to = join(folder, 'secrets.yaml')
  const { code, stdout } = await armature(['apply', path, '--secrets-to', to])
  const [[id, secret] = []] = Object.entries<string>(parse(await readFile(to, 'utf8'))[tenant.tenantKey])
  expect([code, (await stat(to)).mode & 0o777]).toEqual([0, 0o600])
  expect(await tenant.signsIn(String(id), String(secret))).toBe('token')
  expect(stdout).not.toContain(secret)
  const again = await armature(['apply', path, '--secrets-to', to])
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/cannot be made: EEXIST.* Nothing was applied\.\n$/),
  ])
  // Where there is no new secret, no file is left that would be in the way of the next time.
  const none = join(folder, 'none.yaml')
  expect((await armature(['apply', path, '--secrets-to', none])).code).toBe(0)
  const refused = await file({ key: tenant.tenantKey, limits: { requestsPerMinute: 0 } }, 'refused.yaml')
  expect((await armature(['apply', refused, '--secrets-to', none])).code).toBe(1)
  await expect(stat(none)).rejects.toThrow('ENOENT')
})
