// Announces bursts of data changes, from a provider whose rows are counters.
import { expect } from 'vitest'
import type { Api } from './api.js'
import { type ChangeAnswer, changePaths, type ScriptedProvider } from './data-sets.js'
import { type DataTenant, type Point, point } from './factories.js'

/** Makes a provider answer with a counter for each subject. Each increment is a change that can be announced. */
export function countingProvider(provider: ScriptedProvider) {
  const counters = new Map<string, number>()
  /** The counter that the provider last answered with, keyed by subject. */
  const told = new Map<string, number>()
  const row = (subject: string) => point(`counter-${subject}`, subject, counters.get(subject) ?? 0, 'Integer')
  provider.says(({ subjectIdentifier = '' }) => {
    told.set(subjectIdentifier, counters.get(subjectIdentifier) ?? 0)
    return { dataPoints: counters.has(subjectIdentifier) ? [row(subjectIdentifier)] : [] }
  })
  return {
    /** Increments a counter. @returns the row to announce. */
    step(subject: string): Point {
      counters.set(subject, (counters.get(subject) ?? 0) + 1)
      return row(subject)
    },
    /** Returns the rows that a data set must have. */
    rows: (): Point[] => [...counters.keys()].map(row).sort((a, b) => (a.Id < b.Id ? -1 : 1)),
    /** Reports whether the provider was asked about each subject after its last change. */
    allTold: () => [...counters].every(([subject, value]) => told.get(subject) === value),
  }
}

/**
 * Announces changes of the subjects in turn, `atOnce` at a time. A change without an answer is announced again.
 * @returns the ids of the jobs that the changes led to.
 */
export async function announce(
  client: Api,
  tenant: Pick<DataTenant, 'tenantKey'>,
  counting: ReturnType<typeof countingProvider>,
  { changes, subjects, atOnce }: { changes: number; subjects: readonly string[]; atOnce: number },
): Promise<Set<string>> {
  const jobs = new Set<string>()
  let next = 0
  const worker = async () => {
    for (let n = next++; n < changes; n = next++) {
      const SubjectIdentifier = subjects[n % subjects.length] ?? ''
      const NewOrUpdatedDataPoints = [counting.step(SubjectIdentifier)]
      const body = { SubjectIdentifier, DataExtractsOptionsValuesFilter: { kind: 'all' }, NewOrUpdatedDataPoints }
      for (;;) {
        const reply = await client.post<ChangeAnswer>(changePaths.created, body).catch(() => undefined)
        if (reply?.status === 200) {
          expect(reply.body).toMatchObject({ Status: 'Refreshing', AffectedDataPoints: 1 })
          if (reply.body.JobId) jobs.add(reply.body.JobId)
          break
        }
        if (reply && reply.status !== 503) throw new Error(`${tenant.tenantKey}: ${JSON.stringify(reply.body)}`)
        await new Promise(resolve => setTimeout(resolve, 200))
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return jobs
}
