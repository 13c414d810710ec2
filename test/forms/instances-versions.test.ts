import { beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import type { FormsTenant } from '../support/forms.js'
import {
  type HistoryBody,
  type InstanceBody,
  notesTenant,
  type Patient,
  patientOf,
  textsOf,
  whole,
} from '../support/instances.js'

let tenant: FormsTenant
let patient: Patient
beforeAll(async () => {
  ;({ tenant, patient } = await notesTenant())
})

/** The history in short: status, with `*` for a milestone and `-` for what is deleted. */
const inShort = ({ compositeInstanceHistory }: HistoryBody) =>
  compositeInstanceHistory.map(
    ({ status, isEditMilestone, isDeleted }) => `${status}${isEditMilestone ? '*' : ''}${isDeleted ? '-' : ''}`,
  )

/** What is stored for the versions of an instance, in their order: the note of each. */
async function notesOf(guid: string): Promise<(string | undefined)[]> {
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  const rows: { document: string | null }[] = await db('form_instance_versions as v')
    .leftJoin('form_values as f', 'f.version_id', 'v.id')
    .where('v.instance_id', guid)
    .orderBy('v.revision')
    .select('f.document')
  await db.destroy()
  return rows.map(({ document }) => (document === null ? undefined : JSON.parse(document).note?.[0].value))
}

test('the history has every version in the shape of the specification, the earliest first', async () => {
  const guid = await patient.created({ onBehalfOf: { identifier: 'lab', type: 'system' } })
  await patient.submit(guid, whole)
  const { status, body } = await patient.history(guid)
  const [created, submitted] = body.compositeInstanceHistory
  const common = { instanceGuid: guid, isDeleted: false, deletedByUserIdentifier: null, deletedDateTimeUtc: null }
  const form = { key: 'small', version: 1, createdDateTimeUtc: expect.stringMatching(/^\d{4}-.*T.*\.\d{3}Z$/) }
  const link = (versionGuid = '') => ({
    instanceVersionGuid: versionGuid,
    viewLink: `/forms/${tenant.tenantKey}/instances/${guid}/versions/${versionGuid}`,
  })
  expect([status, body]).toEqual([
    200,
    {
      compositeInstanceHistory: [
        {
          ...common,
          ...form,
          ...link(created?.instanceVersionGuid),
          status: 'New',
          createdByUserIdentifier: 'lab',
          isEditMilestone: false,
          isCompleted: false,
        },
        {
          ...common,
          ...form,
          ...link(submitted?.instanceVersionGuid),
          status: 'Complete',
          createdByUserIdentifier: expect.stringContaining(tenant.tenantKey),
          isEditMilestone: true,
          isCompleted: true,
        },
      ],
      withdrawalHistory: [],
    },
  ])
  expect((await patient.read(guid)).body.viewLink).toBe(submitted?.viewLink)
})

test('what saves itself replaces what it saved before; what a person saves stays', async () => {
  const guid = await patient.created()
  const notes: [note: string, query: string][] = [
    ['a', '?autoSave=true'],
    ['b', '?autoSave=true'],
    ['c', ''],
    ['d', '?autoSave=true'],
    ['e', '?autosave=TRUE'],
    ['f', '?autoSave=false'],
  ]
  for (const [note, query] of notes) {
    const { status, headers } = await patient.save(guid, { note }, '*', query)
    expect([note, status]).toEqual([note, 200])
    expect(headers.get('etag')).toBe(await patient.etag(guid))
  }
  expect(inShort((await patient.history(guid)).body)).toEqual(['New', 'Draft', 'Draft*', 'Draft', 'Draft*'])
  expect(await notesOf(guid)).toEqual([undefined, 'b', 'c', 'e', 'f'])
})

test('what another has saved by itself is not replaced', async () => {
  const guid = await patient.created()
  await patient.save(guid, { note: 'mine' }, undefined, '?autoSave=true')
  const other = patientOf(tenant, await tenant.formsClient(['Create']))
  await other.save(guid, { note: 'yours' }, '*', '?autoSave=true')
  const { body } = await patient.history(guid)
  expect(inShort(body)).toEqual(['New', 'Draft', 'Draft'])
  expect(new Set(body.compositeInstanceHistory.slice(1).map(each => each.createdByUserIdentifier)).size).toBe(2)
  expect(await notesOf(guid)).toEqual([undefined, 'mine', 'yours'])
})

test('an amendment starts with the values that are complete, and leaves them as they are', async () => {
  const guid = await patient.created()
  await patient.submit(guid, { note: 'first', must: 'm' })
  const amended = await patient.amend(guid)
  expect(amended.body).toMatchObject({ status: 'Draft', isAmendable: false })
  expect(textsOf(await patient.read(guid))).toEqual({ note: 'first', must: 'm' })
  await patient.save(guid, { note: 'second' }, '*')
  await patient.submit(guid, { note: 'third', must: 'm' }, '*')
  expect(textsOf(await patient.read(guid))).toEqual({ note: 'third', must: 'm' })
  expect(inShort((await patient.history(guid)).body)).toEqual(['New', 'Complete*', 'Draft', 'Draft*', 'Complete*'])
  expect(await notesOf(guid)).toEqual([undefined, 'first', 'first', 'second', 'third'])
})

test('a discarded amendment is deleted, all drafts of it, and what was complete counts again', async () => {
  const guid = await patient.created()
  await patient.save(guid, { note: 'draft' })
  const submitted = await patient.submit(guid, { note: 'first', must: 'm' }, '*')
  await patient.amend(guid)
  await patient.save(guid, { note: 'second' }, '*')
  const discarder = await tenant.formsClient(['Create'])
  const { status, body } = await patientOf(tenant, discarder).discard(guid, '*')
  const { lastModifiedDateTimeUtc } = body
  expect([status, body]).toEqual([200, { ...submitted.body, lastModifiedDateTimeUtc }])
  expect(textsOf(await patient.read(guid))).toEqual({ note: 'first', must: 'm' })
  const history = (await patient.history(guid)).body
  expect(inShort(history)).toEqual(['New', 'Draft*', 'Complete*', 'Draft-', 'Draft*-'])
  const deleted = history.compositeInstanceHistory.at(-1)
  expect(deleted).toMatchObject({
    deletedByUserIdentifier: expect.stringContaining(tenant.tenantKey),
    deletedDateTimeUtc: expect.stringMatching(/Z$/),
  })
  expect(deleted?.deletedByUserIdentifier).not.toBe(deleted?.createdByUserIdentifier)
})

test('a discarded amendment leaves who submitted it and when', async () => {
  const guid = await patient.created()
  expect((await patient.read(guid)).body).toMatchObject({ submittedByUserIdentifier: null, submissionDateTime: null })
  await patient.submit(guid, whole)
  const submitted = (await patient.read(guid)).body
  expect(submitted).toMatchObject({
    submittedByUserIdentifier: expect.stringContaining(tenant.tenantKey),
    submissionDateTime: expect.stringMatching(/Z$/),
  })
  await patient.amend(guid)
  const { submittedByUserIdentifier, submissionDateTime } = submitted as InstanceBody & Record<string, unknown>
  expect((await patient.read(guid)).body).toMatchObject({ submittedByUserIdentifier, submissionDateTime })
})

test('an instance that was never complete is gone once it is discarded, but for its history', async () => {
  const guid = await patient.created()
  await patient.save(guid, { note: 'a' })
  const { status, body, headers } = await patient.discard(guid, '*')
  expect([status, body, headers.get('etag')]).toEqual([204, '', null])
  for (const query of ['', '?includeWithdrawn=true']) {
    expect((await patient.read(guid, query)).status).toBe(404)
    expect((await patient.list(query)).body.map(({ instanceGuid }) => instanceGuid)).not.toContain(guid)
    const byId = await tenant.forms.get(`/api/patientforms?instanceGuid=${guid}${query.replace('?', '&')}`)
    expect(byId.body).toEqual([])
  }
  expect(inShort((await patient.history(guid)).body)).toEqual(['New-', 'Draft*-'])
})

test('the versions of a withdrawn instance are in its history only where withdrawn ones are asked for', async () => {
  const guid = await patient.created()
  const { body: item } = await patient.withdraw(guid)
  expect((await patient.history(guid)).body).toEqual({ compositeInstanceHistory: [], withdrawalHistory: [item] })
  const { body } = await patient.history(guid, '?includeWithdrawn=true')
  expect([inShort(body), body.withdrawalHistory]).toEqual([['New'], [item]])
  expect((await patient.read(guid)).status).toBe(404)
  await patient.reinstate(guid)
  expect(inShort((await patient.history(guid)).body)).toEqual(['New'])
})
