import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import type { Reply } from '../support/api.js'
import { refusal } from '../support/frame.js'
import { aNote, type InstanceBody, notesTenant, type Patient, storedOf, whole } from '../support/instances.js'

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

let patient: Patient
const db = connect(inject('databaseUrl'), { poolSize: 1 })
afterAll(() => db.destroy())
beforeAll(async () => {
  const made = await notesTenant()
  patient = made.patient
  const off = ['allowSaveDraft', 'allowAmend', 'allowDiscard', 'allowRevoke']
  await made.tenant.publish(...off.map(flag => aNote({ key: flag, [flag]: false })))
})

/** Takes a step as one who has seen the present state. */
async function take(guid: string, step: Step): Promise<Reply<InstanceBody | object>> {
  const etag = (await patient.etag(guid)) || '"1"'
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
    const listed = (await patient.list()).body.filter(({ instanceGuid }) => instanceGuid === guid)
    expect(listed).toMatchObject(withdrawal === 'withdrawn' ? [] : [{ status: shown.status, isAmendable }])
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

test('every state can be reached', () => {
  const states = waysToStates().map(([state]) => nameOf(state))
  const kinds = ['New', 'Draft', 'Draft (amending)', 'Complete', 'gone']
  const all = kinds.flatMap(kind => ['never', 'withdrawn', 'reinstated'].map(withdrawal => `${kind}, ${withdrawal}`))
  expect(states.sort()).toEqual(all.filter(name => name !== 'gone, withdrawn').sort())
})

test.each(waysToStates().map(([state, way]) => [nameOf(state), state, way] as const))(
  'from %s every step does what it is to do, or is refused by name and changes nothing',
  async (_, state, way) => {
    for (const step of steps) {
      const guid = await patient.created()
      for (const each of way) expect((await take(guid, each)).status).toBeLessThan(300)
      expect(await seen(guid)).toEqual(state)
      const before = await storedOf(db, guid)
      const reply = await take(guid, step)
      const outcome = expected(state, step)
      if (typeof outcome === 'string') {
        const { status, code, errors } = refusal(reply)
        expect([step, `${status} ${code}`, errors]).toEqual([step, outcome, []])
        expect(await storedOf(db, guid)).toEqual(before)
      } else {
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
  const guid = await patient.created({ formKey })
  for (const each of way) expect((await take(guid, each)).status).toBe(200)
  const before = await storedOf(db, guid)
  expect(refusal(await take(guid, step))).toEqual({ status: 403, code: 'forbidden', errors: [] })
  expect(await storedOf(db, guid)).toEqual(before)
  expect((await patient.read(guid)).body).toMatchObject({
    isAmendable: formKey !== 'allowAmend' && way.includes('submit'),
  })
})

test('withdrawing and reinstating again answer what was answered first, whatever the reason', async () => {
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
