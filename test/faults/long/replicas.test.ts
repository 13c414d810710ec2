// Two APIs and a worker that read at two replicas, one of them always late, while replicas stop and die.
import { join } from 'node:path'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connect } from '../../../db/connect.js'
import { type Api, api, newTenant, type Tenant } from '../../support/api.js'
import { type Cluster, startCluster, thisVersion } from '../../support/cluster.js'
import { allAsked, judged, people, practice } from '../../support/extract-practice.js'
import { extract, extractPath } from '../../support/extracts.js'
import { plantWards } from '../../support/factories.js'
import { ended, type JobBody, kill, signal } from '../../support/faults.js'
import { demoSubjects } from '../../support/manifest.js'
import { readsOf, replicaStates, type StartedReplica, startPrimary, startReplica } from '../../support/replicas.js'
import { person, type SubjectBody, subjectsPath, type WrittenSubject } from '../../support/subjects.js'
import { until } from '../../support/until.js'

const writers = 8
const rounds = 40
/** How late the second replica is, in s. */
const late = 1

let cluster: Cluster
let db: Knex
let tenant: Tenant
let urls: string[]
let metricsUrls: string[]
let clients: Api[]
const replicas: StartedReplica[] = []

beforeAll(async () => {
  cluster = await startCluster(thisVersion, startPrimary)
  for (const lateSeconds of [0, late]) {
    const port = cluster.nextPort()
    const dataDir = join(cluster.dataDir, `replica-${port}`)
    replicas.push(await startReplica(cluster.databaseUrl, { dataDir, port, lateSeconds }))
  }
  const settings = {
    DATABASE_REPLICA_URLS: replicas.map(({ url }) => url).join(),
    // The second one is late by more than a second, and the machine may be busy.
    DATABASE_REPLICA_MAX_LAG_SECONDS: '3',
  }
  const version = { ...thisVersion, settings }
  const apis = await Promise.all([1, 2].map(() => cluster.addApi(version)))
  await cluster.addWorker(version)
  urls = apis.map(({ ownUrl }) => ownUrl)
  metricsUrls = apis.map(({ metricsUrl }) => metricsUrl)
  db = connect(cluster.databaseUrl, { poolSize: 4 })
  tenant = await newTenant(cluster.baseUrl, {}, { subjects: demoSubjects })
  clients = urls.map(url => api(url, tenant.token))
  await plantWards(tenant, ...Array.from({ length: writers }, (_, n) => `ward-${n}`))
  await allAre('used')
})
afterAll(async () => {
  await db?.destroy()
  await Promise.all(replicas.map(each => each.stop()))
  await cluster?.stop()
})

/** Waits until both APIs have this state of a replica, or of both. */
async function allAre(state: string, number?: number): Promise<void> {
  for (const url of urls) {
    await until(`the replicas are ${state}`, async () => {
      const states = await replicaStates(url)
      return (number ? [states[number]] : [states[1], states[2]]).every(each => each === state)
    })
  }
}

/** Reads of both APIs together. */
async function reads(server: 'primary' | 'replicas', reader?: string): Promise<number> {
  const counts = await Promise.all(metricsUrls.map(async url => (await readsOf(url))(server, reader)))
  return counts.reduce((sum, count) => sum + count, 0)
}

const selects = () =>
  Promise.all(replicas.map(async ({ sql }) => Number((await sql("SHOW GLOBAL STATUS LIKE 'Com_select'"))[1])))

/** A ward as a list shows it: the given name of each person, by the number. */
async function listed(client: Api | undefined, ward: string, token?: string): Promise<Record<string, string>> {
  const path = `${subjectsPath}?First=1000&StructuralEntityKeys=${ward}`
  const answer = await client?.get<{ Edges: { Node: SubjectBody }[]; PageInfo: { TotalCount: number } }>(
    path,
    token === undefined ? {} : { 'commit-token': token },
  )
  if (answer?.status !== 200) throw new Error(JSON.stringify(answer))
  const found = answer.body.Edges.map(({ Node }) => {
    const values = new Map(Node.CustomFieldValues.map(({ Field, Value }) => [Field.Key, Object(Value).ValueText]))
    return [values.get('nationalId'), values.get('givenName')] as const
  })
  expect(answer.body.PageInfo.TotalCount).toBe(found.length)
  return Object.fromEntries(found)
}

/** Writes a person into a ward. @returns the token of the answer. */
async function write(client: Api | undefined, ward: string, nationalId: string, givenName: string): Promise<string> {
  const answer = await client?.post<WrittenSubject>(subjectsPath, person(nationalId, { givenName }, [ward]))
  if (answer === undefined || answer.status >= 300) throw new Error(JSON.stringify(answer))
  return answer.headers.get('commit-token') ?? ''
}

/** The people that each ward holds. */
const model = new Map<string, Record<string, string>>()

