// The activities of a move of a tenant to another cell.
import { setTimeout as sleep } from 'node:timers/promises'
import { Context } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import type { Cells } from '../../db/cells/cells.js'
import { changedRows, type Side, watchChanges } from '../../db/cells/changed-rows.js'
import {
  changesAtOnce,
  compareTable,
  copyTable,
  followChanges,
  phaseOf,
  type Sides,
} from '../../db/cells/copied-rows.js'
import {
  beginMove,
  checkMove,
  forgotten,
  freeze,
  goneFrom,
  leave,
  movedTables,
  moveOf,
  removeRows,
  requireFiles,
  serve,
  sidesOf,
  stay,
  unfreeze,
  watchAgain,
} from '../../db/cells/moves.js'
import { presenceMs } from '../../db/cells/presence.js'
import { largestFirst, MoveRefused, type TenantTable } from '../../db/cells/tenant-tables.js'
import { keyId } from '../../runtime/encryption-keys.js'
import type { Log } from '../../runtime/log.js'
import { stopping } from '../../runtime/shutdown.js'
import type { Temporal } from '../../runtime/temporal.js'
import type { TenantMoveInput } from '../../workflows/platform/contracts.js'
import { withHeartbeat } from '../heartbeat.js'
import { removeSchedulesOf } from './manifest-schedules.js'
import { once } from './repeatedly.js'
import { movedAway, runningRuns } from './runs.js'

/** One activity of a phase; the next one goes on. */
const sliceMs = 60_000
/** Tables that are copied or compared at the same time. */
const tablesAtOnce = 3
/** A freeze that takes longer is given up, and tried again. */
const mostFrozenMs = 8_000
const mostFreezes = 20
/** Between two freezes: the tenant works. */
const pauseMs = 2_000
/** API processes of the target may remember for so long that they do not know a client (`createGrants`). */
const arrivalMs = 4_000
/** For so long no run of a tenant that moved is found: lists of Temporal are late. */
const quietMs = 5_000

export interface TenantMoveDependencies {
  db: Knex
  log: Log
  cells: Cells
  /** ENCRYPTION_KEY and ENCRYPTION_KEYS_OLD. */
  encryptionKeys: readonly Uint8Array[]
  /** Where files are kept in S3 (`placeOf`). */
  bucket: string | undefined
  temporal: () => Temporal
}

