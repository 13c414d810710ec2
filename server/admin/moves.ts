// Administration endpoints of moves of tenants to other cells.
import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { moveStates } from '../../db/cells/move-states.js'
import { type Move, moveOf } from '../../db/cells/moves.js'
import { newId } from '../../runtime/ids.js'
import { conflict, invalid, notFound } from '../../runtime/problem.js'
import { searchAttributes } from '../../runtime/search-attributes.js'
import type { Temporal } from '../../runtime/temporal.js'
import { queues } from '../../workflows/jobs/contracts.js'
import { type TenantMoveInput, tenantMoveId } from '../../workflows/platform/contracts.js'
import { type Endpoint, endpoint, ok } from '../endpoint.js'

const common = { tag: 'Administration', scopes: ['PlatformAdmin'], path: '/admin/v1/tenants/:tenantKey/move' } as const

const TenantMove = Type.Object(
  {
    tenantKey: Type.String(),
    state: Type.Enum([...moveStates, 'none'], {
      description:
        'copying: it works here. frozen: it stands still for seconds. moved: it is in the other cell. arriving: it comes from the ' +
        'other cell. here: its move is over, undone or given up. gone: it came and was taken back. none: it never moved.',
    }),
    cell: Type.Union([Type.String(), Type.Null()], { description: 'The other cell.' }),
    address: Type.Union([Type.String(), Type.Null()], { description: 'Where callers find a tenant that has moved.' }),
    canBeUndone: Type.Boolean({ description: 'The rows that it left are still here.' }),
    run: Type.Object({
      status: Type.String({
        description: 'running, completed, failed, terminated, or none; of the last run in Temporal.',
      }),
      reason: Type.Union([Type.String(), Type.Null()], { description: 'Why it failed.' }),
    }),
  },
  { $id: 'TenantMove' },
)

const TenantMoveRequest = Type.Object({
  what: Type.Optional(
    Type.Enum(['move', 'undo', 'forget'], {
      description:
        'move, the default. undo: takes a tenant back in whose new cell nothing was written. forget: deletes the rows that it ' +
        'left; then there is no way back.',
    }),
  ),
  cell: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Name of the cell to which it moves.' })),
  waitSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 86_400,
      description:
        'How long the switch waits for running jobs of the tenant, 60 by default. Those that still run go on in the other cell.',
    }),
  ),
})

interface MoveDependencies {
  db: Knex
  /** Throws Problem 503 while Temporal is away. */
  temporal: () => Temporal
}

/** Moves of tenants to other cells. */
export const moveRoutes = ({ db, temporal }: MoveDependencies): Endpoint[] => [
  endpoint({
    ...common,
    operationId: 'getTenantMove',
    summary: 'Where a tenant is in its move to another cell',
    method: 'get',
    answers: { 200: TenantMove },
    handle: async ({ params }) => ok(await shown(db, temporal(), params.tenantKey ?? '')),
  }),

  endpoint({
    ...common,
    operationId: 'moveTenant',
    summary: 'Move a tenant to another cell while it works, take it back, or forget the rows that it left',
    method: 'post',
    body: TenantMoveRequest,
    answers: { 202: TenantMove },
    problems: ['move-not-possible'],
    async handle({ params, body, caller }) {
      const tenantKey = params.tenantKey ?? ''
      const input = await inputOf(db, tenantKey, body)
      try {
        await temporal().client.workflow.start('tenantMove', {
          taskQueue: queues.background,
          workflowId: tenantMoveId(tenantKey),
          args: [input],
          staticSummary: `${input.what} of the tenant ${tenantKey}, cell ${input.cell}`,
          typedSearchAttributes: [
            { key: searchAttributes.tenantKey, value: 'platform' },
            { key: searchAttributes.jobKind, value: 'tenantMove' },
            { key: searchAttributes.actor, value: caller.clientId },
          ],
        })
      } catch (error) {
        if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
        throw conflict('move-not-possible', `A move of '${tenantKey}' is under way.`)
      }
      return { status: 202, body: await shown(db, temporal(), tenantKey) }
    },
  }),
]

/**
 * The input of a run. A move that broke off goes on: it has the id of the one before.
 * @throws Problem 400 for a move without a cell; 404 for an unknown tenant; 409 where the state of the tenant stands against it.
 */
async function inputOf(
  db: Knex,
  tenantKey: string,
  { what = 'move', cell, waitSeconds = 60 }: Static<typeof TenantMoveRequest>,
): Promise<TenantMoveInput> {
  const move = await moveOf(db, tenantKey)
  if (what !== 'move') {
    if (move?.state !== 'moved') throw conflict('move-not-possible', `'${tenantKey}' has not moved from here.`)
    return { tenantKey, what, moveId: move.moveId, cell: move.cell, waitSeconds }
  }
  if (!cell) throw invalid([{ pointer: '/cell', code: 'required', detail: 'Name the cell to which the tenant moves.' }])
  if (!move && !(await isThere(db, tenantKey))) throw notFound(`There is no tenant '${tenantKey}'.`)
  const isOpen = move && ['copying', 'frozen', 'moved'].includes(move.state)
  if (isOpen && move.cell !== cell)
    throw conflict('move-not-possible', `'${tenantKey}' has moved to the cell '${move.cell}', or is on its way there.`)
  return { tenantKey, what, moveId: isOpen ? move.moveId : newId(), cell, waitSeconds }
}

const isThere = async (db: Knex, tenantKey: string): Promise<boolean> =>
  (await db('tenants').where({ tenant_key: tenantKey }).first('id')) !== undefined

async function shown(db: Knex, temporal: Temporal, tenantKey: string): Promise<Static<typeof TenantMove>> {
  const move: Move | undefined = await moveOf(db, tenantKey)
  if (!move && !(await isThere(db, tenantKey))) throw notFound(`There is no tenant '${tenantKey}'.`)
  return {
    tenantKey,
    state: move?.state ?? 'none',
    cell: move?.cell ?? null,
    address: move?.address ?? null,
    canBeUndone: move?.state === 'moved' && move.row !== null,
    run: await lastRun(temporal, tenantKey),
  }
}

async function lastRun({ client }: Temporal, tenantKey: string): Promise<{ status: string; reason: string | null }> {
  const handle = client.workflow.getHandle(tenantMoveId(tenantKey))
  try {
    const { status, runId } = await handle.describe()
    const name = status.name.toLowerCase()
    return {
      status: name,
      reason: name === 'failed' ? await reasonOf(client.workflow.getHandle(handle.workflowId, runId)) : null,
    }
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { status: 'none', reason: null }
    throw error
  }
}

async function reasonOf(handle: { result(): Promise<unknown> }): Promise<string | null> {
  try {
    await handle.result()
    return null
  } catch (error) {
    const cause = error instanceof WorkflowFailedError ? error.cause : undefined
    return cause instanceof ApplicationFailure ? cause.message : null
  }
}
