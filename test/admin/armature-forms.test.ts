// `armature apply` with form templates.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'
import { api } from '../support/api.js'
import { armature } from '../support/armature.js'
import { aPicture, aSmallTemplate } from '../support/factories.js'
import { manifestOf } from '../support/manifest.js'

const folder = await mkdtemp(join(tmpdir(), 'armature-forms-'))
const tenant = await manifestOf()
await tenant.put({})
await writeFile(join(folder, 'body.svg'), Buffer.from(aPicture.slice(aPicture.indexOf(',') + 1), 'base64'))
afterAll(() => rm(folder, { recursive: true }))

async function file(name: string, content: string | object): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const apply = (paths: string[], ...more: string[]) =>
  armature(['apply', ...paths, '--tenant', tenant.tenantKey, ...more])
const read = (key: string, version = 1) => tenant.platform.get(`${tenant.path}/forms/${key}/${version}`)
const yaml = (key: string, version: number, controls: string[]) =>
  [
    `key: ${key}`,
    `version: ${version}`,
    `title: Form ${key}`,
    'status: Production',
    'buildingBlocks:',
    `  - key: ${key}`,
    `    version: ${version}`,
    '    sections:',
    '      - id: s',
    '        controls:',
    ...controls.map(line => `          ${line}`),
  ].join('\n')

test('armature apply writes several forms as --plan has announced, and says what promotions break', async () => {
  const paths = [
    await file('a.1.yaml', yaml('a', 1, ['- { id: x, label: X }', '- { id: y, label: Y, dataType: integer }'])),
    await file('a.2.yaml', yaml('a', 2, ['- { id: x, label: X, dataType: date }'])),
    await file('b.json', aSmallTemplate([{ id: 'x', label: 'X' }], { key: 'b', status: 'Development' })),
  ]
  const { tenantKey } = tenant
  const plan = await apply(paths, '--plan')
  const planned = ['a 1, new, Production', 'a 2, new, Production', 'b 1, new, Development']
  expect(plan).toEqual({
    code: 0,
    stdout: `${planned.map(line => `${tenantKey}: ${line} (only a plan, nothing was written)\n`).join('')}`,
    stderr: '',
  })
  expect((await read('a')).status).toBe(404)
  const [first, second, third] = planned.map(line => `${tenantKey}: ${line}`)
  const breaks = [
    "! Breaks extracts of version 1: The values of 'x' are no longer string but date.",
    "! Breaks extracts of version 1: The building block 'a' has no control 'y' with values any more.",
  ]
  expect(await apply(paths)).toEqual({
    code: 0,
    stdout: `${[first, second, ...breaks, third].join('\n')}\n`,
    stderr: '',
  })
  expect((await read('a', 2)).body).toMatchObject({ status: 'Production', title: 'Form a' })
  const again = await apply(paths.slice(2))
  expect(again.stdout).toBe(`${tenantKey}: b 1, written before, Development\n`)
})

test('armature apply tells manifests and forms apart by their content, and applies them in the order of the arguments', async () => {
  const other = await manifestOf()
  const manifest = await file('tenant.yaml', `key: ${other.tenantKey}\nname: Other\n`)
  const form = await file('first.yaml', yaml('first', 1, ['- { id: x, label: X }']))
  const { code, stdout } = await armature(['apply', manifest, form, '--tenant', other.tenantKey])
  expect([code, stdout]).toEqual([0, expect.stringMatching(/: first 1, new, Production\n$/)])
  expect((await other.platform.get(`${other.path}/forms/first/1`)).status).toBe(200)
})

test('armature apply embeds a picture file that a template names, once even if it is named twice', async () => {
  const pins = (id: string, image: string) =>
    `- { id: ${id}, label: P, dataType: annotated-image, imageDescription: A body, image: ${image} }`
  const path = await file(
    'pins.yaml',
    yaml('pins', 1, [
      pins('p', './body.svg'),
      pins('q', `'${aPicture}'`),
      pins('r', '&again body.svg'),
      pins('s', '*again'),
    ]),
  )
  expect(await apply([path])).toMatchObject({ code: 0, stderr: '' })
  const images = Array(4).fill({ image: aPicture })
  expect((await read('pins')).body).toMatchObject({ buildingBlocks: [{ sections: [{ controls: images }] }] })
})

