// Checks, before a program begins, that Temporal can be reached.
import { setTimeout as sleep } from 'node:timers/promises'
import { NativeConnection } from '@temporalio/worker'
import type { Config } from '../settings/config.js'

const timeoutMs = 5_000

/** Temporal cannot be used. The message is for the operator: it names the setting and the next step. */
export class NoTemporal extends Error {
  override readonly name = 'NoTemporal'
}

/**
 * Connects to Temporal once, and looks whether the namespace exists.
 * @throws NoTemporal
 */
export async function requireTemporal({
  connection: options,
  namespace,
}: Pick<Config['temporal'], 'connection' | 'namespace'>): Promise<void> {
  const { address } = options
  const isOver = sleep(timeoutMs, undefined, { ref: false }).then(() => undefined)
  const connection = await Promise.race([NativeConnection.connect(options).catch(() => undefined), isOver])
  if (!connection) {
    throw new NoTemporal(
      `TEMPORAL_ADDRESS: no Temporal answers at ${address}. Start it, or correct the address; for one with TLS see TEMPORAL_TLS_… and TEMPORAL_API_KEY.`,
    )
  }
  try {
    const asked = connection.workflowService.describeNamespace({ namespace })
    await connection.withDeadline(Date.now() + timeoutMs, () => asked)
  } catch (error) {
    throw new NoTemporal(
      `TEMPORAL_NAMESPACE: ${address} gives no access to the namespace '${namespace}'. Create it (temporal operator namespace create ` +
        `-n ${namespace}), or correct the name.`,
      { cause: error },
    )
  } finally {
    await connection.close()
  }
}
