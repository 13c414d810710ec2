// Submissions at set times.
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Cell, upsertRows } from '../../db/rows.js'
import type { Api, Reply } from './api.js'
import type { Deed, KnownInstance } from './extract-model.js'
import { type Filled, filledIn, type Made, type NamedForm, recordOf } from './extract-templates.js'
import { addPerson, type FormsTenant, formsTenant } from './factories.js'
import { patientOf } from './instances.js'
import { type SubjectBody, subjectsPath } from './subjects.js'

/** Somebody who forms are kept with. */
export type Subject = KnownInstance['subject']

/** A client of forms, and as whom its submissions name it. */
export interface Submitter {
  api: Api
  name: string
}

/** Where forms are kept with several subjects, by several clients. */
export interface ExtractPlace {
  db: Knex
  tenant: FormsTenant
  subjects: Subject[]
  clients: Submitter[]
}

/** A tenant that no other test sees, with three subjects, and two clients that may do everything. */
export async function extractPlace(db: Knex): Promise<ExtractPlace> {
  const tenant = await formsTenant()
  const ids = [tenant.subjectId, await addPerson(tenant, 'second'), await addPerson(tenant, 'third')]
  const subjects = await Promise.all(
    ids.map(async id => ({ id, externalId: (await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body.ExternalId })),
  )
  const clients = [tenant.forms, await tenant.formsClient(['*'])].map(api => ({ api, name: clientName(api) }))
  return { db, tenant, subjects, clients }
}

/** The name that submissions of a client have: the subject of its token. */
export const clientName = ({ token }: Api): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub

/**
 * Sets the clock of a tenant ahead of the server's, as it is when that was set back: all that happens until the next extract
 * has the same time.
 * @returns that time, in ms since 1970.
 */
export async function stopClock({ db, tenant }: Pick<ExtractPlace, 'db' | 'tenant'>): Promise<number> {
  const instant = new Date(Date.now() + 3_600_000)
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  await db('form_clocks').where({ tenant_id }).update({ instant })
  return instant.getTime()
}

/** Another submission like one that there is. */
export interface Copy {
  subject: Subject
  /** When it was submitted, and when withdrawn, in ms since 1970. */
  at: number
  withdrawnAt?: number | undefined
  /** Stands in its texts instead of {@link unmarked}, filled up to the same length: at most 12 characters. */
  mark?: string
}

/** A text of an original that each copy may replace by one of its own. */
export const unmarked = 'original-doc'

/** Where extracts read. */
const tables = ['form_values', 'form_reports']

/**
 * Multiplies a submission straight in the tables that extracts read: thousands in a second or two. Of each there are the rows
 * that the product has written for the first one, with ids, times and subject of its own.
 * @param original submitted once, and nothing else.
 */
export async function addCopies(
  db: Knex,
  tenantKey: string,
  original: KnownInstance,
  copies: readonly Copy[],
): Promise<KnownInstance[]> {
  const tenant_id = await tenantIdOf(db, tenantKey)
  const ids = copies.map(() => ({ instance_id: randomUUID(), version_id: randomUUID() }))
  for (const table of tables) {
    const written: Record<string, Cell>[] = await db(table).where({ tenant_id, instance_id: original.guid })
    const columns = Object.keys(written[0] ?? {})
    const rows = copies.flatMap(({ subject, at, withdrawnAt, mark }, n) => {
      const own: Record<string, Cell> = {
        ...ids[n],
        subject_id: subject.id,
        submitted_at: new Date(at),
        counts_from: new Date(at),
      }
      if (withdrawnAt !== undefined) own.counts_until = new Date(withdrawnAt)
      return written.map(row =>
        columns.map(column => own[column] ?? (column === 'document' ? marked(row[column], mark) : row[column]) ?? null),
      )
    })
    await upsertRows(db, table, columns, rows, [])
  }
  return copies.map(({ subject, at, withdrawnAt, mark }, n) => ({
    ...original,
    guid: ids[n]?.instance_id ?? '',
    subject,
    deeds: [
      ...original.deeds.map(deed => (deed.did === 'submit' ? { ...marked(deed, mark), at } : deed)),
      ...(withdrawnAt === undefined ? [] : [{ did: 'withdraw' as const, at: withdrawnAt }]),
    ],
  }))
}

/** Puts the mark of a copy into its document or values. */
const marked = <Value>(value: Value, mark: string | undefined): Value =>
  mark === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll(unmarked, mark.padEnd(unmarked.length, '.')))

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
