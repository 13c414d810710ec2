// Every state and step of a form instance.
import { expect, test } from 'vitest'
import type { Reply } from '../support/api.js'
import { aNote, notesTenant, openDatabase, whole } from '../support/factories.js'
import { refusal } from '../support/frame.js'
import { type HistoryBody, type InstanceBody, patientOf, storedOf, textsOf } from '../support/instances.js'

type Step = 'save' | 'autoSave' | 'submit' | 'amend' | 'discard' | 'withdraw' | 'reinstate'
const steps: Step[] = ['save', 'autoSave', 'submit', 'amend', 'discard', 'withdraw', 'reinstate']

interface State {
  status: 'New' | 'Draft' | 'Complete' | 'gone'
  /** There is a complete version. */
  wasComplete: boolean
  withdrawal: 'never' | 'withdrawn' | 'reinstated'
}

const start: State = { status: 'New', wasComplete: false, withdrawal: 'never' }

/** What is to happen: the state after the step, or the refusal. */
function expected(state: State, step: Step): State | string {
  const { status, wasComplete, withdrawal } = state
  if (status === 'gone') return '404 not-found'
  if (step === 'withdraw') return { ...state, withdrawal: 'withdrawn' }
  if (step === 'reinstate') return withdrawal === 'never' ? '409 not-withdrawn' : { ...state, withdrawal: 'reinstated' }
  if (withdrawal === 'withdrawn') return '409 instance-withdrawn'
  if ((step === 'amend') !== (status === 'Complete')) return `409 instance-is-${status.toLowerCase()}`
  switch (step) {
    case 'save':
    case 'autoSave':
    case 'amend':
      return { ...state, status: 'Draft' }
    case 'submit':
      return { ...state, status: 'Complete', wasComplete: true }
    case 'discard':
      return { ...state, status: wasComplete ? 'Complete' : 'gone' }
  }
}

const db = openDatabase()
const { tenant, patient } = await notesTenant()
/** Another client that may fill forms in. */
const colleague = await tenant.formsClient(['Create'])
const off = ['allowSaveDraft', 'allowAmend', 'allowDiscard', 'allowRevoke']
await tenant.publish(...off.map(flag => aNote({ key: flag, [flag]: false })))

/** Takes a step; `etag`: of the state that the editor has seen. */
async function take(guid: string, step: Step, etag = '*'): Promise<Reply<InstanceBody | object>> {
  switch (step) {
    case 'save':
      return patient.save(guid, { note: 'saved' }, etag)
    case 'autoSave':
      return patient.save(guid, { note: 'saved by itself' }, etag, '?autoSave=true')
    case 'submit':
      return patient.submit(guid, whole, etag)
    default:
      return patient[step](guid, step === 'amend' || step === 'discard' ? etag : undefined) as Promise<Reply<object>>
  }
}

/** Takes a step as an editor who has seen the present state. */
const takeSeen = async (guid: string, step: Step) => take(guid, step, (await patient.etag(guid)) || '"1"')

/** A new instance after these steps. */
async function after(way: readonly Step[], more: object = {}): Promise<string> {
  const guid = await patient.created(more)
  for (const step of way) expect((await take(guid, step)).status).toBeLessThan(300)
  return guid
}

/** The state as the API shows it. */
async function seen(guid: string): Promise<State> {
  const { status, body } = await patient.read(guid, '?includeWithdrawn=true')
  const { body: history } = await patient.history(guid, '?includeWithdrawn=true')
  const last = history.withdrawalHistory.at(-1)?.withdrawalStatus
  const wasComplete = history.compositeInstanceHistory.some(each => each.status === 'Complete' && !each.isDeleted)
  const withdrawal = last === undefined ? 'never' : last === 'Withdrawn' ? 'withdrawn' : 'reinstated'
  const shown: State = { status: status === 404 ? 'gone' : body.status, wasComplete, withdrawal }
  if (status === 200) {
    const isAmendable = shown.status === 'Complete' && withdrawal !== 'withdrawn'
    expect(body).toMatchObject({ isAmendable, isWithdrawn: withdrawal === 'withdrawn' })
  }
  return shown
}

