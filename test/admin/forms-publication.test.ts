// Versions of form templates and their publication.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Problem, Reply } from '../support/api.js'
import { aSmallTemplate, aTemplate } from '../support/factories.js'
import { a, options } from '../support/form-faults.js'
import { formPath, putForm, type TemplateBody } from '../support/forms.js'
import { manifestOf } from '../support/manifest.js'

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeAll(async () => {
  tenant = await manifestOf()
  await tenant.put({})
})

const put = (body: TemplateBody, query = '') => putForm(tenant.platform, tenant.tenantKey, body, query)
const publish = async (body: TemplateBody) => expect((await put(body)).status).toBe(201)
const read = (body: TemplateBody) => tenant.platform.get<TemplateBody>(formPath(tenant.tenantKey, body))
const refusal = ({ body }: Reply) => {
  const { status, type, detail, errors } = body as Problem
  return { status, code: type.replace('/problems/', ''), detail, errors }
}

describe('a version in production', () => {
  const body = aSmallTemplate([a('x')], { key: 'published' })
  const detail = "Version 1 of 'published' is in production and never changes; write version 2."
  beforeAll(() => publish(body))

  test.each([
    ['another title', { title: 'Other' }],
    ['a flag', { allowAmend: false }],
    ['another control', aSmallTemplate([a('y')], { key: 'published' })],
    ['back to development', { status: 'Development' }],
  ])('never changes: %s', async (_, more) => {
    const before = (await read(body)).body
    for (const query of ['', '?plan=true']) {
      expect(refusal(await put({ ...body, ...more }, query))).toEqual({ status: 409, code: 'form-published', detail })
    }
    expect((await read(body)).body).toEqual(before)
  })

  test('may be written again as it is', async () => {
    expect(await put(body)).toMatchObject({ status: 200, body: { created: false, applied: true, breaks: [] } })
  })

  test('written by several callers at once keeps the first one', async () => {
    const writers = Array.from({ length: 8 }, (_, n) =>
      aSmallTemplate([a(`x${n}`)], { key: 'raced', title: `Writer ${n}` }),
    )
    // Each has a building block of its own: they are rivals for the form alone.
    for (const [n, each] of writers.entries())
      each.buildingBlocks = [{ key: `raced${n}`, sections: [{ id: 's', controls: [a('x')] }] }]
    const replies = await Promise.all(writers.map(each => put(each)))
    const statuses = replies.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(7).fill(409)])
    const winner = replies.findIndex(({ status }) => status === 201)
    expect((await read({ key: 'raced', version: 1 })).body).toMatchObject({
      title: `Writer ${winner}`,
      buildingBlocks: [{ key: `raced${winner}` }],
    })
    // Blocks of those who came too late are not published.
    const free = (winner + 1) % 8
    const later = aTemplate({
      key: 'later',
      buildingBlocks: [{ key: `raced${free}`, sections: [{ id: 's', controls: [a('z')] }] }],
    })
    expect((await put(later)).status).toBe(201)
  })
})

