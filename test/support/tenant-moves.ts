// Moves of tenants between the cells of a test, asked for in the cell that they leave.
import { admin, type Tenant } from './api.js'
import type { TestCell } from './cells.js'
import { until } from './until.js'

export interface MoveBody {
  state: string
  address: string | null
  canBeUndone: boolean
  run: { status: string; reason: string | null }
}

type Moving = Pick<Tenant, 'tenantKey'>

/** Moves a tenant at once. */
export const toB = { cell: 'b', waitSeconds: 0 }

const movePath = ({ tenantKey }: Moving): string => `/admin/v1/tenants/${tenantKey}/move`

/** Begins a move, an undo or a forgetting. */
export async function beginMove({ baseUrl }: TestCell, tenant: Moving, body: object): Promise<void> {
  const { status, body: begun } = await (await admin(baseUrl)).post(movePath(tenant), body)
  if (status !== 202) throw new Error(`${status}: ${JSON.stringify(begun)}`)
}

/** The move as it is now; undefined where the cell does not answer so. */
export async function moveNow({ baseUrl }: TestCell, tenant: Moving): Promise<MoveBody | undefined> {
  const { status, body } = await (await admin(baseUrl)).get<MoveBody>(movePath(tenant))
  return status === 200 ? body : undefined
}

/** The move once its run has ended. */
export const endedMove = (cell: TestCell, tenant: Moving): Promise<MoveBody> =>
  until('the run has ended', async () => {
    const move = await moveNow(cell, tenant)
    return move?.run.status !== 'running' && move
  })

/** Begins a move, an undo or a forgetting, and waits for its end. */
export async function moved(cell: TestCell, tenant: Moving, body: object): Promise<MoveBody> {
  await beginMove(cell, tenant, body)
  return endedMove(cell, tenant)
}
