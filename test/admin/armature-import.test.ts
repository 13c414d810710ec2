// `armature import`.
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { admin, aKey } from '../support/api.js'
import { armature, armatureProcess } from '../support/armature.js'
import { demoSubjects } from '../support/manifest.js'

const tenantKey = aKey('t')
const client = { id: aKey('c'), secret: randomBytes(16).toString('hex'), scopes: ['FrameApi'], permissions: ['*'] }
const env = { ARMATURE_CLIENT_ID: client.id, ARMATURE_CLIENT_SECRET: client.secret }
const given = ['--tenant', tenantKey, '--map', 'Nr:nationalId']
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'armature-import-'))
  const platform = await admin(inject('baseUrl'))
  const manifest = { clients: [client], subjects: demoSubjects }
  const { status, body } = await platform.put(`/admin/v1/tenants/${tenantKey}`, manifest)
  expect(status, JSON.stringify(body)).toBe(200)
})
afterAll(() => rm(folder, { recursive: true }))

async function file(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

const people = 'Nr,givenName,familyName,dateOfBirth\n1,Ada,Byron,1980-01-31\n2,Eve,Byron,31.01.1980\n'

test('armature import says what became of the rows of a file, and writes refused ones to a file that can be imported again', async () => {
  const path = await file('people.csv', people)
  const { code, stdout, stderr } = await armatureProcess(['import', path, ...given], env)
  const rejects = join(folder, 'people.rejects.csv')
  expect([code, stdout]).toEqual([1, '1 created, 0 updated, 0 moved, 0 unchanged, 1 refused\n'])
  expect(stderr).toContain(`Refused rows: 1. ${rejects} has them, each with its reason.\n`)
  // The bar, where the output is no terminal.
  expect(stderr).toMatch(/100%\s+2\/2 rows/)
  const corrected = (await readFile(rejects, 'utf8')).replace('31.01.1980', '1980-01-31')
  expect(await armature(['import', await file('corrected.csv', corrected), ...given], env)).toEqual({
    code: 0,
    stdout: '1 created, 0 updated, 0 moved, 0 unchanged, 0 refused\n',
    stderr: '',
  })
})

test('takes gzip, a dry run and the other options', async () => {
  const path = await file('night.csv.gz', gzipSync(people.replaceAll(',', ';').replaceAll('31.01.1980', '')))
  const options = ['--separator', 'semicolon', '--mode', 'all', '--absent', 'unassign', '--dry-run']
  const { code, stdout } = await armature(['import', path, ...given, ...options], env)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Dry run: 0 created, 2 updated, .* 0 unassigned\n$/)])
})

test('imports structural entities with --entities', async () => {
  const path = await file('places.csv', 'Key,DisplayName,ParentKey,StructureTypeKey\na,A,b,ward\n')
  const { code, stdout } = await armature(['import', path, '--entities', '--tenant', tenantKey], env)
  expect([code, stdout]).toEqual([1, '0 created, 0 updated, 0 moved, 0 unchanged, 1 refused\n'])
  expect(await readFile(join(folder, 'places.rejects.csv'), 'utf8')).toContain('unknown-structure-type')
})

test.each([
  [
    'a header that is wrong',
    () => file('wrong.csv', 'Nr,colour\n1,red\n'),
    1,
    /\/1\/2: There is no field 'colour' here/,
  ],
  ['a file that is not there', async () => join(folder, 'none.csv'), 1, /none\.csv cannot be read/],
  ['a file of another kind', () => file('people.xlsx', 'PK'), 2, /people\.xlsx must end with \.csv or \.ndjson/],
  ['an option that nobody knows', async () => '--all', 2, /unknown option '--all'/],
])('says what is wrong with %s', async (_, path, code, said) => {
  const ran = await armature(['import', await path(), ...given], env)
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([code, '', expect.stringMatching(said)])
})
