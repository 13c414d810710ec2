// Health of processes.
import { until } from './until.js'

/** Resolves when the API answers, which may take a while after a kill. */
export const isUp = (baseUrl: string): Promise<void> =>
  until(
    'the API is ready',
    () =>
      isReady(baseUrl).then(
        () => true,
        () => false,
      ),
    120_000,
  ).then(() => undefined)

/** Rejects until `/health/status` is 200. */
export async function isReady(baseUrl: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/health/status`, { signal: AbortSignal.timeout(5_000) })
  if (!answer.ok) throw new Error(await answer.text())
}
