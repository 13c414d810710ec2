// Creates random histories of submissions, at times that the test chooses or reads from the API.
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

/** A subject for whom forms are filled in. */
export type Subject = KnownInstance['subject']

/** A client of forms, and the name that its submissions have. */
interface Submitter {
  api: Api
  name: string
}

/** A tenant with several subjects and several clients that fill in forms. */
export interface ExtractPlace {
  db: Knex
  tenant: FormsTenant
  subjects: Subject[]
  clients: Submitter[]
}

/** Creates a tenant that no other test uses, with three subjects, and two clients that may do everything. */
export async function extractPlace(db: Knex): Promise<ExtractPlace> {
  const tenant = await formsTenant()
  const ids = [tenant.subjectId, await addPerson(tenant, 'second'), await addPerson(tenant, 'third')]
  const subjects = await Promise.all(
    ids.map(async id => ({ id, externalId: (await tenant.get<SubjectBody>(`${subjectsPath}/${id}`)).body.ExternalId })),
  )
  const clients = [tenant.forms, await tenant.formsClient(['*'])].map(api => ({ api, name: clientName(api) }))
  return { db, tenant, subjects, clients }
}

/** Returns the name that a client's submissions have, which is the subject of its token. */
export const clientName = ({ token }: Api): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sub

/**
 * Sets a tenant's clock ahead of the server's, as if the server's clock had been set back. Everything until the next extract
 * then gets the same time.
 * @returns that time, in ms since 1970.
 */
export async function stopClock({ db, tenant }: Pick<ExtractPlace, 'db' | 'tenant'>): Promise<number> {
  const instant = new Date(Date.now() + 3_600_000)
  const tenant_id = await tenantIdOf(db, tenant.tenantKey)
  await db('form_clocks').where({ tenant_id }).update({ instant })
  return instant.getTime()
}

/** A copy of a submission. */
export interface Copy {
  subject: Subject
  /** When it was submitted, in ms since 1970; likewise when it was withdrawn. */
  at: number
  withdrawnAt?: number | undefined
  /** Text of at most 12 characters that replaces {@link unmarked}, padded to the same length. */
  mark?: string
}

/** A text in the original that each copy can replace by its own. */
export const unmarked = 'original-doc'

/** Tables that extracts read. */
const tables = ['form_values', 'form_reports']

/**
 * Copies a submission directly in the tables that extracts read, thousands in a second or two. Each copy has the rows that
 * the product wrote for the original, but with its own ids, times and subject.
 * @param original an instance that was submitted once and not changed since.
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

/** Replaces {@link unmarked} in a document or in values by the mark of a copy. */
const marked = <Value>(value: Value, mark: string | undefined): Value =>
  mark === undefined ? value : JSON.parse(JSON.stringify(value).replaceAll(unmarked, mark.padEnd(unmarked.length, '.')))

/** Random numbers that decide what is filled in; see extract-templates.ts. */
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
/** Copies of a submission, for these subjects and at these distances in ms before it. */
const copying = recordOf({
  what: fc.constant('copy' as const),
  instance: fc.nat(30),
  copies: fc.array(recordOf({ subject: fc.nat(5), before: fc.nat(3) }), { minLength: 1, maxLength: 30, size: 'max' }),
})

/** A step with a new or an existing instance. Numbers choose instance and step, modulo the ones that are possible. */
export const step = fc.oneof(
  { weight: 3, arbitrary: creation },
  { weight: 3, arbitrary: change },
  { weight: 1, arbitrary: copying },
)
type Step = Made<typeof step>
type Creation = Made<typeof creation>

type State = 'new' | 'draft' | 'amended' | 'complete' | 'withdrawn' | 'gone'

/** The steps that are possible in each state. Those that matter to extracts are repeated to be chosen more often. */
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
  /** The state before it was withdrawn. */
  before: State
}

/** Changes instances through the API and records every change for the model. */
export function history(forms: readonly NamedForm[], { db, tenant, subjects, clients }: ExtractPlace) {
  const all: Kept[] = []
  const instances: KnownInstance[] = []

  async function create({ form: f, subject: s, ward, isCorrelated, client, isSubmitted, picks }: Creation) {
    const [form, subject, by] = [at(forms, f), at(subjects, s), at(clients, client)]
    const correlationId = isCorrelated ? `visit ${all.length}` : undefined
    const { key: formKey, version: formVersion } = form.known
    const more = { formKey, formVersion, instanceContext: { ward }, correlationId, instanceIdentifier: randomUUID() }
    const guid = await patientOf({ subjectId: subject.id, forms: by.api }).created(more)
    const instance = { guid, subject, form: form.known, correlationId, deeds: [] }
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
    /** All instances so far. */
    instances,

    /** Returns the times of all changes, in ms since 1970. */
    times: (): number[] => instances.flatMap(({ deeds }) => deeds.flatMap(deed => ('at' in deed ? [deed.at] : []))),

    /** Creates and submits an instance, by default of the first form, with some data. */
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

/** Changes an instance, which must succeed. @returns the change, with the time that the API reports. */
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

/** Value of `If-Match` that matches any version. */
const whatever = '*'

function stateAfter({ state, before }: Kept, did: Deed['did']): State {
  if (did === 'submit') return 'complete'
  if (did === 'draft') return state === 'amended' ? 'amended' : 'draft'
  if (did === 'amend') return 'amended'
  if (did === 'withdraw') return 'withdrawn'
  if (did === 'reinstate') return before
  return state === 'amended' ? 'complete' : 'gone'
}

/** Returns the body of a response. @throws unless its status means success. */
export function insisted<Body>({ status, body }: Reply<Body>): Body {
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** Returns an item of a non-empty list; the index wraps around. */
export function at<Item>(list: readonly Item[], n: number): Item {
  const item = list[n % list.length]
  if (item === undefined) throw new Error('There is none to choose from')
  return item
}