/** Activities of `tenantMove`. Each is safe to run again at any point. */
export const tenantMoveActivities = (dependencies: TenantMoveDependencies) => {
  const { db, log, cells, temporal } = dependencies
  const open = (cell: string) => {
    const { address, db: target } = cells.of(cell)
    return { address, databases: { source: db, target } }
  }
  const isOver = () => stopping.aborted || Context.current().cancellationSignal.aborted
  const doing = <T>(work: () => Promise<T>): Promise<T> => withHeartbeat(() => refusing(work, run => once(log, run)))
  const tablesOf = ({ source, target }: Sides) => movedTables(source.db, target.db)
  const sidesIn = ({ cell, tenantKey }: TenantMoveInput) => sidesOf(open(cell).databases, tenantKey)

  /** Does a phase of all tables, some at a time, for one slice. */
  async function slice(
    input: TenantMoveInput,
    phase: 'copy' | 'compare',
    work: (sides: Sides, table: TenantTable, isOver: () => boolean) => Promise<unknown>,
  ): Promise<{ rows: number; isDone: boolean }> {
    // The target serves it, or is about to.
    if (await hasMoved(input)) return { rows: 0, isDone: true }
    const sides = await sidesIn(input)
    const until = Date.now() + sliceMs
    const tables = await tablesOf(sides)
    const { done } = await phaseOf(sides.target, phase)
    const left = largestFirst(tables).filter(({ name }) => !done.has(name))
    const isSliceOver = () => isOver() || Date.now() >= until
    await Promise.all(
      Array.from({ length: tablesAtOnce }, async () => {
        for (let table = left.shift(); table && !isSliceOver(); table = left.shift())
          await work(sides, table, isSliceOver)
      }),
    )
    await refuseCancelled()
    const now = await phaseOf(sides.target, phase)
    return { rows: now.rows, isDone: tables.every(({ name }) => now.done.has(name)) }
  }

  const hasMoved = async ({ tenantKey }: TenantMoveInput) => (await moveOf(db, tenantKey))?.state === 'moved'

  /** Settles changes until those that are open are fewer than one transaction takes. */
  async function follow(sides: Sides): Promise<void> {
    const tables = byName(await tablesOf(sides))
    while ((await followChanges(sides, tables)) === changesAtOnce) await refuseCancelled()
  }

  return {
    /** Checks that the tenant can move, and begins to note its changes. */
    beginTenantMove: (input: TenantMoveInput): Promise<void> =>
      doing(async () => {
        const { tenantKey, moveId, cell } = input
        const { address, databases } = open(cell)
        const { bucket, encryptionKeys } = dependencies
        await checkMove(databases, tenantKey, { moveId, keyIds: encryptionKeys.map(keyId), bucket })
        const tables = await movedTables(databases.source, databases.target)
        await beginMove(databases, tenantKey, { moveId, cell, from: cells.own, address }, tables)
        log.info({ tenantKey, cell }, 'a move of a tenant has begun')
      }),

    /** Copies rows for a while. */
    copyTenantRows: (input: TenantMoveInput) => doing(() => slice(input, 'copy', copyTable)),

    /** Copies what changed meanwhile, until little is left. */
    followTenantChanges: (input: TenantMoveInput): Promise<void> =>
      doing(async () => {
        if (!(await hasMoved(input))) await follow(await sidesIn(input))
      }),

    /** Compares all rows for a while. Those that differ count as changed. */
    compareTenantRows: (input: TenantMoveInput) => doing(() => slice(input, 'compare', compareTable)),

    /**
     * Waits for runs of the tenant, as long as the input says, freezes the tenant, settles the last changes, and switches.
     * @returns how long it stood still.
     */
    switchTenant: (input: TenantMoveInput): Promise<{ frozenMs: number }> =>
      doing(async () => {
        const { tenantKey } = input
        if (await hasMoved(input)) return { frozenMs: 0 }
        const sides = await sidesIn(input)
        const { source } = sides
        // An attempt before may have ended in its freeze.
        await unfreeze(source)
        const until = Date.now() + Math.max(input.waitSeconds * 1000, arrivalMs)
        const earliest = Date.now() + arrivalMs
        while (Date.now() < until && (Date.now() < earliest || (await runsOf(temporal(), tenantKey)).length > 0)) {
          await follow(sides)
          await pause(1_000)
        }
        for (let n = 0; n < mostFreezes; n++) {
          await follow(sides)
          const frozenSince = await tryToSwitch(sides, input)
          if (frozenSince !== undefined) {
            // At once: nobody serves it until then. The next activity does the same where this one ends here.
            await serveIn(sides, tenantKey)
            const frozenMs = Date.now() - frozenSince
            log.info({ tenantKey, cell: input.cell, frozenMs }, 'a tenant has moved')
            return { frozenMs }
          }
          await pause(pauseMs)
        }
        throw new MoveRefused(
          `The tenant could not be frozen for less than ${mostFrozenMs / 1000} s, ${mostFreezes} times: it stays here.`,
        )
      }),

    /** The target serves the tenant. */
    serveMovedTenant: (input: TenantMoveInput): Promise<void> =>
      doing(async () => {
        await serveIn(await sidesIn(input), input.tenantKey)
      }),

    /** Ends the runs that the tenant still has here: the outbox of the target starts their jobs again, from their rows. */
    endRunsOfTenant: ({ tenantKey }: TenantMoveInput): Promise<void> =>
      doing(async () => {
        await removeSchedulesOf(tenantKey, temporal().client)
        for (let quietSince = Date.now(); Date.now() - quietSince < quietMs; await pause(1_000)) {
          const runs = await runsOf(temporal(), tenantKey)
          for (const { workflowId, runId } of runs)
            await temporal()
              .client.workflow.getHandle(workflowId, runId)
              .terminate(movedAway)
              // It has just ended by itself, which the list shows later.
              .catch(err => log.info({ err, workflowId }, 'a run of a tenant that moved was not ended'))
          if (runs.length > 0) quietSince = Date.now()
        }
      }),

    /** Leaves the tenant here, and removes the copy. @returns true where it has moved already: then the move goes on. */
    abandonTenantMove: (input: TenantMoveInput): Promise<boolean> =>
      doing(async () => {
        const { tenantKey, moveId, cell } = input
        const move = await moveOf(db, tenantKey)
        if (move?.moveId !== moveId) return false
        if (move.state === 'moved') return true
        const source = { db, tenant: move.tenant }
        // Its last step ends the move, so that an attempt which was killed finds it again.
        await unfreeze(source)
        const { databases } = open(cell)
        const other = await moveOf(databases.target, tenantKey)
        if (other?.moveId === moveId) {
          const target = { db: databases.target, tenant: other.tenant }
          await removeRows(target, await movedTables(databases.source, databases.target))
          await goneFrom(target)
        }
        await stay(source)
        log.warn({ tenantKey, cell }, 'a move of a tenant was given up')
        return false
      }),

    /** Takes a tenant back in whose new cell nothing was written since. */
    takeTenantBack: (input: TenantMoveInput): Promise<void> =>
      doing(async () => {
        const { tenantKey, cell } = input
        const sides = await sidesIn(input)
        const { source, target } = sides
        const [own, other] = [await moveOf(source.db, tenantKey), await moveOf(target.db, tenantKey)]
        const tables = await tablesOf(sides)
        if (own?.state === 'moved' && other?.state !== 'gone') {
          if (!own.row)
            throw new MoveRefused(`The rows of '${tenantKey}' are not kept any more: move it back from '${cell}'.`)
          const isBack = await leaveUnwritten(sides, tables, tenantKey)
          if (!isBack) {
            await stay(target)
            await source.db('tenant_move_tables').where({ tenant_id: source.tenant }).delete()
            const detail = `'${tenantKey}' was written in the cell '${cell}' since it moved.`
            throw new MoveRefused(`${detail} To bring it back with that, move it from there.`)
          }
        }
        if (own?.state === 'moved' && own.row) await serve(source, own.row)
        await stay(source)
        await removeRows(target, tables)
        await goneFrom(target)
        log.warn({ tenantKey, cell }, 'a move of a tenant was undone')
      }),

    /** Deletes the rows that a tenant left behind. From then on the move cannot be undone. */
    forgetTenantRows: ({ tenantKey }: TenantMoveInput): Promise<void> =>
      doing(async () => {
        const move = await moveOf(db, tenantKey)
        if (move?.state !== 'moved') throw new MoveRefused(`'${tenantKey}' has not moved.`)
        const source = { db, tenant: move.tenant }
        await forgotten(source)
        await removeRows(source, await movedTables(db, db))
        log.info({ tenantKey }, 'the rows of a tenant that moved are deleted')
      }),
  }

  async function serveIn({ target }: Sides, tenantKey: string): Promise<void> {
    const move = await moveOf(db, tenantKey)
    if (!move?.row) throw new Error('The row of the tenant is gone')
    await serve(target, move.row)
  }

  /** @returns since when the tenant stands still, in ms since 1970; undefined where it works on here. */
  async function tryToSwitch(sides: Sides, { tenantKey }: TenantMoveInput): Promise<number | undefined> {
    const { source } = sides
    const tables = byName(await tablesOf(sides))
    const since = Date.now()
    let isSwitched = false
    try {
      if (!(await freeze(source))) return undefined
      // Every process has heard of it before the other cell serves the tenant: nobody reads old rows.
      await pause(presenceMs * 2)
      while ((await followChanges(sides, tables)) > 0) {
        await refuseCancelled()
        if (Date.now() - since > mostFrozenMs) return undefined
      }
      // One may have been written to S3 since the move began.
      await requireFiles({ source, target: sides.target.db }, dependencies.bucket)
      isSwitched = await leave(source, tenantKey, 'moved')
      return isSwitched ? since : undefined
    } finally {
      if (!isSwitched) await unfreeze(source)
    }
  }

  /** Ends the serving of a tenant where it is equal to the rows that it left. @returns false where it is not. */
  async function leaveUnwritten(sides: Sides, tables: readonly TenantTable[], tenantKey: string): Promise<boolean> {
    const { target } = sides
    await watchAgain(target)
    await watchChanges(target, tables)
    const back = { source: target, target: sides.source }
    for (const table of tables) await compareTable(back, table, isOver)
    await refuseCancelled()
    const { done } = await phaseOf(back.target, 'compare')
    if (!tables.every(({ name }) => done.has(name))) throw new Error('Not all tables were compared: the process stops')
    if (await isWritten(target)) return false
    for (let n = 0; !(await freeze(target)); n++) {
      if (n === mostFreezes) return false
      await pause(pauseMs)
    }
    await pause(presenceMs * 2)
    return !(await isWritten(target)) && leave(target, tenantKey, 'gone')
  }
}