/** The shortest way to every state that can be reached. */
function waysToStates(): [State, Step[]][] {
  const ways = new Map<string, [State, Step[]]>([[JSON.stringify(start), [start, []]]])
  for (const [state, way] of ways.values()) {
    for (const step of steps) {
      const next = expected(state, step)
      const name = JSON.stringify(next)
      if (typeof next !== 'string' && !ways.has(name)) ways.set(name, [next, [...way, step]])
    }
  }
  return [...ways.values()]
}

const nameOf = ({ status, wasComplete, withdrawal }: State) =>
  `${status}${wasComplete && status === 'Draft' ? ' (amending)' : ''}, ${withdrawal}`

test('every state of the model can be reached', () => {
  const states = waysToStates().map(([state]) => nameOf(state))
  const kinds = ['New', 'Draft', 'Draft (amending)', 'Complete', 'gone']
  const all = kinds.flatMap(kind => ['never', 'withdrawn', 'reinstated'].map(withdrawal => `${kind}, ${withdrawal}`))
  expect(states.sort()).toEqual(all.filter(name => name !== 'gone, withdrawn').sort())
})

test.each(waysToStates().map(([state, way]) => [nameOf(state), state, way] as const))(
  'in the state %s every step has its effect, or is refused with its reason and changes nothing',
  async (_, state, way) => {
    const unchanged = await after(way)
    expect(await seen(unchanged)).toEqual(state)
    const { body: listed } = await tenant.forms.get<InstanceBody[]>(`/api/patientforms?instanceGuid=${unchanged}`)
    const isAmendable = state.status === 'Complete' && state.withdrawal !== 'withdrawn'
    const isListed = state.status !== 'gone' && state.withdrawal !== 'withdrawn'
    expect(listed).toMatchObject(isListed ? [{ status: state.status, isAmendable }] : [])
    const before = await storedOf(db, unchanged)
    for (const step of steps) {
      const outcome = expected(state, step)
      if (typeof outcome === 'string') {
        const { status, code, errors } = refusal(await takeSeen(unchanged, step))
        expect([step, `${status} ${code}`, errors]).toEqual([step, outcome, []])
        expect(await storedOf(db, unchanged)).toEqual(before)
      } else {
        const guid = await after(way)
        const reply = await takeSeen(guid, step)
        expect([step, reply.status]).toEqual([step, outcome.status === 'gone' ? 204 : 200])
        expect([step, await seen(guid)]).toEqual([step, outcome])
      }
    }
  },
)

test.each<[flag: string, way: Step[], step: Step]>([
  ['allowSaveDraft', [], 'save'],
  ['allowSaveDraft', [], 'autoSave'],
  ['allowAmend', ['submit'], 'amend'],
  ['allowDiscard', [], 'discard'],
  ['allowRevoke', ['submit'], 'withdraw'],
  ['allowRevoke', [], 'reinstate'],
])('of a form without %s, after %j, %s is 403 and changes nothing', async (formKey, way, step) => {
  const guid = await after(way, { formKey })
  const before = await storedOf(db, guid)
  expect(refusal(await takeSeen(guid, step))).toEqual({ status: 403, code: 'forbidden', errors: [] })
  expect(await storedOf(db, guid)).toEqual(before)
  expect((await patient.read(guid)).body).toMatchObject({
    isAmendable: formKey !== 'allowAmend' && way.includes('submit'),
  })
})