describe('a building block', () => {
  const block = (key: string, label: string, version = 1) => ({
    key,
    version,
    sections: [{ id: 's', controls: [{ id: `${key}One`, label }] }],
  })
  const form = (key: string, buildingBlocks: object[], more: object = {}) => aTemplate({ key, buildingBlocks, ...more })
  const detail = "Version 1 of the building block 'shared' is published and differs; give this one another version."
  const fault = { pointer: '/buildingBlocks/1/version', code: 'building-block-published', detail }
  beforeAll(() => publish(form('first', [block('shared', 'A')])))

  test('of the same key and version is the same in every form in production', async () => {
    const differing = form('second', [block('own', 'O'), block('shared', 'B')])
    for (const query of ['', '?plan=true']) {
      expect(refusal(await put(differing, query))).toMatchObject({
        status: 409,
        code: 'building-block-published',
        errors: [fault],
      })
    }
    expect((await read(differing)).status).toBe(404)
    // Neither is the other block of what was refused published.
    expect((await put(form('third', [block('own', 'P')]))).status).toBe(201)
    expect((await put(form('second', [block('shared', 'A')]))).status).toBe(201)
  })

  test('may differ in development, with a warning', async () => {
    const differing = form('fourth', [block('fourth', 'O'), block('shared', 'B')], { status: 'Development' })
    expect((await put(differing)).body).toMatchObject({ created: true, warnings: [fault] })
    const next = form('fourth', [block('fourth', 'O'), block('shared', 'B', 2)], { status: 'Development' })
    expect((await put(next)).body.warnings).toEqual([])
  })

  test('is published by a form in production only', async () => {
    await put(form('draft', [block('drafted', 'A')], { status: 'Development' }))
    expect((await put(form('fifth', [block('drafted', 'B')]))).status).toBe(201)
  })

  test('that two forms publish with differences at the same time is published by one of them only', async () => {
    const rivals = ['a', 'b', 'c', 'd'].map(name => form(`rival-${name}`, [block('contested', name)]))
    const replies = await Promise.all(rivals.map(each => put(each)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })

  test('of another tenant does not matter', async () => {
    const other = await manifestOf()
    await other.put({})
    const reply = await putForm(other.platform, other.tenantKey, form('first', [block('shared', 'Z')]))
    expect([reply.status, reply.body.warnings]).toEqual([201, []])
    expect((await read({ key: 'first', version: 1 })).body).toMatchObject({
      buildingBlocks: [{ sections: [{ controls: [{ label: 'A' }] }] }],
    })
  })
})

describe('a promotion to production', () => {
  const before = [
    {
      key: 'kept',
      sections: [
        {
          id: 's',
          controls: [
            a('gone'),
            a('typed', { dataType: 'integer' }),
            a('chosen', { options: options('a', 'b', 'c') }),
            a('dated', { dataType: 'date' }),
            a('moved'),
            a('same'),
            a('heading', { couldHaveValue: false, text: 'T' }),
          ],
        },
      ],
    },
    { key: 'dropped', sections: [{ id: 's', controls: [a('other')] }] },
  ]
  const after = [
    {
      key: 'kept',
      version: 2,
      sections: [
        {
          id: 't',
          controls: [
            a('typed', { dataType: 'decimal' }),
            a('chosen', { options: options('a', 'd'), couldHaveMultipleValues: true }),
            a('dated', { dataType: 'date', partial: true }),
            a('same', { label: 'Other', required: true }),
            a('new'),
          ],
          repeats: [{ id: 'r', label: 'R', controls: [a('moved')] }],
        },
      ],
    },
  ]
  const breaks = [
    {
      code: 'control-removed',
      buildingBlock: 'kept',
      control: 'gone',
      detail: "The building block 'kept' has no control 'gone' with values any more.",
    },
    {
      code: 'data-type-changed',
      buildingBlock: 'kept',
      control: 'typed',
      detail: "The values of 'typed' are no longer integer but decimal.",
    },
    {
      code: 'value-type-changed',
      buildingBlock: 'kept',
      control: 'chosen',
      detail: "The values of 'chosen' are no longer single-selection but multiple-selection.",
    },
    { code: 'option-removed', buildingBlock: 'kept', control: 'chosen', detail: "The option 'b' of 'chosen' is gone." },
    { code: 'option-removed', buildingBlock: 'kept', control: 'chosen', detail: "The option 'c' of 'chosen' is gone." },
    {
      code: 'value-type-changed',
      buildingBlock: 'kept',
      control: 'dated',
      detail: "The values of 'dated' are no longer single-value but partial-date.",
    },
    {
      code: 'repeats-changed',
      buildingBlock: 'kept',
      control: 'moved',
      detail: "'moved' stood in no repeat and stands in the repeat 'r' now.",
    },
    {
      code: 'building-block-removed',
      buildingBlock: 'dropped',
      detail: "The building block 'dropped' of version 3 is gone.",
    },
  ]
  const version = (number: number, buildingBlocks: object[], more: object = {}) =>
    aTemplate({ key: 'promoted', version: number, buildingBlocks, ...more })
  beforeAll(async () => {
    await publish(version(3, before))
    await publish(
      version(4, [{ key: 'unseen', sections: [{ id: 's', controls: [a('x')] }] }], { status: 'Development' }),
    )
  })

  test('tells what it breaks for extracts of the highest version in production, and is not refused for it', async () => {
    expect((await put(version(5, after, { status: 'Development' }))).body).toMatchObject({
      comparedWith: null,
      breaks: [],
    })
    const plan = await put(version(5, after), '?plan=true')
    expect(plan.body).toMatchObject({ applied: false, comparedWith: 3, breaks })
    const promoted = await put(version(5, after))
    expect(promoted).toMatchObject({
      status: 200,
      body: { created: false, applied: true, comparedWith: 3, warnings: [] },
    })
    expect(promoted.body.breaks).toEqual(breaks)
  })

  test('of a lower version is compared with the higher one, which goes on being served', async () => {
    const detail = 'Version 5 is in production too; addresses without a version continue to serve that one.'
    expect((await put(version(1, after))).body).toMatchObject({
      comparedWith: 5,
      breaks: [],
      warnings: [{ pointer: '/version', code: 'not-the-latest', detail }],
    })
  })
})
