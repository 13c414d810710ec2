// The workflow of `armature tenant move`.
import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow'
import type { Activities } from '../../activities/create-activities.js'
import type { TenantMoveInput } from './contracts.js'

const {
  beginTenantMove,
  copyTenantRows,
  followTenantChanges,
  compareTenantRows,
  switchTenant,
  serveMovedTenant,
  endRunsOfTenant,
  abandonTenantMove,
  takeTenantBack,
  forgetTenantRows,
} = proxyActivities<Activities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '10s',
  // An outage is waited out; what can never succeed comes back as a non-retryable failure.
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '10s' },
})

/** Rows as operators read them in the Temporal UI. */
const rows = (n: number): string => `${n.toLocaleString('en')} rows`

/**
 * Moves a tenant to another cell. Until the switch it works here, and a failure or a cancellation leaves it here. Where each
 * phase is stands in the databases, so that a phase goes on after a kill.
 */
async function move(input: TenantMoveInput): Promise<void> {
  try {
    await beginTenantMove(input)
    await inSlices('Copies', () => copyTenantRows(input))
    await followTenantChanges(input)
    await inSlices('Compares', () => compareTenantRows(input))
    await followTenantChanges(input)
    setCurrentDetails('Waits for runs of the tenant, then freezes it')
    const { frozenMs } = await switchTenant(input)
    setCurrentDetails(`Switched: the tenant stood still for ${frozenMs} ms`)
  } catch (error) {
    const isMoved = await CancellationScope.nonCancellable(() => abandonTenantMove(input))
    if (!isMoved) throw causeOf(error)
  }
  await CancellationScope.nonCancellable(async () => {
    await serveMovedTenant(input)
    await endRunsOfTenant(input)
  })
}

async function inSlices(doing: string, slice: () => Promise<{ rows: number; isDone: boolean }>): Promise<void> {
  for (;;) {
    const { rows: done, isDone } = await slice()
    setCurrentDetails(`${doing} the tenant: ${rows(done)} done`)
    if (isDone) return
  }
}

/** The reason itself is the failure of the run. */
const causeOf = (error: unknown): unknown =>
  error instanceof ActivityFailure && error.cause instanceof ApplicationFailure ? error.cause : error

/** `move` moves a tenant; `undo` takes one back in whose new cell nothing was written; `forget` deletes the rows that it left. */
export async function tenantMove(input: TenantMoveInput): Promise<void> {
  if (input.what === 'move') return move(input)
  try {
    await (input.what === 'undo' ? takeTenantBack(input) : forgetTenantRows(input))
  } catch (error) {
    throw causeOf(error)
  }
}