test('a caller that writes at one API and lists at the other one sees its write each time, also at replicas', async () => {
  const before = { replicas: await reads('replicas'), selects: await selects() }
  await Promise.all(
    Array.from({ length: writers }, async (_, n) => {
      const ward = `ward-${n}`
      const people: Record<string, string> = {}
      model.set(ward, people)
      let token = ''
      for (let round = 0; round < rounds; round++) {
        // Each third write changes a person.
        const id = `${ward}-${round % 3 === 2 ? round - 1 : round}`
        people[id] = `Name ${round}`
        token = await write(clients[round % 2], ward, id, people[id])
        for (let again = 0; again < 2; again++)
          expect(await listed(clients[(round + 1) % 2], ward, token), `round ${round}`).toEqual(people)
      }
      // The same again, until replicas have answered some of it.
      const answered = await reads('replicas', 'listSubjects')
      await until('replicas answer', async () => {
        for (const client of clients) expect(await listed(client, ward, token)).toEqual(people)
        return (await reads('replicas', 'listSubjects')) - answered > 100
      })
    }),
  )
  const atReplicas = (await reads('replicas')) - before.replicas
  const selected = (await selects()).map((count, n) => count - (before.selects[n] ?? 0))
  console.log(
    `${atReplicas} lists at replicas, which did ${selected.join(' and ')} selects; ${await reads('primary')} at the primary`,
  )
  expect(Math.min(...selected)).toBeGreaterThan(0)
  expect(selected.reduce((sum, count) => sum + count)).toBeGreaterThan(atReplicas)
})

test('without the token another API may show what was before, for as long as a replica is late', async () => {
  await replicas[0]?.sql('STOP REPLICA SQL_THREAD')
  await allAre('behind', 1)
  const ward = 'ward-0'
  const people = model.get(ward) ?? {}
  let n = 0
  await until('a list is old', async () => {
    const before = { ...people }
    const id = `${ward}-old-${n++}`
    people[id] = 'Late'
    const token = await write(clients[0], ward, id, 'Late')
    const [other, own] = await Promise.all([listed(clients[1], ward), listed(clients[0], ward)])
    expect(own, 'the API that took the write knows its caller').toEqual(people)
    expect(await listed(clients[1], ward, token)).toEqual(people)
    if (id in other) return false
    expect(other).toEqual(before)
    return true
  })
  // The first one is behind by more than is allowed, so nobody was asked to read there.
  await replicas[0]?.sql('START REPLICA SQL_THREAD')
  await allAre('used')
})

test('an extract holds all that was accepted before, while replicas are late and people go on', async () => {
  const forms = await practice(db, { count: 1_000, textLength: 300 }, cluster.baseUrl)
  const others = people(forms, 3)
  for (let n = 0; n < 6; n++) {
    // For three seconds it still counts as fresh enough, though it has nothing newer.
    if (n === 3) await replicas[0]?.sql('STOP REPLICA SQL_THREAD')
    expect(judged(forms, await extract(forms.forms, { definitions: allAsked }))).toEqual([])
  }
  const { body: job } = await forms.forms.post<JobBody>(
    extractPath,
    { definitions: allAsked },
    { prefer: 'respond-async' },
  )
  expect(await ended(forms, job.jobId)).toMatchObject({ status: 'Completed' })
  await others.stop()
  await replicas[0]?.sql('START REPLICA SQL_THREAD')
  const read = await reads('replicas', 'extract-documents')
  await until('replicas give the documents', async () => {
    const answer = await forms.forms.get<string>(`${job.links.self}/result`, { accept: 'application/x-ndjson' })
    expect(judged(forms, answer)).toEqual([])
    return (await reads('replicas', 'extract-documents')) > read
  })
  await allAre('used')
})

/** Lists by callers at both APIs beside something; none may fail, or show other people than the model. */
async function listsBeside(work: () => Promise<void>): Promise<number> {
  let isOver = false
  let calls = 0
  const callers = Array.from({ length: 6 }, async (_, n) => {
    const ward = `ward-${n}`
    for (; !isOver; calls++) expect(await listed(clients[n % 2], ward)).toEqual(model.get(ward))
  })
  const going = Promise.all(callers)
  await work().finally(() => (isOver = true))
  await going
  return calls
}

test('a replica that is killed is left out without one failed call, and read again when it is back', async () => {
  const calls = await listsBeside(async () => {
    for (const [n, { process }] of replicas.entries()) {
      const isLeft = async () => (await replicaStates(urls[0] ?? ''))[n + 1] !== 'used'
      await Promise.all([until('it is left out', isLeft), kill(process)])
      await allAre('used')
    }
  })
  console.log(`${calls} lists beside two kills`)
})

test('a replica that hangs is left out, and callers that were waiting for it are answered by the primary', async () => {
  const calls = await listsBeside(async () => {
    for (const [n, { process }] of replicas.entries()) {
      signal(process, 'SIGSTOP')
      try {
        // Those that wait at it are answered before it goes on.
        const answered = Promise.all(clients.map((client, n) => listed(client, `ward-${n}`)))
        await allAre('away', n + 1)
        await answered
      } finally {
        signal(process, 'SIGCONT')
      }
      await allAre('used')
    }
  })
  console.log(`${calls} lists beside two that hang`)
})
