// Records histories of moves of tenants: `node scripts/run.mjs test/replay/record tenantMove`.
import { tenantMoveId } from '../../workflows/platform/contracts.js'
import { admin, newTenant } from '../support/api.js'
import { startCells } from '../support/cells.js'
import { temporalClient } from '../support/jobs.js'
import { recordingKey } from '../support/sealed.js'

type Write = (
  how: string,
  kind: string,
  workflowId: string,
  client: Awaited<ReturnType<typeof temporalClient>>['client'],
) => Promise<void>

/** A move that is refused, one that is completed, and its undo. */
export async function recordMoves(write: Write): Promise<void> {
  const cells = await startCells({ ENCRYPTION_KEY: recordingKey })
  const { client, close } = await temporalClient(cells.temporalAddress, recordingKey, 'a')
  try {
    const { baseUrl } = cells.a
    const platform = await admin(baseUrl)
    const { tenantKey } = await newTenant(baseUrl)
    const record = async (how: string, body: object) => {
      const { status } = await platform.post(`/admin/v1/tenants/${tenantKey}/move`, body)
      if (status !== 202) throw new Error(`The move answered ${status}`)
      await write(how, 'tenantMove', tenantMoveId(tenantKey), client)
    }
    await record('refused', { cell: 'nowhere' })
    await record('completed', { cell: 'b', waitSeconds: 0 })
    await record('undone', { what: 'undo' })
  } finally {
    await close()
    await cells.stop()
  }
}
