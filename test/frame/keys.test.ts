// Keys of entities, types and groups.
import { describe, expect, inject, test } from 'vitest'
import { newTenant, type Reply } from '../support/api.js'
import { anEntity, aType } from '../support/factories.js'
import { at, invalid, keysOf, list, type Page, paths, put, refusal } from '../support/frame.js'

const tenant = await newTenant(inject('baseUrl'))
await put(tenant, paths.types, aType('unit'))

const make: [string, string, (Key: string) => object][] = [
  ['types', paths.types, key => aType(key, { Name: 'Type' })],
  ['entities', paths.entities, key => anEntity(key, { DisplayName: 'Entity' })],
  ['groups', paths.groups, key => ({ Key: key, Name: 'Group' })],
]

const strange = [
  'a/b',
  '../a',
  'a%2Fb',
  '100%',
  '%',
  'a?b=c&d',
  'a#b',
  'with inner  blanks',
  'plus+sign',
  'semi;colon,comma',
  '"quoted"',
  "O'Neill",
  'back\\slash',
  '<b>',
  'é',
  'ß',
  '日本語',
  'עברית',
  '🏥',
  '0',
  'null',
  'bulk',
  'constructor',
  '__proto__',
  'k'.repeat(255),
  '🏥'.repeat(255),
]

/** A bulk has at most 20 types or groups. */
const bulks = (all: readonly object[]) => [all.slice(0, 20), all.slice(20)]

/** What is no key, with its faults. */
const bad: [string, unknown, string[]][] = [
  ['empty', '', ['too-short /Key', 'wrong-format /Key']],
  ['256 long', 'k'.repeat(256), ['too-long /Key']],
  ['256 emoji', '🏥'.repeat(256), ['too-long /Key']],
  ['255 letters with accents of their own', 'x\u0301'.repeat(255), ['too-long /Key']],
  ['what a URL leaves out', '.', ['wrong-format /Key']],
  ['what a URL goes up by', '..', ['wrong-format /Key']],
  ['a blank before', ' a', ['wrong-format /Key']],
  ['a blank behind', 'a ', ['wrong-format /Key']],
  ['a no-break space behind', 'a\u00a0', ['wrong-format /Key']],
  ['only blanks', '   ', ['wrong-format /Key']],
  ['a tab inside', 'a\tb', ['wrong-format /Key']],
  ['a line break', 'a\n', ['wrong-format /Key']],
  ['a null character', 'a\u0000b', ['wrong-format /Key']],
  ['a zero-width joiner', 'a\u200db', ['wrong-format /Key']],
  ['a number', 7, ['wrong-type /Key']],
  ['null', null, ['wrong-type /Key']],
]

