// Kills and pauses processes, and follows bulks that are written meanwhile.
import type { Knex } from 'knex'
import { shuffled } from '../../dev/shuffle.js'
import type { Api, Reply } from './api.js'
import { type Place, place } from './hierarchy-model.js'
import type { Victim } from './running-stack.js'
import { until } from './until.js'

/** Sends a signal to a process of the stack. SIGSTOP makes it hang, SIGCONT lets it continue. @returns its process id. */
export function signal(program: Victim, name: NodeJS.Signals): number {
  const { pid } = program
  if (pid === undefined) throw new Error(`${program.name} does not run`)
  process.kill(pid, name)
  return pid
}

/** Kills a process, runs `meanwhile`, and waits until the process has been restarted. */
export async function kill(victim: Victim | undefined, meanwhile?: () => Promise<unknown>): Promise<void> {
  if (!victim) return
  const killed = signal(victim, 'SIGKILL')
  await meanwhile?.()
  await until(`${victim.name} is started again`, async () => victim.pid !== undefined && victim.pid !== killed)
}

export interface JobBody {
  jobId: string
  kind: string
  status: string
  actor: string
  traceId: string
  progress: { done: number; total: number }
  counts: Record<string, number>
  waiting?: { reason: string; since: string; nextTry: string }
  problem?: { type: string; title: string; status: number; detail: string; errors?: object[] }
  acceptedAt: string
  startedAt: string | null
  finishedAt: string | null
  links: { self: string; items: string; temporalUi: string }
}

/** Waits for the end of a job, whether it succeeds or fails. Repeats requests that fail because a process is down. */
export function ended(tenant: Api, jobId: string, timeoutMs?: number): Promise<JobBody> {
  return until(
    `the job ${jobId} ends`,
    async () => {
      const answer = await tenant.get<JobBody>(`/api/v1/jobs/${jobId}`).catch(() => undefined)
      if (answer?.status !== 200 || ['Accepted', 'Running'].includes(answer.body.status)) return undefined
      return answer.body
    },
    timeoutMs,
  )
}

/** Starts a bulk without waiting for its end. */
export async function acceptBulk(tenant: Api, batch: readonly Place[]): Promise<JobBody> {
  const answer = await tenant.put<JobBody>('/api/v1/structuralEntity/bulk', batch, { prefer: 'respond-async' })
  if (answer.status !== 202) throw new Error(`The bulk answered ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Sends a request whose connection may break. @returns the answer, or undefined when there was none. */
export const sent = <Body>(request: Promise<Reply<Body>>): Promise<Reply<Body> | undefined> =>
  request.catch(() => undefined)

/** Reads the newest job of a tenant from the database, without the API. */
export async function jobRow(
  db: Knex,
  tenantKey: string,
): Promise<{ id: string; status: string; done: number; total: number; started_at: Date | null } | undefined> {
  return db('jobs as j')
    .join('tenants as t', 't.id', 'j.tenant_id')
    .where('t.tenant_key', tenantKey)
    .orderBy('j.id', 'desc')
    .first('j.id', 'j.status', 'j.done', 'j.total', 'j.started_at')
}

/** Waits until the share `part` (0 to 1) of the tenant's newest job is written. @returns false if it ended before. */
export const progressed = (db: Knex, tenantKey: string, part: number): Promise<boolean> =>
  until(`${Math.round(part * 100)} % are written`, async () => {
    const job = await jobRow(db, tenantKey)
    if (!job) return undefined
    if (job.done === job.total) return { inTime: false }
    return job.done >= job.total * part ? { inTime: true } : undefined
  }).then(({ inTime }) => inTime)

/** Makes a hierarchy in which every parent has 18 children, in a random order that depends on the seed. */
export function placesOf(count: number, seed: number): Place[] {
  const places = Array.from({ length: count }, (_, n) =>
    place(`place-${n}`, n === 0 ? undefined : `place-${Math.floor((n - 1) / 18)}`, n % 500),
  )
  return shuffled(places, seed)
}
