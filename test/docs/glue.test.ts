// The examples of docs/glue.md.
import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { parse } from 'yaml'
import { manifestOf } from '../support/manifest.js'

const page = readFileSync('docs/glue.md', 'utf8')
const sections = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text = '']) => parse(text))

let tenant: Awaited<ReturnType<typeof manifestOf>>
beforeEach(async () => {
  tenant = await manifestOf()
})

test('the page has a section for endpoints, one for providers and one for data sets', () => {
  expect(sections.map(section => Object.keys(section))).toEqual([
    ['endpoints'],
    ['secrets', 'providers'],
    ['endpoints', 'dataSources', 'dataExtracts'],
  ])
})

test.each([0, 1, 2])('section %i of the page is taken, without a warning', async n => {
  const { status, body } = await tenant.plan({ glue: sections[n] })
  expect([status, body.warnings]).toEqual([200, []])
})

test('the members of a request that the page names are those that a template may say', async () => {
  const [, named = ''] = /^- `request`:(.*?);$/ms.exec(page) ?? []
  const members = [...named.matchAll(/`(method|query|body|userToken|user|caller)`/g)].map(([, member]) => member)
  const steps = [{ name: 'a', respond: { body: '{{ request.nothing }}' } }]
  const { body } = await tenant.plan({ glue: { endpoints: [{ key: 'e', steps }] } })
  const detail = expect.stringContaining(`A request has ${members.join(', ')}, no 'nothing'.`)
  expect(body).toMatchObject({ errors: [{ code: 'unknown-name', detail }] })
})
