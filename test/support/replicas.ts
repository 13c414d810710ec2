// Replicas of the database for tests, and what processes read at them.
import { api } from './api.js'

/** Reads of a process by reader and server, as its metrics count them. */
export async function readsOf(baseUrl: string): Promise<(server: 'primary' | 'replicas', reader?: string) => number> {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  const found = [...text.matchAll(/^armature_reads_total{reader="([^"]+)",server="([^"]+)"} (\d+)$/gm)]
  return (server, reader) =>
    found
      .filter(([, by, at]) => (reader ?? by) === by && (at === 'primary') === (server === 'primary'))
      .reduce((sum, [, , , count]) => sum + Number(count), 0)
}

/** The replicas of a process and their states, as it shows them. */
export async function replicaStates(baseUrl: string): Promise<Record<string, string>> {
  const { body } = await api(baseUrl, '').get<{ replicas?: Record<string, string> }>('/health/status')
  return body.replicas ?? {}
}
