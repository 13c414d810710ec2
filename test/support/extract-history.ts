import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Reply } from './api.js'
import { type Made, recordOf } from './arbitraries.js'
import { addCopies } from './extract-copies.js'
import type { Deed, KnownInstance } from './extract-model.js'
import type { ExtractPlace, Submitter } from './extract-place.js'
import { type Filled, filledIn, type NamedForm } from './extract-templates.js'
import { patientOf } from './instances.js'

/** Decide what is filled in; see extract-templates.ts. */
export const picks = fc.array(fc.nat(11), { minLength: 1, maxLength: 12, size: 'max' })

const creation = recordOf({
  what: fc.constant('create' as const),
  form: fc.nat(5),
  subject: fc.nat(5),
  ward: fc.constantFrom('A', 'B'),
  isCorrelated: fc.boolean(),
  client: fc.nat(1),
  // Most are submitted at once, the others stay new.
  isSubmitted: fc.constantFrom(true, true, true, false),
  picks,
})
const change = recordOf({
  what: fc.constant('go on' as const),
  instance: fc.nat(30),
  way: fc.nat(11),
  client: fc.nat(1),
  picks,
})
/** Submissions like one, of these subjects, so many ms before it. */
const copying = recordOf({
  what: fc.constant('copy' as const),
  instance: fc.nat(30),
  copies: fc.array(recordOf({ subject: fc.nat(5), before: fc.nat(3) }), { minLength: 1, maxLength: 30, size: 'max' }),
})

/** Something done to an instance, to a new one or one of those there are; which: modulo what is there, or can be done to it. */
export const step = fc.oneof(
  { weight: 3, arbitrary: creation },
  { weight: 3, arbitrary: change },
  { weight: 1, arbitrary: copying },
)
type Step = Made<typeof step>
type Creation = Made<typeof creation>

type State = 'new' | 'draft' | 'amended' | 'complete' | 'withdrawn' | 'gone'

/** What can be done in a state, often what matters to extracts. */
const ways: Record<State, readonly (Deed['did'] | 'resubmit')[]> = {
  new: ['submit', 'draft', 'discard', 'withdraw'],
  draft: ['submit', 'submit', 'draft', 'discard', 'withdraw'],
  amended: ['submit', 'submit', 'draft', 'discard', 'withdraw'],
  complete: ['resubmit', 'withdraw', 'resubmit', 'amend'],
  withdrawn: ['reinstate'],
  gone: [],
}

interface Kept {
  instance: KnownInstance
  form: NamedForm
  ward: string
  state: State
  /** Before it was withdrawn. */
  before: State
}

/** What happens to forms: done through the API, and written down for the model. */
export function history(forms: readonly NamedForm[], { db, tenant, subjects, clients }: ExtractPlace) {
  const all: Kept[] = []
  const instances: KnownInstance[] = []

  async function create({ form: f, subject: s, ward, isCorrelated, client, isSubmitted, picks }: Creation) {
    const [form, subject, by] = [at(forms, f), at(subjects, s), at(clients, client)]
    const correlationId = isCorrelated ? `visit ${all.length}` : undefined
    const { key: formKey, version: formVersion } = form.known
    const more = { formKey, formVersion, instanceContext: { ward }, correlationId, instanceIdentifier: randomUUID() }
    const guid = await patientOf({ subjectId: subject.id, forms: by.api }).created(more)
    const instance = { guid, subject, form: form.known, correlationId: correlationId ?? null, deeds: [] }
    instances.push(instance)
    const kept: Kept = { instance, form, ward, state: 'new', before: 'new' }
    all.push(kept)
    if (isSubmitted) await act(kept, 'submit', by, picks)
  }

  async function act(kept: Kept, did: Deed['did'], by: Submitter, picks: readonly number[]): Promise<void> {
    const { instance, form, ward } = kept
    instance.deeds.push(await done(instance, did, by, filledIn(form, picks, ward)))
    if (did === 'withdraw') kept.before = kept.state
    kept.state = stateAfter(kept, did)
  }

  async function copy({ instance: n, copies }: Made<typeof copying>): Promise<void> {
    const alone = instances.filter(({ deeds: [first, ...more] }) => first?.did === 'submit' && more.length === 0)
    const original = alone[n % alone.length]
    const [first] = original?.deeds ?? []
    if (!original || first?.did !== 'submit') return
    const others = copies.map(({ subject, before }) => ({ subject: at(subjects, subject), at: first.at - before }))
    instances.push(...(await addCopies(db, tenant.tenantKey, original, others)))
  }

  return {
    /** All that there are, as time goes on. */
    instances,

    /** When something was done, in ms since 1970. */
    times: (): number[] => instances.flatMap(({ deeds }) => deeds.flatMap(deed => ('at' in deed ? [deed.at] : []))),

    /** Submits a new one: of the first form with some data, unless it is said. */
    submit: (more: Partial<Creation> = {}): Promise<void> =>
      create({
        what: 'create',
        form: 0,
        subject: 0,
        ward: 'A',
        isCorrelated: false,
        client: 0,
        isSubmitted: true,
        picks: [1],
        ...more,
      }),

    async take(step: Step): Promise<void> {
      if (step.what === 'create') return create(step)
      if (step.what === 'copy') return copy(step)
      const kept = all[step.instance % Math.max(all.length, 1)]
      const possible = kept ? ways[kept.state] : []
      const did = possible[step.way % Math.max(possible.length, 1)]
      if (!kept || !did) return
      const by = at(clients, step.client)
      if (did !== 'resubmit') return act(kept, did, by, step.picks)
      await act(kept, 'amend', by, step.picks)
      await act(kept, 'submit', by, step.picks)
    },
  }
}

/** Does something to an instance and insists. @returns what was done, with the time that the API says. */
export async function done(
  { guid, subject }: KnownInstance,
  did: Deed['did'],
  { api, name }: Submitter,
  { sent, shown }: Filled,
): Promise<Deed> {
  const patient = patientOf({ subjectId: subject.id, forms: api })
  switch (did) {
    case 'submit': {
      const { lastModifiedDateTimeUtc } = insisted(await patient.submit(guid, sent, whatever))
      return { did, at: Date.parse(`${lastModifiedDateTimeUtc}Z`), by: name, values: shown }
    }
    case 'withdraw':
    case 'reinstate':
      return { did, at: Date.parse(insisted(await patient[did](guid)).actionTakenDateTime) }
    case 'draft':
      insisted(await patient.save(guid, sent, whatever))
      return { did }
    default:
      insisted(await patient[did](guid, whatever))
      return { did }
  }
}

/** As `If-Match`. */
const whatever = '*'

function stateAfter({ state, before }: Kept, did: Deed['did']): State {
  if (did === 'submit') return 'complete'
  if (did === 'draft') return state === 'amended' ? 'amended' : 'draft'
  if (did === 'amend') return 'amended'
  if (did === 'withdraw') return 'withdrawn'
  if (did === 'reinstate') return before
  return state === 'amended' ? 'complete' : 'gone'
}

/** The body of an answer, which is a good one. */
export function insisted<Body>({ status, body }: Reply<Body>): Body {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** One of a list that is not empty, counted round and round. */
export function at<Item>(list: readonly Item[], n: number): Item {
  const item = list[n % list.length]
  if (item === undefined) throw new Error('There is none to choose from')
  return item
}