test('a repeated withdraw or reinstate gets the first answer again, whatever its reason', async () => {
  const guid = await patient.created()
  for (const step of ['withdraw', 'reinstate'] as const) {
    const first = await patient[step](guid, 'one')
    expect(first.body).toEqual({
      instanceGuid: guid,
      withdrawalStatus: step === 'withdraw' ? 'Withdrawn' : 'Reinstated',
      reason: 'one',
      withdrawnByUserIdentifier: expect.stringMatching(/\S/),
      actionTakenDateTime: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    const again = await patient[step](guid, 'another')
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([200, first.body, first.headers.get('etag')])
  }
  expect((await patient.withdraw(guid, 'third')).body).toMatchObject({ reason: 'third' })
  const { body } = await patient.history(guid)
  expect(body.withdrawalHistory.map(({ reason }) => reason)).toEqual(['one', 'one', 'third'])
})

/** A draft that has been seen, and its ETag. */
async function aDraft(): Promise<{ guid: string; etag: string }> {
  const guid = await patient.created()
  const { headers } = await patient.save(guid, { note: 'first' })
  return { guid, etag: headers.get('etag') ?? '' }
}

const refused = (reply: Reply) => ({ ...refusal(reply), etag: reply.headers.get('etag') })
const changed = (etag: string) => ({ status: 412, code: 'instance-changed', errors: [], etag })

test('the second of two editors of a draft is refused with the current ETag, and may read and save again', async () => {
  const { guid, etag } = await aDraft()
  const first = await patient.save(guid, { note: 'one' }, etag)
  const second = await patient.save(guid, { note: 'two' }, etag)
  const current = first.headers.get('etag') ?? ''
  expect(refused(second)).toEqual(changed(current))
  expect(second.body).toMatchObject({ detail: expect.stringContaining(current) })
  expect(textsOf(await patient.read(guid))).toEqual({ note: 'one', must: undefined })
  expect((await patient.save(guid, { note: 'two' }, current)).status).toBe(200)
})

test.each(['save', 'submit', 'discard', 'amend'] as const)('%s with an outdated ETag is refused', async step => {
  const { guid, etag } = await aDraft()
  await patient.save(guid, whole, etag)
  const before = await storedOf(db, guid)
  const act = {
    save: () => patient.save(guid, whole, etag),
    submit: () => patient.submit(guid, whole, etag),
    discard: () => patient.discard(guid, etag),
    amend: () => patient.amend(guid, etag),
  }
  expect(refused(await act[step]())).toEqual(changed(await patient.etag(guid)))
  expect(await storedOf(db, guid)).toEqual(before)
})

test('overwriting a draft needs its ETag; saving the first draft needs none', async () => {
  const { guid, etag } = await aDraft()
  const before = await storedOf(db, guid)
  const unseen = { status: 428, code: 'if-match-required', errors: [], etag }
  expect(refused(await patient.save(guid, { note: 'blind' }))).toEqual(unseen)
  expect(refused(await patient.submit(guid, whole))).toEqual(unseen)
  expect(refused(await patient.discard(guid))).toEqual(unseen)
  expect(await storedOf(db, guid)).toEqual(before)
  expect((await patient.submit(guid, whole, etag)).status).toBe(200)
  expect((await patient.amend(guid)).status).toBe(200)
})

test.each<[ifMatch: (etag: string) => string, status: number]>([
  [etag => etag, 200],
  [() => '*', 200],
  [etag => `"77", ${etag}`, 200],
  [etag => `W/${etag}`, 412],
  [etag => etag.replaceAll('"', ''), 412],
  [() => '"no-etag-of-ours"', 412],
  [() => '"99999999999999999999"', 412],
])('If-Match is read as RFC 9110 has it: %o gives %i', async (ifMatch, status) => {
  const { guid, etag } = await aDraft()
  expect((await patient.save(guid, { note: 'again' }, ifMatch(etag))).status).toBe(status)
})

test('an ETag stays the same until the instance changes, and every change gives a new one', async () => {
  const guid = await patient.created()
  const seen = [await patient.etag(guid), await patient.etag(guid)]
  expect(new Set(seen).size).toBe(1)
  const steps = [
    () => patient.save(guid, {}, '*'),
    () => patient.save(guid, {}, '*', '?autoSave=true'),
    () => patient.save(guid, {}, '*', '?autoSave=true'),
    () => patient.submit(guid, whole, '*'),
    () => patient.amend(guid),
    () => patient.discard(guid, '*'),
    () => patient.withdraw(guid),
    () => patient.reinstate(guid),
  ]
  for (const step of steps) {
    const { headers } = await step()
    expect(seen).not.toContain(headers.get('etag'))
    seen.push(headers.get('etag') ?? '')
    expect(await patient.etag(guid)).toBe(seen.at(-1))
  }
})

const many = 8
const atOnce = <Body>(work: () => Promise<Reply<Body>>) => Promise.all(Array.from({ length: many }, work))
const outcomes = (replies: Reply[]) =>
  replies.map(reply => (reply.status === 200 ? '200' : `${reply.status} ${refusal(reply).code}`)).sort()

test.each<[string, (guid: string, etag: string) => Promise<Reply<InstanceBody>>, string]>([
  ['submits with the same ETag', (guid, etag) => patient.submit(guid, whole, etag), '412 instance-changed'],
  ['submits of whatever there is', guid => patient.submit(guid, whole, '*'), '409 instance-is-complete'],
  ['saves with the same ETag', (guid, etag) => patient.save(guid, whole, etag), '412 instance-changed'],
])('of several simultaneous %s one succeeds', async (_, step, refused) => {
  const { guid, etag } = await aDraft()
  expect(outcomes(await atOnce(() => step(guid, etag)))).toEqual(['200', ...Array(many - 1).fill(refused)])
  const { versions } = await storedOf(db, guid)
  expect(versions).toHaveLength(3)
})

test('of several simultaneous first saves one succeeds, and the others are told that there is a draft now', async () => {
  const guid = await patient.created()
  const replies = await atOnce(() => patient.save(guid, { note: 'x' }))
  expect(outcomes(replies)).toEqual(['200', ...Array(many - 1).fill('428 if-match-required')])
})

test('of several simultaneous amends one succeeds', async () => {
  const guid = await patient.created()
  await patient.submit(guid, whole)
  const replies = await atOnce(() => patient.amend(guid))
  expect(outcomes(replies)).toEqual(['200', ...Array(many - 1).fill('409 instance-is-draft')])
})

test('simultaneous withdraws make one withdrawal, which all of them answer', async () => {
  const guid = await patient.created()
  let n = 0
  const replies = await atOnce(() => patient.withdraw(guid, `reason ${n++}`))
  expect(outcomes(replies)).toEqual(Array(many).fill('200'))
  expect(new Set(replies.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect((await patient.history(guid)).body.withdrawalHistory).toEqual([replies[0]?.body])
})

test('a simultaneous submit and withdraw leave one state, which the history explains', async () => {
  for (let round = 0; round < 5; round++) {
    const guid = await patient.created()
    const [submitted, withdrawn] = await Promise.all([patient.submit(guid, whole), patient.withdraw(guid)])
    expect(withdrawn.status).toBe(200)
    expect(outcomes([submitted])[0]).toMatch(/^(200|409 instance-withdrawn)$/)
    const status = submitted.status === 200 ? 'Complete' : 'New'
    expect((await patient.read(guid, '?includeWithdrawn=true')).body).toMatchObject({ status, isWithdrawn: true })
    const { body } = await patient.history(guid, '?includeWithdrawn=true')
    expect(body.compositeInstanceHistory.at(-1)?.status).toBe(status)
  }
})

/** The history in short: status, with `*` for a milestone and `-` for what is deleted. */
const inShort = ({ compositeInstanceHistory }: HistoryBody) =>
  compositeInstanceHistory.map(
    ({ status, isEditMilestone, isDeleted }) => `${status}${isEditMilestone ? '*' : ''}${isDeleted ? '-' : ''}`,
  )

/** What is stored for the versions of an instance, in their order: the note of each. */
async function notesOf(guid: string): Promise<(string | undefined)[]> {
  const rows: { document: string | null }[] = await db('form_instance_versions as v')
    .leftJoin('form_values as f', 'f.version_id', 'v.id')
    .where('v.instance_id', guid)
    .orderBy('v.revision')
    .select('f.document')
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

test('an autosave replaces the autosave before it; a draft that a person saved stays in the history', async () => {
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

test('an autosave does not replace the autosave of another user', async () => {
  const guid = await patient.created()
  await patient.save(guid, { note: 'mine' }, undefined, '?autoSave=true')
  await patientOf(tenant, colleague).save(guid, { note: 'yours' }, '*', '?autoSave=true')
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
  const { status, body } = await patientOf(tenant, colleague).discard(guid, '*')
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
