// Secrets in answers of endpoints.
import { expect, inject, test } from 'vitest'
import { api } from '../support/api.js'
import { manifestOf } from '../support/manifest.js'

const secret = 'the-secret-that-nobody-may-see'
const guess = (respond: object) => ({ respond })

/** What the manifest's own check cannot know: the name comes from the caller, or from nowhere at all. */
const tricks: [name: string, ...steps: object[]][] = [
  ['a name in brackets', guess({ body: '{% assign all = "variables" %}{{ [all].key }}' })],
  ['a name that the caller gives', guess({ body: '{% assign all = request.query.of %}{{ [all].key }}' })],
  ['all variables', guess({ expression: 'variables' })],
  ['the whole input', guess({ expression: '$$' })],
  ['anything anywhere', guess({ expression: '[**]' })],
  ['a name that is looked up', guess({ expression: '{"a": $lookup(variables, request.query.name)}' })],
  ['an earlier step', { transform: { expression: 'variables.*' } }, guess({ expression: 'steps.step0' })],
]

test.each(tricks)('no secret comes to a caller by %s', async (_, ...steps) => {
  const tenant = await manifestOf()
  const applied = await tenant.put({
    glue: {
      variables: { plain: 'seen' },
      secrets: [{ name: 'key', value: secret }],
      endpoints: [{ key: 'trick', steps: steps.map((step, n) => ({ name: `step${n}`, ...step })) }],
    },
  })
  expect(applied.status).toBe(200)
  const address = `/glue/${tenant.tenantKey}/trick?of=variables&name=key`
  const answer = await api(inject('baseUrl'), '').get(address)
  expect([200, 500]).toContain(answer.status)
  expect(JSON.stringify(answer.body)).not.toContain(secret)
})

test('a plain variable is shown', async () => {
  const tenant = await manifestOf()
  const endpoint = (key: string, respond: object) => ({ key, steps: [{ name: 'answer', respond }] })
  await tenant.put({
    glue: {
      variables: { plain: 'seen' },
      secrets: [{ name: 'key', value: secret }],
      endpoints: [endpoint('a', { body: '{{ variables.plain }}' }), endpoint('b', { expression: 'variables' })],
    },
  })
  const caller = api(inject('baseUrl'), '')
  const answers = [await caller.get(`/glue/${tenant.tenantKey}/a`), await caller.get(`/glue/${tenant.tenantKey}/b`)]
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, 'seen'],
    [200, { plain: 'seen' }],
  ])
})
