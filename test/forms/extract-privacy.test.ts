import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { blockAsked, type ExtractBody, extract, extractPath, formAsked } from '../support/extracts.js'
import { ended, type JobBody } from '../support/faults.js'
import { aSmallTemplate, type FormsTenant, formsTenant } from '../support/forms.js'
import { patientOf } from '../support/instances.js'
import { temporalClient } from '../support/jobs.js'
import { heldOfRuns, markersIn, markersInFiles } from '../support/sealed.js'
import { addPerson, type SubjectBody, subjectsPath } from '../support/subjects.js'

const marker = (what: string) => `marker-${what}-${randomBytes(8).toString('hex')}`

interface Marked {
  tenant: FormsTenant
  /** What nobody but who asks may see. */
  markers: string[]
  /** What its extracts show. */
  shown: string[]
  subjects: string[]
}

/** A tenant where what is filled in, how it is asked for, whom it is of and when it is from can all be told anywhere. */
async function marked(): Promise<Marked> {
  const tenant = await formsTenant()
  const [label, value, correlationId, name] = [marker('label'), marker('value'), marker('visit'), marker('name')]
  await tenant.publish(aSmallTemplate([{ id: 'note', label }]))
  const subjectId = await addPerson(tenant, name, { givenName: name })
  const { body } = await tenant.get<SubjectBody>(`${subjectsPath}/${subjectId}`)
  const patient = patientOf({ ...tenant, subjectId })
  const id = await patient.created({ correlationId })
  expect(await patient.submit(id, { note: value })).toMatchObject({ status: 200 })
  const shown = [label, value, correlationId, subjectId, id]
  const subjects = [subjectId, body.ExternalId]
  return { tenant, markers: [...shown, body.ExternalId, name], shown, subjects }
}

const textOf = (value: unknown) => Buffer.from(JSON.stringify(value))

test('of an extract nothing that was submitted, and nobody it is of, is in histories, files of Temporal, logs, jobs or refusals', async () => {
  const [one, other] = await Promise.all([marked(), marked()])
  const { forms } = one.tenant
  const markers = [...one.markers, ...other.markers]
  const subjectIdentifiers = [...one.subjects, ...other.subjects]
  const definitions = [formAsked('small'), blockAsked('small', { identifier: 'block' })]

  // Waited for here, and by the worker; a part of it; refused for what it names, and for its own shape.
  const answers = [
    await extract(forms, { definitions, maxResults: 10 }),
    await extract(forms, { definitions, subjectIdentifiers, maxResultsPerDefinitionPerSubject: 1 }),
    await extract(forms, { definitions, subjectIdentifiers }, { accept: 'application/x-ndjson' }),
  ]
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(markersIn(textOf(body), markers)).toEqual(one.shown)
  }
  const refused = [
    await extract(forms, { definitions: [formAsked('other')], subjectIdentifiers }),
    await extract(forms, { definitions: [...definitions, formAsked('small')], subjectIdentifiers, from: 'now' }),
    await extract(forms, { definitions, subjectIdentifiers: [...subjectIdentifiers, { id: subjectIdentifiers }] }),
    await forms.post(extractPath, JSON.stringify({ definitions, subjectIdentifiers }).slice(0, -2)),
  ]
  expect(refused.map(({ status }) => status)).toEqual([404, 400, 400, 400])
  expect(markersIn(textOf(refused.map(({ body }) => body)), markers)).toEqual([])

  const prefer = { prefer: 'respond-async' }
  const { body: job } = await forms.post<JobBody>(extractPath, { definitions, subjectIdentifiers }, prefer)
  expect(markersIn(textOf([job, await ended(one.tenant, job.jobId)]), markers)).toEqual([])
  const result = `${job.links.self}/result`
  expect(markersIn(textOf((await forms.get<ExtractBody>(result)).body), markers)).toEqual(one.shown)
  const denied = await other.tenant.forms.get(result)
  expect(denied.status).toBe(404)
  expect(markersIn(textOf(denied.body), markers)).toEqual([])

  const { client, close } = await temporalClient(inject('temporalAddress'), inject('encryptionKey'))
  const runs = await heldOfRuns(client, `TenantKey = '${one.tenant.tenantKey}'`)
  await close()
  expect(runs.opened).toContain(`"jobId":"${job.jobId}"`)
  expect(markersIn(Buffer.from(runs.opened), markers)).toEqual([])
  expect(await markersInFiles(inject('dataDir'), markers)).toEqual([])
  expect(markersIn(Buffer.from(await logged()), [job.jobId, ...markers])).toEqual([job.jobId])
})

/** The logs of the stack, without the requests by which tests prepare: the paths of those name subjects. */
async function logged(): Promise<string> {
  const directory = join(inject('dataDir'), 'logs')
  const logs = await Promise.all((await readdir(directory)).map(name => readFile(join(directory, name), 'utf8')))
  const lines = logs.join('\n').split('\n')
  return lines.filter(line => !/"path":"\/api\/(?:v2\/subject|patientforms)\//.test(line)).join('\n')
}
