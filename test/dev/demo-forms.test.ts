// The demo's form steps.
import { randomBytes } from 'node:crypto'
import { DOMParser } from '@xmldom/xmldom'
import { afterAll, beforeAll, beforeEach, expect, inject, test, vi } from 'vitest'
import type { Client } from '../../client/index.js'
import { connect } from '../../dev/demo/client.js'
import { extractAnswers } from '../../dev/demo/extracts.js'
import { answersOf } from '../../dev/demo/phq9.js'
import { fillIn } from '../../dev/demo/questionnaires.js'
import { openRegister } from '../../dev/demo/register.js'
import { sendSinglePass } from '../../dev/demo/single-pass.js'
import { syncWoundChart } from '../../dev/demo/wound-chart.js'
import { demoForms, exampleForms } from '../../dev/demo-forms.js'
import { demoGlue } from '../../dev/demo-glue.js'
import { nationalIdOf } from '../../dev/national-ids.js'
import { admin, aKey } from '../support/api.js'
import { putForm } from '../support/forms.js'
import { demoSubjects } from '../support/manifest.js'
import { startProvider, type TestProvider } from '../support/provider.js'
import { person } from '../support/subjects.js'

let provider: TestProvider
let tenantKey: string
let frame: Client
let forms: Client

/** A tenant as `demo` is, with a receiver and a client of its own. */
beforeAll(async () => {
  provider = await startProvider({ people: 1 })
  tenantKey = aKey('demo')
  const [platform, secret] = [await admin(inject('baseUrl')), randomBytes(16).toString('hex')]
  const client = { id: `${tenantKey}-all`, secret, scopes: ['FrameApi', 'FormsApi'], permissions: ['*'] }
  const sections = { subjects: demoSubjects, glue: demoGlue(provider.url), forms: demoForms }
  const applied = await platform.put(`/admin/v1/tenants/${tenantKey}`, { clients: [client], ...sections })
  expect(applied.status).toBe(200)
  for (const body of await exampleForms()) expect((await putForm(platform, tenantKey, body)).status).toBe(201)
  const credentials = { id: client.id, secret, tenantKey }
  frame = connect(inject('baseUrl'), credentials, 'FrameApi')
  forms = connect(inject('baseUrl'), credentials, 'FormsApi')
  await fillInElsewhere()
  const people = Array.from({ length: 12 }, (_, n) => person(nationalIdOf(n)))
  expect((await frame.post('/api/v2/subject/bulk', { body: people })).response.status).toBe(200)
})
afterAll(() => provider?.stop())

/** Submits a form of somebody who is not of the demo, as the session of docs/forms.md does. */
async function fillInElsewhere(): Promise<void> {
  const { internalId } = (await frame.post('/api/v2/subject', { body: person('DOCS-1') })).data
  const answers = { subjectId: internalId, name: 'visit-1', answers: answersOf(1) }
  expect(await fillIn(forms, answers, false)).toMatchObject({ isSubmitted: true })
}

let printed: string[]
beforeEach(() => {
  printed = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  return () => vi.restoreAllMocks()
})

test('ten PHQ-9 forms arrive once each, whatever fails on the way, and are not kept', async () => {
  await sendSinglePass(frame, openRegister(provider.url), tenantKey)
  const documents = provider.deliveries().map(({ xml }) => new DOMParser().parseFromString(xml, 'text/xml'))
  expect(documents.map(each => each.documentElement?.nodeName)).toEqual(Array(10).fill('PatientForm'))
  expect(new Set(documents.map(each => each.documentElement?.getAttribute('transaction-id'))).size).toBe(10)
  const { 201: taken, ...failed } = provider.statistics().calls['POST /deliveries'] ?? {}
  const failures = Object.values(failed).reduce((sum, number) => sum + number, 0)
  expect(taken).toBe(10)
  expect(failures).toBeGreaterThan(0)
  const text = printed.join('\n')
  expect(text).toContain(`Calls     ${10 + failures} of the archive, of which ${failures} failed and were made again`)
  expect(text).toContain('Kept      nothing: what a job still knows of its form is {"formKey":"phq-9","formVersion":2}')
  expect(text).toMatch(
    /<PatientForm transaction-id="[\da-f-]{36}">\n {4}<preamble templateId="phq-9" templateVersion="2"\/>\n {4}<phq9>/,
  )
})

test('the wound chart goes through every state, and a second run of the demo amends the same one', async () => {
  const steps = async () => {
    printed = []
    await syncWoundChart(forms, frame)
    const end = printed.findIndex(line => line.endsWith('Its history'))
    return printed.slice(1, end).map(line => line.trim().replace(/ +/, ' '))
  }
  const further = ['submitted Complete', 'amended Draft', 'submitted Complete']
  const taken = ['withdrawn It is of another person.', 'reinstated It is not: the name was misread.']
  expect(await steps()).toEqual(['created New', 'saved Draft', ...further, ...taken])
  const history = () => printed.filter(line => /^ {2}\d{4}-/.test(line)).map(line => line.slice(28, 40).trim())
  const first = ['New', 'Draft', 'Complete', 'Draft', 'Complete', 'Withdrawn', 'Reinstated']
  expect(history()).toEqual(first)
  const view = printed
    .find(line => line.includes('View '))
    ?.trim()
    .replace(/^View +/, '')
  expect(await steps()).toEqual(['found Complete', 'amended Draft', 'saved Draft', ...further, ...taken])
  expect(history()).toEqual([...first, 'Draft', 'Draft', ...first.slice(2)])
  expect(view).toMatch(new RegExp(`/forms/${tenantKey}/instances/[\\da-f-]{36}/versions/[\\da-f-]{36}$`))
})

test('an extract has what was submitted before, and the next one what was submitted meanwhile', async () => {
  let killed = 0
  const lines = async () => {
    printed = []
    await extractAnswers(forms, frame, () => void killed++)
    return printed.filter(line => /^Compared|questionnaires/.test(line.trim())).map(line => line.trim())
  }
  const seconds = '\\d+\\.\\d s'
  const everything = [
    new RegExp(`^24 questionnaires and \\d+ of the block phq9-safety in ${seconds}, as they were at \\d{4}-`),
    /^Compared {2}24 submitted, 24 extracted; of 216 answers 0 differ$/,
    /^From that instant on: 10 questionnaires, those that were corrected$/,
    /^Compared {2}10 submitted, 10 extracted; of 90 answers 0 differ$/,
  ].map(line => expect.stringMatching(line))
  expect(await lines()).toEqual([
    expect.stringMatching(`^24 questionnaires in ${seconds}, \\d+ a second$`),
    ...everything,
  ])
  // Ten of twelve people start from their first answers again.
  const again = `^24 questionnaires in ${seconds}, \\d+ a second; 4 were there from the last run$`
  expect(await lines()).toEqual([expect.stringMatching(again), ...everything])
  expect(killed).toBe(2)
})
