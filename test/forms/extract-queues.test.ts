import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { likePerson } from '../support/extract-rows.js'
import { blockAsked, extractPath, formAsked } from '../support/extracts.js'
import type { JobBody } from '../support/faults.js'
import type { FormsTenant } from '../support/forms.js'
import { notesTenant } from '../support/instances.js'
import { openDatabase } from '../support/stored-subjects.js'

let db: Knex
let tenant: FormsTenant
beforeAll(async () => {
  db = openDatabase()
  ;({ tenant } = await notesTenant())
})
afterAll(() => db.destroy())

const one = [formAsked('small')]
const two = [...one, blockAsked('small', { identifier: 'block' })]
const subjects = Array.from({ length: 1_001 }, (): string => randomUUID())

test.each<[string, object, 'interactive' | 'background']>([
  ['few results', { definitions: one, maxResults: 20 }, 'interactive'],
  ['10,000 of one definition', { definitions: one, maxResults: 10_000 }, 'interactive'],
  ['one more', { definitions: one, maxResults: 10_001 }, 'background'],
  ['10,000 of two definitions together', { definitions: two, maxResults: 5_000 }, 'interactive'],
  ['more of two', { definitions: two, maxResults: 5_001 }, 'background'],
  ['no limit', { definitions: one }, 'background'],
  [
    'few, picked for each subject',
    { definitions: one, maxResults: 20, maxResultsPerDefinitionPerSubject: 1 },
    'background',
  ],
  ['few of one subject', { definitions: one, maxResults: 20, subjectIdentifiers: subjects.slice(0, 1) }, 'interactive'],
])('where an extract is listed: %s', async (_, asked, queue) => {
  const { status, body } = await tenant.forms.post<JobBody>(extractPath, asked, { prefer: 'respond-async' })
  expect(status).toBe(202)
  expect(await db('jobs').where({ id: body.jobId }).first('queue')).toEqual({ queue })
})

test('subjects who do not exist are not counted, and more than 1,000 who do are picked out of all', async () => {
  const asked = { definitions: one, maxResults: 20, subjectIdentifiers: subjects }
  const { body } = await tenant.forms.post<JobBody>(extractPath, asked, { prefer: 'respond-async' })
  expect(await db('jobs').where({ id: body.jobId }).first('queue')).toEqual({ queue: 'interactive' })
  const known = await likePerson(db, tenant.subjectId, 1_001)
  const more = await tenant.forms.post<JobBody>(
    extractPath,
    { ...asked, subjectIdentifiers: known },
    { prefer: 'respond-async' },
  )
  expect(await db('jobs').where({ id: more.body.jobId }).first('queue')).toEqual({ queue: 'background' })
})