describe.each(make)('keys of %s', (_, path, body) => {
  test('any text is a key like any other', async () => {
    const all = strange.map(key => body(key))
    const each = async (answer: (key: string) => Promise<Reply>, expected: object | ((key: string) => object)) => {
      const answers = await Promise.all(strange.map(answer))
      const wanted = strange.map(key => (typeof expected === 'function' ? expected(key) : expected))
      expect(answers).toMatchObject(wanted)
    }
    await each(key => tenant.put(path, body(key)), { status: 201 })
    await put(tenant, `${path}/bulk`, ...bulks(all))
    await each(key => tenant.put(path, body(key)), { status: 200 })
    expect((await keysOf(tenant, path)).filter(key => strange.includes(key)).toSorted()).toEqual(strange.toSorted())
    await each(
      key => tenant.get(at(path, key)),
      Key => ({ status: 200, body: { Key } }),
    )
    await each(key => tenant.delete(at(path, key)), { status: 204 })
    expect((await keysOf(tenant, path)).filter(key => strange.includes(key))).toEqual([])
  })

  test('texts that are no keys are refused, singly and in a bulk', async () => {
    const before = await keysOf(tenant, path)
    const answers = await Promise.all(bad.map(([, Key]) => tenant.put(path, { ...body('x'), Key })))
    expect(
      answers.map((answer, n) => {
        const { errors, ...refused } = refusal(answer)
        return [bad[n]?.[0], { ...refused, errors: errors.sort() }]
      }),
    ).toEqual(bad.map(([name, , errors]) => [name, invalid(...errors)]))
    const bulk = refusal(
      await tenant.put(
        `${path}/bulk`,
        bad.map(([, Key]) => ({ ...body('x'), Key })),
      ),
    )
    const expected = bad.flatMap(([, , errors], n) => errors.map(each => `${each.replace('/', `/${n}/`)} #${n}`))
    expect({ ...bulk, errors: bulk.errors.sort() }).toEqual(invalid(...expected.sort()))
    expect(await keysOf(tenant, path)).toEqual(before)
  })

  test('half an emoji, in a key or a name, is refused rather than changed', async () => {
    const before = await keysOf(tenant, path)
    const half = 'a\ud83c'
    for (const more of [{ Key: half }, { Key: 'half', Name: half, DisplayName: half }]) {
      const refused = { status: 400, code: 'not-unicode', errors: [] }
      expect(refusal(await tenant.put(path, { ...body('half'), ...more }))).toEqual(refused)
      expect(refusal(await tenant.put(`${path}/bulk`, [{ ...body('half'), ...more }]))).toEqual(refused)
    }
    expect(await keysOf(tenant, path)).toEqual(before)
  })

  test('differ by letter case and accent', async () => {
    const alike = ['straße', 'STRASSE', 'strasse', 'Straße', 'sträße']
    for (const key of alike) expect((await tenant.put(path, body(key))).status).toBe(201)
    for (const key of alike) expect((await tenant.get(at(path, key))).body).toMatchObject({ Key: key })
    await tenant.delete(at(path, 'strasse'))
    expect((await keysOf(tenant, path)).filter(key => alike.includes(key)).toSorted()).toEqual(
      alike.filter(key => key !== 'strasse').toSorted(),
    )
    for (const key of alike) await tenant.delete(at(path, key))
  })

  test('is the same key with composed and with decomposed accents, and is stored composed', async () => {
    const [key, other] = ['Zoë', 'Zoe\u0308']
    expect((await tenant.put(path, body(other))).status).toBe(201)
    expect((await tenant.put(path, body(key))).status).toBe(200)
    expect((await tenant.get(at(path, other))).body).toMatchObject({ Key: key })
    await put(tenant, `${path}/bulk`, [body(other)])
    expect((await keysOf(tenant, path)).filter(each => each.startsWith('Zo'))).toEqual([key])
    expect((await tenant.delete(at(path, other))).status).toBe(204)
  })

  test('with a further blank in the path is another key, which does not exist', async () => {
    await put(tenant, path, body('near'))
    for (const key of ['near ', ' near', 'near\u00a0', 'near\u0000']) {
      expect((await tenant.get(at(path, key))).status).toBe(404)
      expect((await tenant.delete(at(path, key))).status).toBe(404)
    }
    expect((await tenant.get(at(path, 'near'))).status).toBe(200)
    await tenant.delete(at(path, 'near'))
  })

  test.each(['%E0%A4%A', '%FF', '%'])('a path with the broken escape %s is no server error', async text => {
    const { status } = refusal(await tenant.get(`${path}/${text}`))
    expect([400, 404]).toContain(status)
  })

  test.each([
    ['255 emoji', '👩'.repeat(255)],
    ['quotes and backslashes', `"\\' \\" ' \\n %s \\0`],
    ['blanks at the ends', '  inner  '],
    ['another script', 'مستشفى 日本 и'],
  ])('a name of %s comes back as it was written', async (_, name) => {
    await put(tenant, path, { ...body('named'), Name: name, DisplayName: name })
    const { body: read } = await tenant.get<{ Name?: string; DisplayName?: string }>(at(path, 'named'))
    expect(read.DisplayName ?? read.Name).toBe(name)
    await tenant.delete(at(path, 'named'))
  })
})

test.each([
  ['a null character', 'a\u0000b'],
  ['a line break', 'a\nb'],
  ['a control character of Latin-1', 'a\u0085b'],
  ['nothing that can be seen', '\u200b\u00ad '],
])('a name with %s is refused', async (_, name) => {
  for (const [, path, body] of make) {
    const { status, errors } = refusal(await tenant.put(path, { ...body('named'), Name: name, DisplayName: name }))
    expect([status, errors]).toEqual([400, [expect.stringMatching(/^wrong-format \/(Display)?Name$/)]])
  }
})

test('a parent, a type and an entity of a group may have any key', async () => {
  const own = await newTenant(inject('baseUrl'))
  const types = strange.map(key => aType(key, { Name: 'Type' }))
  await put(own, `${paths.types}/bulk`, ...bulks(types))
  const entities = strange.map((Key, n) => ({
    ...anEntity(Key, { DisplayName: 'Entity', StructureTypeKey: Key }),
    ParentKey: strange[n - 1] ?? null,
  }))
  await put(own, `${paths.entities}/bulk`, entities.toReversed())
  await put(own, paths.groups, { Key: 'g', Name: 'G', StructuralEntityKeys: strange })
  const groups = strange.map(Key => ({ Key, Name: 'Group', StructuralEntityKeys: [Key] }))
  await put(own, `${paths.groups}/bulk`, ...bulks(groups))
  expect((await keysOf(own, paths.groups)).toSorted()).toEqual([...strange, 'g'].toSorted())
  const chain = await own.get<Page<{ Key: string; ParentKey: string; Depth: number; StructureType: { Key: string } }>>(
    list(paths.entities, { OrderBy: 'Depth', First: '100' }),
  )
  expect(chain.body.Edges.map(({ Node }) => [Node.Key, Node.ParentKey, Node.Depth, Node.StructureType.Key])).toEqual(
    strange.map((key, n) => [key, strange[n - 1] ?? null, n + 1, key]),
  )
  const group = await own.get<{ StructuralEntityKeys: string[] }>(at(paths.groups, 'g'))
  expect(group.body.StructuralEntityKeys.toSorted()).toEqual(strange.toSorted())
  for (const key of strange.slice(0, -1)) {
    expect(await keysOf(own, paths.entities, { ParentKey: key })).toEqual([strange[strange.indexOf(key) + 1]])
    expect(await keysOf(own, paths.entities, { StructureTypeKey: key })).toEqual([key])
  }
})
