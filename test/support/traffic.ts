// Runs callers that accept no failure, and models what they have written.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { type Api, newTenant, type Reply } from './api.js'
import { plantWards, tenantWithPlaces } from './factories.js'
import { ended, type JobBody, placesOf } from './faults.js'
import { place } from './hierarchy-model.js'
import { locationModel } from './locations.js'
import { demoSubjects } from './manifest.js'
import { bulkPath, person, type WrittenSubject } from './subjects.js'
import { transferPath } from './transfers.js'

const entitiesPath = '/api/v1/structuralEntity'

export type Traffic = Awaited<ReturnType<typeof startTraffic>>

/**
 * Starts callers of two tenants. They write small and large bulks of places, write people in bulks and transfer them, and read both. No
 * call is repeated, so each call that is refused or broken off is a fault.
 * @param of.pauseMs how long each of them waits before it writes or reads again.
 * @param of.mostPeople how many people they write. Each transfer moves all that there are.
 */
export async function startTraffic(baseUrl: string, { pauseMs = 0, mostPeople = Number.POSITIVE_INFINITY } = {}) {
  const places = await tenantWithPlaces(baseUrl)
  const people = await newTenant(baseUrl, {}, { subjects: demoSubjects })
  await plantWards(people, 'east', 'west')
  const locations = locationModel()
  const faults: string[] = []
  const counts = { calls: 0, jobs: 0 }
  let isOver = false
  const goesOn = () => !isOver && faults.length === 0

  /** Waits for the answer to a call, which must succeed. @returns its body, or undefined after a fault. */
  async function call<Body>(say: string, request: Promise<Reply<Body>>): Promise<Body | undefined> {
    counts.calls++
    const answer = await request.catch((error: Error) => String(error.cause ?? error))
    if (typeof answer !== 'string' && answer.status < 300) return answer.body
    faults.push(`${say}: ${typeof answer === 'string' ? answer : `${answer.status} ${JSON.stringify(answer.body)}`}`)
    return undefined
  }

  /** Waits for the end of the job in an answer, if there is one. */
  async function finished(tenant: Api, body: JobBody | '' | undefined): Promise<JobBody | undefined> {
    if (!body || !('jobId' in body)) return undefined
    counts.jobs++
    const job = await ended(tenant, body.jobId)
    if (job.status !== 'Completed') faults.push(`job ${job.jobId} is ${job.status}: ${JSON.stringify(job.problem)}`)
    return job
  }

  async function writePlaces(): Promise<void> {
    for (let n = 0; goesOn(); n++) {
      await sleep(pauseMs)
      const size = n % 3 === 0 ? 3_000 : 30
      const batch = placesOf(size, n).map(each => ({ ...each, DisplayName: `${each.Key}, batch ${n}` }))
      const body = await call('bulk of places', places.tenant.put<JobBody | ''>(`${entitiesPath}/bulk`, batch))
      await finished(places.tenant, body)
      places.model.apply(batch)
    }
  }

  async function movePeople(): Promise<void> {
    for (let n = 0; goesOn(); n++) {
      await sleep(pauseMs)
      if (n * 20 < mostPeople) {
        const batch = Array.from({ length: 20 }, (_, k) => person(`${n}-${k}`, {}, ['east']))
        const written = await call('bulk of people', people.post<WrittenSubject[] | JobBody>(bulkPath, batch))
        if (!Array.isArray(written)) {
          faults.push(`bulk of people was not answered with them: ${JSON.stringify(written)}`)
          return
        }
        locations.assign(
          'east',
          written.map(({ internalId }) => internalId),
        )
      }
      const [from, to] = n % 2 === 0 ? ['east', 'west'] : ['west', 'east']
      const body = await call(
        'transfer',
        people.post<JobBody>(transferPath(to), { SourceStructuralEntityKey: from, TransferMode: 'Move' }),
      )
      if (await finished(people, body)) locations.transfer(from, to, 'Move')
    }
  }

  async function read(): Promise<void> {
    while (goesOn()) {
      await sleep(pauseMs)
      await call('list of places', places.tenant.get(`${entitiesPath}?First=100`))
      await call('list of people', people.get('/api/v2/subject?StructuralEntityKeys=west'))
      const single = place(`single-${counts.calls}`)
      await call('single write', places.tenant.put(entitiesPath, single))
      places.model.apply([single])
    }
  }

  const callers = [writePlaces(), movePeople(), read()]
  return {
    faults,
    counts,
    tenants: [places.tenant, people],
    /** Stops the callers after their current calls. */
    async stop(): Promise<void> {
      isOver = true
      await Promise.all(callers)
    },
    /** Compares every place and every assignment with the models. */
    async differences(db: Knex): Promise<string[]> {
      return [
        ...(await places.model.differences(db, places.tenant.tenantKey)),
        ...(await locations.differences(db, people.tenantKey)),
      ]
    },
  }
}
