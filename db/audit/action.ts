// What a request does, for the audit: written in the transaction that does it (decision record 0084).
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Knex } from 'knex'
import { isId } from '../../runtime/ids.js'
import { consoleClient, personActor } from '../../runtime/secrets/actors.js'
import { presentTime } from '../clock.js'
import type { Db, TenantId } from '../connect.js'
import { insertRows, type WrittenCell } from '../rows.js'

/** The chain of what belongs to the installation and to no tenant. */
export const platformChain: TenantId = 0

/** Something that a caller does. It has names and ids, never values. */
export interface Action {
  client: string
  /** The person for whom the client acts, if there is one. */
  person?: string | undefined
  address?: string | undefined
  /** The operation's id. */
  action: string
  /** What the operation is about. */
  kind: string
  /** Ids that are known before it is done, such as those of the path. */
  ids: readonly string[]
  members: readonly string[]
  traceId: string
}

/** What became of an action. A withdrawn one was accepted before, and then taken back as a whole. */
export const actionOutcomes = ['done', 'read', 'refused', 'withdrawn'] as const
export type ActionOutcome = (typeof actionOutcomes)[number]

interface Present extends Action {
  /** What the transaction under way has changed. */
  changed: Set<string>
  /** How many entries a list was answered with. */
  entries?: number
}

const actions = new AsyncLocalStorage<Present | undefined>()

/** The most ids that an event names. More are in its job, or in the feed of changes. */
const maxIds = 1_000
/** The longest id, in characters. The path of a refused request may have any text; what cannot be an id is left out of the event. */
const maxIdLength = 255

/** Runs work as an action of a caller: each transaction in it that waits for its turn among the tenant's writers appends an event to the audit. */
export const asAction = <T>(action: Action, work: () => Promise<T>): Promise<T> =>
  actions.run(Object.assign(action, { changed: new Set<string>() }), work)

/** Returns who acts at present, as jobs name their actor, or null outside of an action. */
export function presentActor(): string | null {
  const { client, person } = actions.getStore() ?? {}
  return (client === consoleClient && person ? personActor(person) : client) ?? null
}

/** Runs work that belongs to no action, such as a check that is written like a write, or the first half of one. */
export const unrecorded = <T>(work: () => Promise<T>): Promise<T> => actions.exit(work)

/** Tells what the action under way has changed, created or read. Does nothing outside of one. */
export function tellIds(ids: readonly string[]): void {
  const action = actions.getStore()
  for (const id of ids) action?.changed.add(id)
}

/** Tells what a page of a list shows: how many entries, and the ids among their keys. A key that is none may be personal. */
export function tellPage(keys: readonly string[]): void {
  const action = actions.getStore()
  if (!action) return
  action.entries = (action.entries ?? 0) + keys.length
  tellIds(keys.filter(isId))
}

/** Drops the ids that were told so far: those of an earlier transaction, or of one that is tried again. */
export const clearToldIds = (): void => actions.getStore()?.changed.clear()

const table = 'audit_unsealed'

/** The columns of an event, in the order of {@link presentRow}. */
export const eventColumns = [
  ...['at', 'client', 'person', 'address', 'action', 'kind', 'ids', 'outcome', 'trace_id', 'members', 'details'],
]

/**
 * Returns the event of the action under way as a row of {@link eventColumns}, or undefined outside of an action.
 * @param at when it happened, by the clock of the database for a write.
 * @param details further members of the event.
 */
export function presentRow(outcome: ActionOutcome, at: WrittenCell, details?: object): WrittenCell[] | undefined {
  const action = actions.getStore()
  if (!action) return undefined
  const { client, person, address, kind, traceId, members, changed, entries } = action
  const more = entries === undefined ? details : { entries, ...details }
  return [
    ...[at, client, person?.slice(0, 255) ?? null, address ?? null, action.action, kind],
    JSON.stringify(idsOf([...action.ids, ...changed])),
    outcome,
    traceId,
    JSON.stringify(members),
    more ? JSON.stringify(more) : null,
  ]
}

const idsOf = (named: readonly string[]): string[] => {
  const ids = named.map(id => id.trimEnd()).filter(id => id !== '' && id.length <= maxIdLength)
  return [...new Set(ids)].slice(0, maxIds)
}

/**
 * Appends the action under way to a tenant's audit, in the transaction that does it. `transaction` calls it for the tenant's writers,
 * others call it themselves. Does nothing outside of an action.
 * @param details further members of the event.
 */
export async function recordAction(
  trx: Knex.Transaction | Db,
  tenant: TenantId,
  outcome: ActionOutcome = 'done',
  details?: object,
): Promise<void> {
  const row = presentRow(outcome, presentTime, details)
  if (row) await insertRows(trx, table, ['tenant_id', ...eventColumns], [[tenant, ...row]])
}