const isWritten = async (side: Side): Promise<boolean> => (await changedRows(side, 1)).length > 0

const byName = (tables: readonly TenantTable[]) => new Map(tables.map(table => [table.name, table]))

/** The runs of a tenant that belong to jobs and schedules. Those of its endpoints end by themselves, within seconds. */
const runsOf = (temporal: Temporal, tenantKey: string) =>
  runningRuns(temporal, `TenantKey = '${tenantKey.replaceAll("'", "''")}' AND WorkflowType != 'glueEndpoint'`)

async function pause(ms: number): Promise<void> {
  await sleep(ms, undefined, { signal: Context.current().cancellationSignal }).catch(() => undefined)
  await refuseCancelled()
}

async function refuseCancelled(): Promise<void> {
  const context = Context.current()
  if (context.cancellationSignal.aborted) await context.cancelled
}

/** A reason that lasts ends the run, and is its failure. It names no personal data. */
async function refusing<T>(
  work: () => Promise<T>,
  run: (work: () => Promise<T | MoveRefused>) => Promise<T | MoveRefused>,
): Promise<T> {
  const done = await run(() =>
    work().catch((error: unknown) => {
      if (error instanceof MoveRefused) return error
      throw error
    }),
  )
  if (done instanceof MoveRefused) throw ApplicationFailure.nonRetryable(done.message, 'move-refused')
  return done
}