test('armature apply names every picture that cannot be read, with its line, and sends nothing', async () => {
  const pins = (image: string) => `- { id: p, label: P, dataType: annotated-image, image: ${image} }`
  const good = await file('good.yaml', yaml('good', 1, ['- { id: x, label: X }']))
  const bad = await file('bad.yaml', yaml('bad', 1, [pins('./nowhere.svg'), pins('notes.txt')]))
  const { code, stdout, stderr } = await apply([good, bad])
  const [first, second] = stderr.split('\n')
  expect([code, stdout]).toEqual([1, ''])
  expect(first).toMatch(`${bad}:11: ./nowhere.svg cannot be read: ENOENT`)
  expect(second).toBe(`${bad}:12: notes.txt: a picture must be a file with the ending .svg, .png, .jpg, .jpeg, .gif`)
  expect((await read('good')).status).toBe(404)
})

test('armature apply names every fault of every file with its line, and writes the files without faults', async () => {
  const one = await file(
    'one.yaml',
    yaml('one', 1, ['- { id: x, label: X }', '- id: y', '  label: Y', '  min: 3', '- id: x', '  label: Z']),
  )
  const two = await file('two.yaml', yaml('two', 1, ['- id: y', '  label: Y', '  pattrn: a']))
  const three = await file('three.yaml', yaml('three', 1, ['- { id: x, label: X }']))
  const { code, stdout, stderr } = await apply([one, two, three])
  expect([code, stdout]).toEqual([1, `${tenant.tenantKey}: three 1, new, Production\n`])
  const at = '/buildingBlocks/0/sections/0/controls'
  expect(stderr.trimEnd().split('\n')).toEqual([
    'Invalid request',
    `${one}:15: ${at}/2/id: The id 'x' is given twice.`,
    `${one}:14: ${at}/1/min: min is only for numbers, dates, times and datetimes that are typed; this is string.`,
    'Invalid request',
    `${two}:13: ${at}/0/pattrn: pattrn is not known here.`,
  ])
})

test('armature apply says why a form in production cannot be changed', async () => {
  const path = await file('fixed.yaml', yaml('fixed', 1, ['- { id: x, label: X }']))
  await apply([path])
  await file('fixed.yaml', yaml('fixed', 1, ['- { id: x, label: Y }']))
  expect(await apply([path])).toEqual({
    code: 1,
    stdout: '',
    stderr: "Conflict: Version 1 of 'fixed' is in production and never changes; write version 2.\n",
  })
})

test('prints warnings with their line', async () => {
  const path = await file(
    'warned.yaml',
    yaml('warned', 1, ['- { id: p, label: P, dataType: annotated-image, image: body.svg }']),
  )
  const { code, stderr } = await apply([path])
  const pointer = '/buildingBlocks/0/sections/0/controls/0/imageDescription'
  expect([code, stderr]).toEqual([
    0,
    `Warning: ${path}:11: ${pointer}: Describe the picture for people who cannot see it.\n`,
  ])
})

test.each<[string, string, string[], number, RegExp]>([
  ['a form without its tenant', yaml('f', 1, []), [], 2, /: it is a form; name its tenant: --tenant demo\n/],
  [
    'a form without its version',
    'key: f\ntitle: F\n',
    ['--tenant', 'demo'],
    1,
    /: a form begins with its key and version/,
  ],
  [
    'a form of an unknown tenant',
    yaml('f', 1, ['- { id: x, label: X }']),
    ['--tenant', 'nowhere'],
    1,
    /There is no tenant 'nowhere'\.\n/,
  ],
  [
    'a manifest of another tenant',
    'key: other\n',
    ['--tenant', 'demo'],
    1,
    /: it is the manifest of 'other', but --tenant is 'demo'\n/,
  ],
])('refuses %s with a sentence', async (_, content, more, exitCode, sentence) => {
  const { code, stdout, stderr } = await armature(['apply', await file('refused.yaml', content), ...more])
  expect([code, stdout]).toEqual([exitCode, ''])
  expect(stderr).toMatch(sentence)
  expect(stderr).not.toContain('    at ')
})

test('armature schema form prints what the API publishes, and needs no API', async () => {
  const { code, stdout } = await armature(['schema', 'form'], {
    ARMATURE_URL: 'http://127.0.0.1:9',
    ARMATURE_CLIENT_ID: '',
  })
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toEqual((await api(inject('baseUrl'), '').get('/admin/v1/form.schema.json')).body)
})

test('the examples are sound, without a warning', async () => {
  const names = (await readdir(join(projectRoot, 'examples/forms'))).filter(name => name.endsWith('.yaml'))
  const paths = names.map(name => join(projectRoot, 'examples/forms', name))
  const { code, stdout, stderr } = await apply(paths, '--plan')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.split('\n').filter(line => line.endsWith('(only a plan, nothing was written)'))).toHaveLength(
    names.length,
  )
})
