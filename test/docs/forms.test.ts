// The examples of docs/forms.md.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Value } from 'typebox/value'
import { describe, expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { exampleForms } from '../../dev/demo-forms.js'
import { checkForm } from '../../forms/check.js'
import { dataTypes, type FormTemplate } from '../../forms/template.js'
import { enteredTypes } from '../../forms/value-type.js'
import { ExtractBody } from '../../server/forms/extracts/extract-body.js'
import { FormResult } from '../../server/forms/extracts/extract-shapes.js'
import { Control, Relevant } from '../../server/forms/templates/control-schema.js'
import { templateFaults } from '../../server/forms/templates/template-faults.js'
import { Template } from '../../server/forms/templates/template-schema.js'
import { completedTemplate } from '../../server/forms/templates/template-shape.js'
import { templateWarnings } from '../../server/forms/templates/template-warnings.js'
import { patientForm } from '../../server/forms/xml/xml.js'
import { type Api, api, tokenOf } from '../support/api.js'
import { manifestOf } from '../support/manifest.js'
import { readmeSession, runSession } from '../support/readme-session.js'

const page = readFileSync('docs/forms.md', 'utf8')
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) => text)
const [whole = '', relevance = '', calculation = '', repeats = '', manifest = ''] = blocks('yaml')

/** Which of these names stand nowhere in a text as code. */
const missing = (names: readonly string[], text: string) => names.filter(name => !new RegExp(`\`${name}\\b`).test(text))

function templateOf(body: unknown): FormTemplate {
  if (!Value.Check(Template, body)) throw new Error(JSON.stringify(Value.Errors(Template, body)))
  return completedTemplate(body.key ?? 'docs', body.version ?? 1, body)
}

test('the session on the page works when pasted', async () => {
  const result = await runSession(readmeSession(page), { PORT: new URL(inject('baseUrl')).port })
  expect(result.broken, result.output).toEqual([])
  expect(result.exitCode, result.output).toBe(0)
})

describe('templates on the page', () => {
  test('the whole one has no fault and gives no warning', () => {
    const template = templateOf(parse(whole))
    expect([...templateFaults(template), ...templateWarnings(template)]).toEqual([])
  })

  test('every condition on the page is valid', () => {
    const lines = relevance.trim().split('\n')
    expect(lines).toHaveLength(6)
    for (const line of lines) expect(Value.Check(Relevant, parse(line).relevant), line).toBe(true)
  })

  test('the bands and repeats on the page are valid in a template', () => {
    const controls = [
      { id: 'score', label: 'Score', dataType: 'integer' },
      { id: 'severity', label: 'Severity', ...parse(calculation) },
    ]
    const section = { id: 'only', controls, ...parse(repeats) }
    const template = templateOf({ title: 'Docs', buildingBlocks: [{ key: 'docs', sections: [section] }] })
    expect(templateFaults(template)).toEqual([])
  })

  test('every member of a template and of a control is named, and every data type', () => {
    const controls = /### Controls\n(.*?)### Relevance/s.exec(page)?.[1] ?? ''
    expect(missing(Object.keys(Control.properties), controls)).toEqual([])
    expect(missing(dataTypes, controls)).toEqual([])
    expect(missing(Object.keys(Template.properties), page)).toEqual([])
  })
})

test('the section of a manifest is taken, without a warning', async () => {
  const tenant = await manifestOf()
  const glue = {
    variables: { ward: 'B12' },
    providers: [{ key: 'archive', url: 'https://archive.example.org' }],
  }
  const { status, body } = await tenant.plan({ glue, ...parse(manifest) })
  expect([status, body.warnings]).toEqual([200, []])
})

test('the XML on the page is what its template produces', () => {
  const template = templateOf(parse(whole))
  const given = { day: '2026-11-02', worst: 4, relief: ['rest', 'tea'] }
  const { values, faults } = checkForm(template, given, { complete: true })
  expect(faults).toEqual([])
  const sent = patientForm(template, values, { transactionId: '0199…' }).replace(/^<\?xml[^>]*>/, '')
  expect(sent).toBe(blocks('xml')[0]?.replace(/\n */g, ''))
})

test('the values on the page are taken by the wound chart', async () => {
  const body = (await exampleForms()).find(({ key, version }) => key === 'wound-chart' && version === 2)
  const [values = ''] = blocks('json')
  const { faults } = checkForm(templateOf(body), JSON.parse(values), { complete: false })
  expect(faults).toEqual([])
})

test('every member of an extract and of its results is named, and every value type', () => {
  const extracts = /### Extracts\n(.*?)## For operators/s.exec(page)?.[1] ?? ''
  const { definitions, ...limits } = ExtractBody.properties
  const members = { definitions, ...limits, ...definitions.items.properties, ...FormResult.properties }
  expect(missing([...Object.keys(members), ...enteredTypes, 'empty'], extracts)).toEqual([])
})

test('who may only list and view, as the demo’s reader, is shown definitions and no extract: 403, as without a token', async () => {
  const baseUrl = inject('baseUrl')
  const reader = { id: 'demo-reader', secret: 'demo-reader-secret', tenantKey: 'demo', scope: 'FormsApi' }
  const token = await tokenOf(baseUrl, reader)
  const statuses = async (client: Api) => {
    const instance = `/api/v2.0/extract/subject/${randomUUID()}/instance/${randomUUID()}`
    const answers = [
      await client.get('/api/v2.0/extract/formdefinition/phq-9/2'),
      await client.get('/api/v2.0/extract/buildingblockdefinition/phq9/1'),
      await client.post('/api/v2.0/extract', {}),
      await client.get(`/api/v1/jobs/${randomUUID()}/result`),
      await client.get(instance),
      await client.post(instance, {}),
    ]
    return answers.map(({ status }) => status)
  }
  expect(await statuses(api(baseUrl, token))).toEqual([200, 200, 403, 403, 403, 403])
  expect(await statuses(api(baseUrl, ''))).toEqual(Array(6).fill(403))
})
