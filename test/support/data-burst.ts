// Bursts of data changes at a provider that counts its calls.
import { expect } from 'vitest'
import type { Api } from './api.js'
import { type ChangeAnswer, changePaths, type ScriptedProvider } from './data-sets.js'
import { type DataTenant, type Point, point } from './factories.js'

/** A provider with a counter for each subject, whose every step is a change that it announces. */
export function countingProvider(provider: ScriptedProvider) {
  const counters = new Map<string, number>()
  /** By subject, the counter as it was when the provider was last asked. */
  const told = new Map<string, number>()
  const row = (subject: string) => point(`counter-${subject}`, subject, counters.get(subject) ?? 0, 'Integer')
  provider.says(({ subjectIdentifier = '' }) => {
    told.set(subjectIdentifier, counters.get(subjectIdentifier) ?? 0)
    return { dataPoints: counters.has(subjectIdentifier) ? [row(subjectIdentifier)] : [] }
  })
  return {
    /** Counts on, and says what is to be announced. */
    step(subject: string): Point {
      counters.set(subject, (counters.get(subject) ?? 0) + 1)
      return row(subject)
    },
    /** What a data set is to hold. */
    rows: (): Point[] => [...counters.keys()].map(row).sort((a, b) => (a.Id < b.Id ? -1 : 1)),
    /** Each subject was asked about after its last change. */
    allTold: () => [...counters].every(([subject, value]) => told.get(subject) === value),
  }
}

/**
 * Announces so many changes at a time, in turn of the subjects, and again where there is no answer.
 * @returns the jobs that the changes were given.
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
